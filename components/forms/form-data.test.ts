import { describe, expect, it } from 'vitest'
import type { Fields } from '@/spec'
import { fromLink, toInput } from './form-data'

const fields: Fields = {
  name: { type: 'string' },
  note: { type: 'string', required: false },
  tags: { type: 'array', items: { type: 'string' }, required: false },
  people: { type: 'array', items: { type: 'string' } },
  address: { type: 'object', required: false, properties: { city: { type: 'string', required: false } } },
}

describe('what a form gives', () => {
  it('leaves an emptied field out', () => {
    expect(toInput(fields, { name: 'Ada', note: undefined })).toEqual({ name: 'Ada' })
  })

  it('leaves an untouched optional list or group out, but keeps a required empty list', () => {
    expect(toInput(fields, { tags: [], people: [], address: { city: undefined } })).toEqual({ people: [] })
  })

  it('keeps the place of an emptied item of a list', () => {
    expect(toInput(fields, { people: ['Ada', undefined] })).toEqual({ people: ['Ada', null] })
  })

  it('keeps false, zero and the empty text', () => {
    expect(toInput({ a: { type: 'boolean' }, b: { type: 'number' }, c: { type: 'string' } }, { a: false, b: 0, c: '' })).toEqual({
      a: false,
      b: 0,
      c: '',
    })
  })

  it('does not lose members of free-form values', () => {
    expect(toInput({ any: { type: 'object' } }, { any: { x: { y: [] } } })).toEqual({ any: { x: { y: [] } } })
  })

  it('treats constructor as an ordinary name', () => {
    expect(toInput({ constructor: { type: 'string' } } as unknown as Fields, { constructor: 'x' })).toEqual({ constructor: 'x' })
  })
})

describe('a link fills in', () => {
  const plain: Fields = {
    amount: { type: 'number' },
    reason: { type: 'string' },
    sure: { type: 'boolean' },
    pin: { type: 'string', secret: true },
  }

  it('plain fields of the right type', () => {
    expect(fromLink(plain, { 'input.amount': '900', 'input.reason': 'Chairs', 'input.sure': 'true' })).toEqual({
      amount: 900,
      reason: 'Chairs',
      sure: true,
    })
  })

  it('nothing of a wrong type, unknown, repeated or secret', () => {
    expect(
      fromLink(plain, { 'input.amount': 'much', 'input.other': 'x', 'input.reason': ['a', 'b'], 'input.sure': 'yes', 'input.pin': '1' }),
    ).toEqual({})
  })
})
