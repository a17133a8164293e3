import { describe, expect, it } from 'vitest'
import type { Fields } from '@/spec'
import { toInput } from './form-data'
import { howToWrite, readNumber } from './number-text'
import { specValidator } from './spec-validator'

describe('a number as somebody wrote it', () => {
  it.each([
    ['12', 12],
    ['12.50', 12.5],
    ['12,50', 12.5],
    [' 12,5 ', 12.5],
    ['-0,125', -0.125],
    ['1234,567', 1234.567],
    ['.5', 0.5],
    ['1e3', 1000],
  ])('%j is %d', (text, value) => expect(readNumber(text)).toBe(value))

  it.each([
    '',
    '12abc',
    '12abc,50',
    '1,234',
    '1.000',
    '-12.345',
    '1.234,50',
    '1,234.50',
    '12,',
    ',',
    '1 234',
    '12,5,0',
    '0x10',
    'Infinity',
    '1e999',
    '9007199254740993',
  ])('%j is not guessed at', (text) => expect(readNumber(text)).toBeNull())
})

describe('a number that is not taken', () => {
  it.each([
    ['1.000', false, '“1.000” can be read in two ways: write 1000, or 1.0000 if it is a fraction.'],
    ['1,234', true, '“1,234” can be read in two ways: write 1234.'],
    ['9007199254740993', true, 'This number is too large to be kept exactly.'],
    ['1e999', false, 'This number is too large to be kept exactly.'],
    ['twelve', false, 'Write a number, for example 12.50.'],
    ['12,5,0', true, 'Write a whole number, for example 12.'],
  ])('%j (whole: %j): %s', (text, whole, message) => expect(howToWrite(text, whole)).toBe(message))

  it('is taken as it was advised', () => {
    expect(readNumber('1000')).toBe(1000)
    expect(readNumber('1.0000')).toBe(1)
  })
})

describe('a form with numbers', () => {
  const fields: Fields = {
    amount: { type: 'number' },
    count: { type: 'integer', required: false },
    lines: { type: 'array', required: false, items: { type: 'object', properties: { price: { type: 'number' } } } },
    code: { type: 'string', required: false },
  }
  const errorsOf = (data: Record<string, unknown>) => specValidator(fields).validateFormData(data, {}).errorSchema

  it('gives what was written, wherever the field stands', () => {
    expect(toInput(fields, { amount: '12,50', count: '3', lines: [{ price: '0,99' }], code: '12,50' })).toEqual({
      amount: 12.5,
      count: 3,
      lines: [{ price: 0.99 }],
      code: '12,50',
    })
  })

  it('takes blanks for an empty field', () => {
    expect(toInput(fields, { amount: '  ', count: '' })).toEqual({})
  })

  it('says beside the field how a number is written, and never changes it silently', () => {
    expect(errorsOf({ amount: '12abc,50', count: 'x', lines: [{ price: 'x' }] })).toEqual({
      amount: { __errors: ['Write a number, for example 12.50.'] },
      count: { __errors: ['Write a whole number, for example 12.'] },
      lines: { 0: { price: { __errors: ['Write a number, for example 12.50.'] } } },
    })
    expect(errorsOf({ amount: '1', count: '12,5' })).toMatchObject({ count: { __errors: [expect.any(String)] } })
  })
})
