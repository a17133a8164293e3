import { equal, isObject, type Json, type JsonObject } from '../json'

/**
 * The paths of a value that do not satisfy a JSON Schema (2020-12), each with the keyword that says so; [] when it is valid.
 * Knows the keywords that our schema uses and throws on any other, so that nothing passes unread.
 */
export function violations(schema: Json, value: Json, root: Json = schema, path = ''): string[] {
  if (schema === true) return []
  if (schema === false) return [`${path} false`]
  if (!isObject(schema)) throw new Error('a schema is an object or a boolean')
  return Object.entries(schema).flatMap(([keyword, rule]) => {
    if (SILENT.has(keyword)) return []
    const check = KEYWORDS[keyword]
    if (check === undefined) throw new Error(`unknown keyword '${keyword}'`)
    const at = { schema, value, root, path }
    const found = check(rule, at)
    return typeof found === 'boolean' ? (found ? [] : [`${path} ${keyword}`]) : found
  })
}

interface At {
  schema: JsonObject
  value: Json
  root: Json
  path: string
}
type Keyword = (rule: Json, at: At) => boolean | string[]

/** Annotations, and what another keyword reads. */
const SILENT = new Set(['$schema', 'title', 'default', '$defs', 'then', 'else'])
const holds = (schema: Json, { value, root }: At) => violations(schema, value, root).length === 0
const list = (rule: Json) => (Array.isArray(rule) ? rule : [])
const inner = (schema: Json, value: Json, { root, path }: At, key: string | number) => violations(schema, value, root, `${path}/${key}`)
const number = (of: (value: number, rule: number) => boolean): Keyword => {
  return (rule, { value }) => typeof value !== 'number' || of(value, Number(rule))
}
const size = (of: (value: number, rule: number) => boolean, measure: (value: Json) => number | null): Keyword => {
  return (rule, { value }) => {
    const measured = measure(value)
    return measured === null || of(measured, Number(rule))
  }
}
const items = (value: Json) => (Array.isArray(value) ? value.length : null)
const members = (value: Json) => (isObject(value) ? Object.keys(value).length : null)
const own = (object: Json | undefined, key: string) => (isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined)

function isOfType(type: Json, value: Json): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const KEYWORDS: Record<string, Keyword> = {
  $ref: (rule, { value, root, path }) => {
    const target = own(own(root, '$defs'), String(rule).replace('#/$defs/', ''))
    if (target === undefined) throw new Error(`no definition '${String(rule)}'`)
    return violations(target, value, root, path)
  },
  type: (rule, { value }) => (Array.isArray(rule) ? rule : [rule]).some((type) => isOfType(type, value)),
  const: (rule, { value }) => equal(rule, value),
  enum: (rule, { value }) => list(rule).some((allowed) => equal(allowed, value)),
  pattern: (rule, { value }) => typeof value !== 'string' || new RegExp(String(rule), 'u').test(value),
  minimum: number((value, rule) => value >= rule),
  maximum: number((value, rule) => value <= rule),
  exclusiveMinimum: number((value, rule) => value > rule),
  minItems: size((value, rule) => value >= rule, items),
  maxItems: size((value, rule) => value <= rule, items),
  maxProperties: size((value, rule) => value <= rule, members),
  uniqueItems: (rule, { value }) =>
    rule !== true || !Array.isArray(value) || !value.some((item, i) => value.slice(0, i).some((before) => equal(item, before))),
  items: (rule, at) => (Array.isArray(at.value) ? at.value.flatMap((item, i) => inner(rule, item, at, i)) : []),
  required: (rule, { value, path }) =>
    isObject(value) ? list(rule).flatMap((name) => (Object.hasOwn(value, String(name)) ? [] : [`${path}/${String(name)} required`])) : [],
  properties: (rule, at) =>
    Object.entries(isObject(rule) ? rule : {}).flatMap(([name, schema]) => {
      const value = own(at.value, name)
      return value === undefined ? [] : inner(schema, value, at, name)
    }),
  additionalProperties: (rule, at) =>
    Object.entries(isObject(at.value) ? at.value : {}).flatMap(([name, value]) =>
      own(at.schema.properties, name) === undefined ? inner(rule, value, at, name) : [],
    ),
  propertyNames: (rule, at) => Object.keys(isObject(at.value) ? at.value : {}).flatMap((name) => inner(rule, name, at, name)),
  allOf: (rule, { value, root, path }) => list(rule).flatMap((schema) => violations(schema, value, root, path)),
  anyOf: (rule, at) => list(rule).some((schema) => holds(schema, at)),
  not: (rule, at) => !holds(rule, at),
  if: (rule, at) => violations((holds(rule, at) ? at.schema.then : at.schema.else) ?? true, at.value, at.root, at.path),
}
