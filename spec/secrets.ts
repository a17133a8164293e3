import { isObject, type Json } from './json'
import type { Path } from './problems'
import { parseReference, type Reference } from './references'
import type { Field, Fields } from './schema'
import { target } from './warnings/schemas'

/** What is shown, and stored beside the sealed value, where a secret stands. */
export const HIDDEN = '•••'

/**
 * Where a value holds secrets: true is all of it; else which of its members, and what holds for every other member or item. None is null.
 * Made of the fields of an input, or of the JSON Schema of what a tool takes.
 */
export type SecretPlaces = true | { members: ReadonlyMap<string, SecretPlaces | null>; rest: SecretPlaces | null }

/** The secrets that these fields declare, at any depth. */
export function secretFields(fields: Fields): SecretPlaces | null {
  return placesOf(Object.entries(fields).map(([name, field]) => [name, ofField(field)]))
}

function ofField(field: Field): SecretPlaces | null {
  if (field.secret === true) return true
  return field.type === 'array' ? placesOf([], field.items ? ofField(field.items) : null) : secretFields(field.properties ?? {})
}

/**
 * The secrets that a JSON Schema declares: what is `writeOnly`. One alternative of several is enough. References within the schema are
 * followed, except where they come back to themselves: below that nothing counts as declared, so no secret goes there.
 */
export function secretsOfSchema(schema: Json): SecretPlaces | null {
  return ofSchema(schema, schema, [])
}

const ALTERNATIVES = ['anyOf', 'oneOf', 'allOf'] as const

function ofSchema(schema: Json | undefined, root: Json, above: readonly Json[]): SecretPlaces | null {
  if (!isObject(schema) || above.includes(schema)) return null
  if (schema.writeOnly === true) return true
  const below = [...above, schema]
  const inner = (one: Json | undefined) => ofSchema(one, root, below)
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems.map((one, i): [string, Json] => [String(i), one]) : []
  const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : []
  const rest = [schema.items, schema.additionalProperties, ...patterns].map(inner).reduce(either, null)
  const own = placesOf(
    [...properties, ...tuple].map(([name, one]) => [name, inner(one)]),
    rest,
  )
  const alternatives = ALTERNATIVES.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : []))
  return [...alternatives.map(inner), inner(target(schema.$ref ?? null, root))].reduce(either, own)
}

function placesOf(members: [string, SecretPlaces | null][], rest: SecretPlaces | null = null): SecretPlaces | null {
  const said = members.filter(([, places]) => places !== null || rest !== null)
  return said.length === 0 && rest === null ? null : { members: new Map(said), rest }
}

function either(a: SecretPlaces | null, b: SecretPlaces | null): SecretPlaces | null {
  if (a === null || b === null || a === true || b === true) return a === true || b === true ? true : (a ?? b)
  const names = new Set([...a.members.keys(), ...b.members.keys()])
  return placesOf(
    [...names].map((name) => [name, either(secretsAt(a, name), secretsAt(b, name))]),
    either(a.rest, b.rest),
  )
}

/** What of the places lies in this member, or item. */
export function secretsAt(places: SecretPlaces | null, name: string): SecretPlaces | null {
  if (places === null || places === true) return places
  return places.members.has(name) ? (places.members.get(name) ?? null) : places.rest
}

/** The value with `HIDDEN` in its secret places. What is null stays null: that nothing was given is no secret. */
export function hideSecrets(places: SecretPlaces | null, value: Json): Json {
  if (places === null || value === null) return value
  if (places === true) return HIDDEN
  if (Array.isArray(value)) return value.map((item, i) => hideSecrets(secretsAt(places, String(i)), item))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hideSecrets(secretsAt(places, name), inner)]))
}

/** The texts and numbers that stand in a value's secret places. */
export function secretValues(places: SecretPlaces | null, value: Json): (string | number)[] {
  if (places === null) return []
  if (typeof value === 'string' || typeof value === 'number') return places === true ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item, i) => secretValues(secretsAt(places, String(i)), item))
  return isObject(value) ? Object.entries(value).flatMap(([name, inner]) => secretValues(secretsAt(places, name), inner)) : []
}

/** The references of a value to secrets among the inputs (`inputs`), each with where it stands and whether a secret may stand there (`places`). */
export function secretReferences(
  value: Json,
  inputs: SecretPlaces | null,
  places: SecretPlaces | null,
  path: Path = [],
): { reference: Reference & { root: 'input' }; path: Path; allowed: boolean }[] {
  if (inputs === null) return []
  if (Array.isArray(value)) return value.flatMap((item, i) => secretReferences(item, inputs, secretsAt(places, String(i)), [...path, i]))
  if (isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => secretReferences(inner, inputs, secretsAt(places, name), [...path, name]))
  const reference = typeof value === 'string' ? parseReference(value) : null
  if (reference?.root !== 'input') return []
  const secret = [reference.name, ...reference.path].reduce(secretsAt, inputs)
  return secret === null ? [] : [{ reference, path, allowed: covers(places, secret) }]
}

/** Whether every place in `wanted` is one in `places`. */
function covers(places: SecretPlaces | null, wanted: SecretPlaces | null): boolean {
  if (wanted === null || places === true) return true
  if (places === null || wanted === true) return false
  const names = new Set([...wanted.members.keys(), ...places.members.keys()])
  return [...names].every((name) => covers(secretsAt(places, name), secretsAt(wanted, name))) && covers(places.rest, wanted.rest)
}
