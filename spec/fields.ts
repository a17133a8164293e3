import { FORMAT_WORDS, hasFormat } from './formats'
import { depthOf, equal, isObject, type Json, type JsonObject, member } from './json'
import { nearest, type Path, pointer, type Problem, type ProblemCode, shorten } from './problems'
import { type Field, type Fields, LIMITS } from './schema'
import { jsonText } from './serialize'

export type InputResult = { ok: true; value: Record<string, Json> } | { ok: false; problems: Problem[] }

/** As the person says it who fills in a form. */
const TYPE_WORDS: Record<Field['type'], string> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no (true or false)',
  array: 'a list',
  object: 'a group of values (an object)',
}

type Complain = (code: ProblemCode, path: Path, message: string, hint?: string) => void

/**
 * Checks what a run is started with, or the values of an approval's form: null equals absent; then the default, else a
 * problem if required, else left out. No coercion. Paths are JSON Pointers into `given`; an absent whole is `{}`.
 */
export function checkInput(fields: Fields, given: unknown): InputResult {
  const problems: Problem[] = []
  const complain: Complain = (code, path, message, hint) =>
    problems.push({ code, path: pointer(path), message, ...(hint === undefined ? {} : { hint }) })
  const json = jsonText(given ?? {})
  if (!json.ok) {
    complain(json.code, json.path, json.message)
    return { ok: false, problems }
  }
  const values = JSON.parse(json.text) as Json
  if (!isObject(values)) {
    complain('input_invalid', [], 'must be an object')
    return { ok: false, problems }
  }
  for (const name of Object.keys(values)) {
    if (!Object.hasOwn(fields, name)) {
      complain('input_unknown', [name], `there is no input '${shorten(name)}'`, nearest(name, Object.keys(fields)))
    }
  }
  const value = membersOf(fields, values, [], complain)
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems }
}

/** Checks one value against its field, and returns it with the defaults of its members filled in. */
export function checkValue(field: Field, value: Json, path: Path, complain: Complain): Json {
  const refuse = (message: string) => complain('input_invalid', path, message)
  if (!hasType(field.type, value)) {
    refuse(`must be ${TYPE_WORDS[field.type]}`)
    return value
  }
  if (depthOf(value, LIMITS.valueDepth) > LIMITS.valueDepth) {
    complain('too_deep', path, `a value is nested at most ${LIMITS.valueDepth} levels deep`)
    return value
  }
  if (field.enum !== undefined && !field.enum.some((allowed) => equal(allowed, value))) {
    refuse(`must be one of ${shorten(field.enum.map((allowed) => JSON.stringify(allowed)).join(', '))}`)
  }
  if (typeof value === 'string') checkString(field, value, refuse)
  if (typeof value === 'number') {
    if (field.minimum !== undefined && value < field.minimum) refuse(`must be at least ${field.minimum}`)
    if (field.maximum !== undefined && value > field.maximum) refuse(`must be at most ${field.maximum}`)
  }
  const { items } = field
  if (Array.isArray(value) && items !== undefined) return value.map((item, i) => checkValue(items, item, [...path, i], complain))
  if (isObject(value)) return membersOf(field.properties ?? {}, value, path, complain)
  return value
}

function checkString(field: Field, value: string, refuse: (message: string) => void): void {
  if (field.min_length !== undefined || field.max_length !== undefined) {
    const length = codePoints(value)
    if (field.min_length !== undefined && length < field.min_length) refuse(`must have at least ${field.min_length} characters`)
    if (field.max_length !== undefined && length > field.max_length) refuse(`must have at most ${field.max_length} characters`)
  }
  if (field.format !== undefined && !hasFormat(field.format, value)) refuse(`must be ${FORMAT_WORDS[field.format]}`)
}

/** Declared members in declared order, then undeclared ones as they are. At the top undeclared ones were refused before. */
function membersOf(fields: Fields, values: JsonObject, path: Path, complain: Complain): JsonObject {
  const members: [string, Json][] = []
  for (const [name, field] of Object.entries(fields)) {
    const given = member(values, name) ?? field.default ?? null
    if (given !== null) members.push([name, checkValue(field, given, [...path, name], complain)])
    else if (field.required ?? true) complain('input_missing', [...path, name], `'${name}' is required`)
  }
  for (const [name, value] of Object.entries(values)) if (!Object.hasOwn(fields, name)) members.push([name, value])
  return Object.fromEntries(members)
}

function hasType(type: Field['type'], value: Json): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function codePoints(text: string): number {
  let count = 0
  for (let i = 0; i < text.length; i += (text.codePointAt(i) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}
