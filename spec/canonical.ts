import { DOCUMENT, type WorkflowSpec } from './document'
import { emissionOrder, splitEntry } from './graph'
import { isObject, type Json, type JsonObject, member } from './json'
import { dependentDefaults, type Step } from './kinds'
import { type ObjectShape, type Shape, shapeOf } from './shape'

/**
 * The canonical text of a valid document: one text for all ways to write the same workflow. Its hash identifies a version,
 * and people read it as a diff, so format fields and steps come in the order of the format and defaults are dropped.
 */
export function canonicalText(spec: WorkflowSpec): string {
  return write(shapeOf(DOCUMENT), { ...spec, steps: inOrder(spec.steps) } as unknown as Json)
}

/** Any JSON with its keys sorted by UTF-16 unit, without white space, as `JSON.stringify` writes strings and numbers. */
function sortedText(value: Json): string {
  if (Array.isArray(value)) return list(value, sortedText)
  // Not an object with sorted keys given to JSON.stringify: it would move keys that look like numbers to the front.
  return isObject(value) ? members(Object.keys(value).sort(), value, sortedText) : scalar(value)
}

/** Nothing in it has to be escaped. */
const PLAIN = /^[ !#-[\]-\uD7FF\uE000-\uFFFF]*$/

/** As `JSON.stringify` writes it, which costs more than to look whether there is anything to do. */
function scalar(value: Json): string {
  return typeof value === 'string' && PLAIN.test(value) ? `"${value}"` : JSON.stringify(value)
}

function list(values: readonly Json[], write: (value: Json) => string): string {
  let text = ''
  for (const value of values) text += text === '' ? write(value) : `,${write(value)}`
  return `[${text}]`
}

function members(keys: readonly string[], values: JsonObject, write: (value: Json) => string): string {
  let text = ''
  for (const key of keys) text += `${text === '' ? '' : ','}${scalar(key)}:${write(values[key] ?? null)}`
  return `{${text}}`
}

function inOrder(steps: readonly Step[]): Step[] {
  const index = new Map(steps.map((step, i) => [step.id, i]))
  const order = emissionOrder(steps.map((step) => step.after.map((entry) => index.get(splitEntry(entry).id) ?? -1)))
  return order.flatMap((i) => steps[i] ?? [])
}

function write(shape: Shape, value: Json): string {
  switch (shape.type) {
    case 'value':
    case 'data':
      return sortedText(value)
    case 'leaf':
      return scalar(value)
    case 'list':
      return Array.isArray(value) ? list(value, (item) => write(shape.of, item)) : sortedText(value)
    case 'map': {
      if (!isObject(value)) return sortedText(value)
      const keys = shape.sorted ? Object.keys(value).sort() : Object.keys(value)
      return members(keys, value, (inner) => write(shape.of, inner))
    }
    case 'byUses': {
      const uses = isObject(value) && typeof value.uses === 'string' ? value.uses : ''
      const option = shape.options.get(uses.split(':', 1)[0] ?? '')
      return option === undefined ? sortedText(value) : writeObject(option, value)
    }
    case 'object':
      return writeObject(shape, value)
  }
}

function writeObject(shape: ObjectShape, value: Json): string {
  if (!isObject(value)) return sortedText(value)
  // Only a step has an `after`.
  const dependent = Object.hasOwn(value, 'after') ? dependentDefaults(value as unknown as Step) : {}
  let text = ''
  for (const [name, field] of shape.fields) {
    const given = member(value, name)
    if (given === undefined) continue
    const written = write(field.shape, given)
    const usual = member(dependent, name) ?? field.default
    if (usual === undefined || written !== usualText(field.shape, usual)) text += `${text === '' ? '' : ','}"${name}":${written}`
  }
  return `{${text}}`
}

const usualTexts = new WeakMap<object, string>()

/** The text of a default. Those of the schema are always the same objects, so each is written once. */
function usualText(shape: Shape, usual: Json): string {
  if (typeof usual !== 'object' || usual === null) return JSON.stringify(usual)
  const known = usualTexts.get(usual)
  if (known !== undefined) return known
  const text = write(shape, usual)
  usualTexts.set(usual, text)
  return text
}
