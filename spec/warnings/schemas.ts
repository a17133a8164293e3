import { isObject, type Json, type JsonObject, member } from '../json'
import { segments } from '../problems'

type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'
const TYPES = new Set<unknown>(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'])

/** One thing that a JSON Schema allows: a type, with the keywords that belong to it. `root` is where its references start. */
export interface Alternative {
  type: JsonType
  schema: JsonObject
  root: Json
}

/** What a JSON Schema allows, or null where that cannot be told: then nothing is said, for a false alarm is worse than none. */
export type Allowed = readonly Alternative[] | null

/** Keywords that constrain in ways that are not followed here. */
const BEYOND = ['allOf', 'not', 'if', 'then', 'else', '$dynamicRef', 'dependentSchemas', 'unevaluatedProperties', 'contains']
/** Keywords that beside `$ref`, `anyOf` or `oneOf` would constrain further. */
const CONSTRAINING = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'oneOf', '$ref']
const DEEPEST = 12

/** What a schema allows, as a list of alternatives. */
export function allowedBy(schema: Json | undefined, root: Json, depth = 0): Allowed {
  if (!isObject(schema) || depth > DEEPEST || BEYOND.some((keyword) => Object.hasOwn(schema, keyword))) return null
  const union = schema.anyOf ?? schema.oneOf
  if (schema.$ref !== undefined || union !== undefined) {
    if (CONSTRAINING.filter((keyword) => Object.hasOwn(schema, keyword)).length > 1) return null
    if (schema.$ref !== undefined) return allowedBy(target(schema.$ref, root), root, depth + 1)
    if (!Array.isArray(union)) return null
    const each = union.map((option) => allowedBy(option, root, depth + 1))
    return each.includes(null) ? null : (each as Alternative[][]).flat()
  }
  const types = Array.isArray(schema.type) ? schema.type : schema.type === undefined ? typesOfValues(schema) : [schema.type]
  if (types === null || !types.every((type): type is JsonType => TYPES.has(type))) return null
  return types.map((type) => ({ type, schema, root }))
}

/** Where a `$ref` within the same schema leads. */
export function target(ref: Json, root: Json): Json | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#') || ref.includes('%')) return undefined
  let at: Json | undefined = root
  for (const segment of segments(ref.slice(1))) at = isObject(at) ? member(at, segment) : undefined
  return at
}

function typesOfValues(schema: JsonObject): JsonType[] | null {
  const values = valuesOf(schema)
  return values === null ? null : [...new Set(values.map(typeOf))]
}

/** The values that a schema lists, or null where it lists none. */
export function valuesOf(schema: JsonObject): readonly Json[] | null {
  if (schema.const !== undefined) return [schema.const]
  return Array.isArray(schema.enum) ? schema.enum : null
}

export function typeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value as 'boolean' | 'string' | 'object'
}

/** What stands at one segment of a path into a value; 'nowhere' where nothing ever does. */
export function memberOf(allowed: Allowed, segment: string): Allowed | 'nowhere' {
  if (allowed === null || allowed.length === 0) return null
  const found: Alternative[] = []
  let anywhere = false
  for (const { type, schema, root } of allowed) {
    const inner = type === 'object' ? property(schema, segment) : type === 'array' ? itemAt(schema, segment) : false
    if (inner === false) continue
    const alternatives = allowedBy(inner, root)
    if (alternatives === null) return null
    anywhere = true
    found.push(...alternatives)
  }
  return anywhere ? found : 'nowhere'
}

/** The same for a whole path. */
export function along(allowed: Allowed, path: readonly string[]): Allowed | 'nowhere' {
  let at: Allowed | 'nowhere' = allowed
  for (const segment of path) {
    if (at === 'nowhere') break
    at = memberOf(at, segment)
  }
  return at
}

/** The schema of a property: false where there cannot be one, true where nothing is said of it. */
export function property(schema: JsonObject, name: string): Json {
  const own = isObject(schema.properties) ? member(schema.properties, name) : undefined
  if (own !== undefined) return own
  return schema.patternProperties === undefined ? (schema.additionalProperties ?? true) : true
}

function itemAt(schema: JsonObject, segment: string): Json {
  if (!/^(0|[1-9][0-9]*)$/.test(segment)) return false
  const own = Array.isArray(schema.prefixItems) ? schema.prefixItems[Number(segment)] : undefined
  return own ?? schema.items ?? true
}

/** The names that an object must have. */
export function requiredOf(schema: JsonObject): string[] {
  return Array.isArray(schema.required) ? schema.required.filter((name) => typeof name === 'string') : []
}
