import { equal, isObject, type Json, type JsonObject } from '../json'
import { nearest, type Path, shorten } from '../problems'
import { parseReference, type Reference } from '../references'
import { type Allowed, allowedBy, type Alternative, memberOf, property, requiredOf, typeOf, valuesOf } from './schemas'
import type { Warn } from './codes'

/** What a reference gives, where that is known. */
export type SourceOf = (reference: Reference) => Allowed | 'nowhere'

const WORDS = {
  null: 'null',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  string: 'a text',
  array: 'a list',
  object: 'an object',
} as const

const wordsOf = (allowed: readonly Alternative[]) => [...new Set(allowed.map(({ type }) => WORDS[type]))].join(' or ')

/** Checks values against what an object's schema asks of its members, and what is missing among them. */
export function fitMembers(members: JsonObject, { schema, root }: Alternative, path: Path, sourceOf: SourceOf, warn: Warn): void {
  const required = new Set(requiredOf(schema))
  const known = isObject(schema.properties) ? Object.keys(schema.properties) : []
  for (const name of required) {
    if (!Object.hasOwn(members, name)) warn('input_missing', [...path, name], `'${shorten(name)}' is required and not given`)
  }
  for (const [name, value] of Object.entries(members)) {
    const wanted = property(schema, name)
    if (wanted === false) warn('input_unknown', [...path, name], `there is no input '${shorten(name)}'`, nearest(name, known))
    // A null that is neither required nor allowed is dropped before the input is looked at.
    else if (value !== null || required.has(name)) fitValue(value, allowedBy(wanted, root), [...path, name], sourceOf, warn)
  }
}

function fitValue(value: Json, wanted: Allowed, path: Path, sourceOf: SourceOf, warn: Warn): void {
  if (wanted === null || wanted.length === 0) return
  const reference = typeof value === 'string' ? parseReference(value) : null
  if (reference !== null) {
    const given = sourceOf(reference)
    if (given === 'nowhere' || mayFit(given, wanted)) return
    warn('input_mismatch', path, `'${shorten(String(value))}' never fits here: ${misfit(given ?? [], wanted)}`)
    return
  }
  const type = typeOf(value)
  const candidates = wanted.filter((one) => one.type === type || (one.type === 'number' && type === 'integer'))
  if (candidates.length === 0) return warn('input_mismatch', path, `must be ${wordsOf(wanted)}, not ${WORDS[type]}`)
  const complaints = candidates.map((candidate) => complaintsOf(value, candidate, path, sourceOf))
  const [first = []] = complaints
  if (complaints.some((list) => list.length === 0)) return
  if (complaints.length > 1) return warn('input_mismatch', path, 'fits none of the forms that are allowed here')
  for (const complaint of first) warn(...complaint)
}

function complaintsOf(value: Json, wanted: Alternative, path: Path, sourceOf: SourceOf): Parameters<Warn>[] {
  const complaints: Parameters<Warn>[] = []
  const warn: Warn = (...complaint) => complaints.push(complaint)
  const { schema, root } = wanted
  const refuse = (message: string) => warn('input_mismatch', path, message)
  if (isObject(value)) fitMembers(value, wanted, path, sourceOf, warn)
  else if (Array.isArray(value)) {
    const inner = schema.prefixItems === undefined ? allowedBy(schema.items, root) : null
    value.forEach((item, i) => fitValue(item, inner, [...path, i], sourceOf, warn))
  } else {
    const values = valuesOf(schema)
    const listed = values?.map((one) => JSON.stringify(one)).join(', ') ?? ''
    if (values !== null && !values.some((one) => equal(one, value))) refuse(`must be one of ${shorten(listed)}`)
    else if (typeof value === 'number') boundsComplaint(value, schema, refuse)
    else if (value === '' && typeof schema.minLength === 'number' && schema.minLength > 0) refuse('must not be empty')
  }
  return complaints
}

function boundsComplaint(value: number, schema: JsonObject, refuse: (message: string) => void): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (typeof minimum === 'number' && value < minimum) refuse(`must be at least ${minimum}`)
  else if (typeof maximum === 'number' && value > maximum) refuse(`must be at most ${maximum}`)
  else if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) refuse(`must be more than ${exclusiveMinimum}`)
  else if (typeof exclusiveMaximum === 'number' && value >= exclusiveMaximum) refuse(`must be less than ${exclusiveMaximum}`)
}

/** Why nothing that is given can be what is wanted. */
function misfit(given: readonly Alternative[], wanted: readonly Alternative[]): string {
  const [is, must] = [wordsOf(given), wordsOf(wanted)]
  return is === must ? `it is ${is} of another form` : `it is ${is}, and must be ${must}`
}

/** Whether something other than null that `given` allows may be allowed by `wanted`, as far as that can be told. */
function mayFit(given: Allowed, wanted: Allowed, depth = 0): boolean {
  if (given === null || wanted === null || depth > 6) return true
  const [values, places] = [given, wanted].map((allowed) => allowed.filter(({ type }) => type !== 'null'))
  if (!values?.length || !places?.length) return true
  return values.some((value) => places.some((place) => pairFits(value, place, depth)))
}

function pairFits(given: Alternative, wanted: Alternative, depth: number): boolean {
  const numbers = new Set(['integer', 'number'])
  if (given.type !== wanted.type && !(numbers.has(given.type) && numbers.has(wanted.type))) return false
  const [values, allowed] = [valuesOf(given.schema), valuesOf(wanted.schema)]
  if (values !== null && allowed !== null && !values.some((value) => allowed.some((one) => equal(one, value)))) return false
  if (given.type === 'array') {
    const [items, places] = [given, wanted].map(({ schema, root }) =>
      schema.prefixItems === undefined ? allowedBy(schema.items, root) : null,
    )
    return mayFit(items ?? null, places ?? null, depth + 1)
  }
  return given.type !== 'object' || objectsFit(given, wanted, depth)
}

function objectsFit(given: Alternative, wanted: Alternative, depth: number): boolean {
  if (requiredOf(given.schema).some((name) => property(wanted.schema, name) === false)) return false
  const must = new Set(requiredOf(wanted.schema))
  const names = new Set([...must, ...(isObject(wanted.schema.properties) ? Object.keys(wanted.schema.properties) : [])])
  return [...names].every((name) => {
    const inner = memberOf([given], name)
    if (inner === 'nowhere') return !must.has(name)
    return mayFit(inner, allowedBy(property(wanted.schema, name), wanted.root), depth + 1)
  })
}
