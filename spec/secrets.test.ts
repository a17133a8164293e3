import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { fieldsToJsonSchema } from './json-schema'
import type { Json } from './json'
import { type Fields } from './schema'
import { HIDDEN, hideSecrets, secretFields, secretReferences, secretsOfSchema, secretValues } from './secrets'

const secret = <S extends z.ZodType>(schema: S) => schema.meta({ writeOnly: true })
const places = (schema: z.ZodType) => secretsOfSchema(JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))) as Json)

const fields: Fields = {
  plain: { type: 'string' },
  key: { type: 'string', secret: true },
  whole: { type: 'object', secret: true, properties: { a: { type: 'string' } } },
  account: { type: 'object', properties: { name: { type: 'string' }, pin: { type: 'integer', secret: true } } },
  logins: {
    type: 'array',
    items: { type: 'object', properties: { user: { type: 'string' }, password: { type: 'string', secret: true } } },
  },
  codes: { type: 'array', items: { type: 'string', secret: true } },
}
const input: Json = {
  plain: 'p',
  key: 'k',
  whole: { a: 'a', more: ['b', null] },
  account: { name: 'n', pin: 1234, undeclared: 'u' },
  logins: [{ user: 'x', password: 'y' }, { user: 'z' }],
  codes: ['c', 'd'],
}

describe('the secrets of an input', () => {
  test('are hidden at every depth, and nothing else is', () => {
    expect(hideSecrets(secretFields(fields), input)).toEqual({
      plain: 'p',
      key: HIDDEN,
      whole: HIDDEN,
      account: { name: 'n', pin: HIDDEN, undeclared: 'u' },
      logins: [{ user: 'x', password: HIDDEN }, { user: 'z' }],
      codes: [HIDDEN, HIDDEN],
    })
    expect(secretValues(secretFields(fields), input)).toEqual(['k', 'a', 'b', 1234, 'y', 'c', 'd'])
  })

  test('are where the JSON Schema of these fields says so', () => {
    expect(hideSecrets(secretsOfSchema(fieldsToJsonSchema(fields)), input)).toEqual(hideSecrets(secretFields(fields), input))
  })

  test('are none where none is declared', () => {
    expect(secretFields({ plain: { type: 'string' }, list: { type: 'array', items: { type: 'object' } } })).toBeNull()
    expect(places(z.object({ a: z.array(z.union([z.string(), z.object({ b: z.number() })])) }))).toBeNull()
  })
})

describe('the secrets that a tool declares', () => {
  type Node = { value: string; next?: Node | undefined }
  const node: z.ZodType<Node> = z.object({
    value: secret(z.string()),
    get next() {
      return node.optional()
    },
  }) as z.ZodType<Node>

  test.each<[string, z.ZodType, Json, Json]>([
    ['optional', z.object({ a: secret(z.string()).optional() }), { a: 'x' }, { a: HIDDEN }],
    ['with a default', z.object({ a: secret(z.string()).default('d') }), { a: 'x' }, { a: HIDDEN }],
    ['nullable', z.object({ a: secret(z.string()).nullable() }), { a: 'x' }, { a: HIDDEN }],
    ['one alternative of several', z.object({ a: z.union([z.number(), secret(z.string())]) }), { a: 'x' }, { a: HIDDEN }],
    [
      'a part of an intersection',
      z.intersection(z.object({ b: z.string() }), z.object({ a: secret(z.string()) })),
      { a: 'x' },
      { a: HIDDEN },
    ],
    ['in a record', z.object({ a: z.record(z.string(), secret(z.string())) }), { a: { b: 'x' } }, { a: { b: HIDDEN } }],
    ['in a tuple', z.object({ a: z.tuple([z.string(), secret(z.string())]) }), { a: ['x', 'y'] }, { a: ['x', HIDDEN] }],
    ['beside members that are not', z.object({ a: z.string() }).catchall(secret(z.string())), { a: 'x', b: 'y' }, { a: 'x', b: HIDDEN }],
    ['in a schema that holds itself', z.object({ a: node }), { a: { value: 'x' } }, { a: { value: HIDDEN } }],
  ])('%s', (_name, schema, given, shown) => {
    expect(hideSecrets(places(schema), given)).toEqual(shown)
  })
})

describe('a reference to a secret', () => {
  const tool = places(
    z.object({
      key: secret(z.string()),
      text: z.string(),
      login: z.object({ user: z.string(), password: secret(z.string()) }),
      logins: z.array(z.object({ user: z.string(), password: secret(z.string()) })),
      any: secret(z.unknown()),
      headers: z.record(z.string(), secret(z.string())),
    }),
  )
  test.each<[string, Json, boolean[]]>([
    ['is allowed where the tool declares it', { key: '${input.key}' }, [true]],
    ['is not allowed elsewhere', { text: '${input.key}' }, [false]],
    ['of which only a part is taken counts as a whole', { text: '${input.whole.a}', key: '${input.whole.a}' }, [false, true]],
    ['to what lies beside one is none', { text: '${input.account.name}' }, []],
    ['to an object that holds one: the secret lands in a secret place', { login: '${input.account}' }, [false]],
    ['within a list', { logins: '${input.logins}', login: '${input.logins.0}' }, [true, true]],
    ['to a list of them', { headers: { a: '${input.codes.0}' }, text: '${input.codes}' }, [true, false]],
    ['is allowed below what is secret as a whole', { any: { deep: ['${input.key}', '${input.logins}'] } }, [true, true]],
    ['is looked for in lists', { other: ['${input.key}'] }, [false]],
    ['to an input that is not secret is none', { text: '${input.plain}', key: '${input.plain}' }, []],
  ])('%s', (_name, value, allowed) => {
    expect(secretReferences(value, secretFields(fields), tool).map((found) => found.allowed)).toEqual(allowed)
  })
})
