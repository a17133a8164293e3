import { describe, expect, it } from 'vitest'
import { checkInput, type Field, type Fields, fieldsToJsonSchema, type Json } from '.'

const given = (fields: Fields, value: unknown) => {
  const result = checkInput(fields, value)
  return result.ok ? result.value : result.problems.map(({ code, path }) => `${code} ${path}`)
}
const accepts = (field: Partial<Field>, value: Json) => checkInput({ x: { type: 'string', ...field } }, { x: value }).ok

describe('checkInput', () => {
  const fields: Fields = {
    amount: { type: 'number', minimum: 0 },
    note: { type: 'string', required: false },
    currency: { type: 'string', default: 'EUR', enum: ['EUR', 'USD'] },
  }

  it('takes null as absent, then the default, else refuses what is required and leaves out the rest', () => {
    expect(given(fields, { amount: 1, note: null, currency: null })).toEqual({ amount: 1, currency: 'EUR' })
    expect(given(fields, { amount: null })).toEqual(['input_missing /amount'])
    expect(given(fields, undefined)).toEqual(['input_missing /amount'])
    expect(given({}, null)).toEqual({})
  })

  it('refuses unknown inputs and reports everything at once', () => {
    expect(given(fields, { amout: 1, note: 1, currency: 'GBP' })).toEqual([
      'input_unknown /amout',
      'input_missing /amount',
      'input_invalid /note',
      'input_invalid /currency',
    ])
    expect(given(fields, JSON.parse('{"amount":1,"__proto__":{}}'))).toEqual(['input_unknown /__proto__'])
    expect(given(Object.fromEntries([['constructor', { type: 'string' }]]), {})).toEqual(['input_missing /constructor'])
  })

  it('refuses what is not an object or not JSON', () => {
    for (const value of [1, 'x', [], true]) expect(given(fields, value)).toEqual(['input_invalid '])
    expect(given(fields, { amount: Number.NaN })).toEqual(['not_json /amount'])
    expect(given(fields, { amount: 1n })).toEqual(['not_json /amount'])
  })

  it('fills in defaults inside objects, keeps undeclared members, and names the place inside', () => {
    const person: Fields = {
      person: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          role: { type: 'string', default: 'member' },
          tags: { type: 'array', required: false, items: { type: 'string' } },
        },
      },
    }
    expect(given(person, { person: { name: 'Mia', more: { a: null } } })).toEqual({
      person: { name: 'Mia', role: 'member', more: { a: null } },
    })
    expect(given(person, { person: { tags: ['a', 1, null] } })).toEqual([
      'input_missing /person/name',
      'input_invalid /person/tags/1',
      'input_invalid /person/tags/2',
    ])
  })

  it('returns a copy that shares nothing with what was given', () => {
    const list = [1]
    const result = checkInput({ list: { type: 'array' } }, { list })
    list.push(2)
    expect(result).toEqual({ ok: true, value: { list: [1] } })
  })

  it.each<[Partial<Field>, Json, boolean]>([
    [{ type: 'string' }, 1, false],
    [{ type: 'string' }, '', true],
    [{ type: 'number' }, '1', false],
    [{ type: 'number' }, 1.5, true],
    [{ type: 'integer' }, 1, true],
    [{ type: 'integer' }, 1e20, true],
    [{ type: 'integer' }, 1.5, false],
    [{ type: 'boolean' }, 'true', false],
    [{ type: 'boolean' }, false, true],
    [{ type: 'array' }, {}, false],
    [{ type: 'object' }, [], false],
    [{ type: 'number', minimum: 1, maximum: 2 }, 2, true],
    [{ type: 'number', minimum: 1, maximum: 2 }, 2.1, false],
    [{ type: 'number', minimum: 1 }, 0.9, false],
    [{ max_length: 2 }, '🦊🦊', true],
    [{ max_length: 1 }, '🦊🦊', false],
    [{ min_length: 2 }, '🦊', false],
    [{ type: 'array', enum: [[1, { a: 1, b: 2 }]] }, [1, { b: 2, a: 1 }], true],
    [{ enum: ['a'] }, 'A', false],
    [{ format: 'multiline' }, 'a\nb', true],
    [{ format: 'email' }, 'mia@example.com', true],
    [{ format: 'email' }, 'mia@example..com', false],
    [{ format: 'email' }, 'mia smith@example.com', false],
    [{ format: 'email' }, '@example.com', false],
    [{ format: 'uri' }, 'https://example.com/a?b=%20#c', true],
    [{ format: 'uri' }, 'mailto:mia@example.com', true],
    [{ format: 'uri' }, '/a', false],
    [{ format: 'uri' }, 'https://example.com/%2', false],
    [{ format: 'date' }, '2024-02-29', true],
    [{ format: 'date' }, '2023-02-29', false],
    [{ format: 'date' }, '2000-02-29', true],
    [{ format: 'date' }, '1900-02-29', false],
    [{ format: 'date' }, '2023-00-10', false],
    [{ format: 'date' }, '2023-1-1', false],
    [{ format: 'date-time' }, '2024-02-29T23:59:59.5+02:00', true],
    [{ format: 'date-time' }, '2024-02-29t00:00:00z', true],
    [{ format: 'date-time' }, '2024-02-29T24:00:00Z', false],
    [{ format: 'date-time' }, '2024-02-29T12:00:00', false],
    [{ format: 'date-time' }, '2024-02-30T12:00:00Z', false],
  ])('%j with %j: %s', (field, value, expected) => {
    expect(accepts(field, value)).toBe(expected)
  })

  it('holds the depth limit for values too', () => {
    let deep: Json = 1
    for (let i = 0; i < 16; i++) deep = [deep]
    expect(accepts({ type: 'array' }, deep)).toBe(true)
    expect(given({ x: { type: 'array' } }, { x: [deep] })).toEqual(['too_deep /x'])
  })
})

describe('fieldsToJsonSchema', () => {
  it('says everything a form needs, in the order of the fields', () => {
    const schema = fieldsToJsonSchema({
      amount: { type: 'number', title: 'Amount', description: 'in EUR', minimum: 0, maximum: 10 },
      reason: { type: 'string', format: 'multiline', min_length: 1, max_length: 9 },
      kind: { type: 'string', enum: ['a', 'b'], default: 'a' },
      note: { type: 'string', required: false },
      key: { type: 'string', secret: true },
      people: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } } } },
    })
    expect(schema).toEqual({
      type: 'object',
      properties: {
        amount: { type: 'number', title: 'Amount', description: 'in EUR', minimum: 0, maximum: 10 },
        reason: { type: 'string', format: 'multiline', minLength: 1, maxLength: 9 },
        kind: { type: 'string', default: 'a', enum: ['a', 'b'] },
        note: { type: 'string' },
        key: { type: 'string', writeOnly: true },
        people: { type: 'array', items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
      },
      required: ['amount', 'reason', 'key', 'people'],
      additionalProperties: false,
    })
    expect(Object.keys(schema.properties as object)).toEqual(['amount', 'reason', 'kind', 'note', 'key', 'people'])
  })
})
