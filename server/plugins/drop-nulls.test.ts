import { expect, test } from 'vitest'
import { z } from 'zod'
import { dropNulls } from './drop-nulls'

const schema = z.object({
  required: z.string(),
  nullable: z.string().nullable(),
  optional: z.string().optional(),
  defaulted: z.number().default(1),
  nullish: z.string().nullish(),
  any: z.unknown(),
  inner: z.object({ optional: z.string().optional(), required: z.string() }).optional(),
  list: z.array(z.object({ optional: z.string().optional() })).default([]),
})

test('a null is dropped only where the schema neither requires nor allows it', () => {
  const input = { required: null, nullable: null, optional: null, defaulted: null, nullish: null, any: null }
  expect(dropNulls(schema, input)).toEqual({ required: null, nullable: null, nullish: null, any: null })
})

test('nulls in declared objects and lists are dropped too, but not members of a list', () => {
  const input = { inner: { optional: null, required: null }, list: [{ optional: null }, null] }
  expect(dropNulls(schema, input)).toEqual({ inner: { required: null }, list: [{}, null] })
})

test('values other than null stay, and so does their order', () => {
  const input = { optional: '', defaulted: 0, b: 1, a: [null] }
  expect(JSON.stringify(dropNulls(schema, input))).toBe(JSON.stringify(input))
})

test('a name that only the prototype has is not declared', () => {
  expect(dropNulls(schema.strict(), { constructor: null, toString: null })).toEqual({})
  expect(dropNulls(z.looseObject({}), { extra: null })).toEqual({ extra: null })
})
