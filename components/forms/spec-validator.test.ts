import { describe, expect, it } from 'vitest'
import type { Fields } from '@/spec'
import { errorsByField, specValidator } from './spec-validator'

const fields: Fields = {
  amount: { type: 'number', minimum: 0 },
  note: { type: 'string', required: false },
  lines: { type: 'array', required: false, items: { type: 'object', properties: { text: { type: 'string', min_length: 2 } } } },
}

describe('a form is checked by the rules of the spec', () => {
  const validator = specValidator(fields)

  it('accepts what a run may be started with', () => {
    expect(validator.validateFormData({ amount: 3, note: undefined }, {})).toEqual({ errors: [], errorSchema: {} })
  })

  it('puts each problem beside its field, in a sentence', () => {
    const { errorSchema, errors } = validator.validateFormData({ amount: -1, lines: [{ text: 'ok' }, { text: 'x' }] }, {})
    expect(errorSchema).toEqual({
      amount: { __errors: ['Must be at least 0.'] },
      lines: { 1: { text: { __errors: ['Must have at least 2 characters.'] } } },
    })
    expect(errors.map((error) => error.property)).toEqual(['.amount', '.lines.1.text'])
  })

  it('asks for what is missing in plain words', () => {
    expect(validator.validateFormData({ amount: undefined }, {}).errorSchema).toEqual({ amount: { __errors: ['Please fill this in.'] } })
  })
})

describe("the server's problems", () => {
  it('find their field by JSON Pointer, escapes included', () => {
    expect(errorsByField([{ code: 'input_invalid', path: '/a~1b/c~0d', message: 'must be a string' }])).toEqual({
      'a/b': { 'c~d': { __errors: ['Must be a string.'] } },
    })
  })

  it('stand at the whole form when they are about the whole input', () => {
    expect(errorsByField([{ code: 'input_invalid', path: '', message: 'must be an object' }])).toEqual({ __errors: ['Must be an object.'] })
  })
})
