import type { Field, Fields, Json } from '@/spec'
import { readNumber } from './number-text'

/** What the form library holds while somebody types: a member may be there and undefined, and a number is the text that was written. */
export type FormData = Record<string, unknown>

/**
 * What a form gives, from what it holds: an emptied field is absent, and so is an optional list or group in which nothing
 * was filled in. A required list stays, as an empty one. An emptied item of a list is null: its place counts. A number that
 * cannot be read stays text, which is of the wrong type: the form is not sent with another number than stands in it.
 */
export function toInput(fields: Fields, data: FormData | undefined): Record<string, Json> {
  const input: [string, Json][] = []
  for (const [name, value] of Object.entries(data ?? {})) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const given = field ? valueOf(field, value) : asJson(value)
    if (given !== undefined) input.push([name, given])
  }
  return Object.fromEntries(input)
}

function valueOf(field: Field, value: unknown): Json | undefined {
  const optional = field.required === false
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string' && isNumeric(field)) return value.trim() === '' ? undefined : (readNumber(value) ?? value)
  if (Array.isArray(value)) {
    if (optional && value.length === 0) return undefined
    const { items } = field
    return value.map((item) => (items ? valueOf({ ...items, required: true }, item) : asJson(item)) ?? null)
  }
  if (typeof value === 'object') {
    const members = toInput(field.properties ?? {}, value as FormData)
    return optional && Object.keys(members).length === 0 ? undefined : members
  }
  return asJson(value)
}

export function isNumeric(field: Field): boolean {
  return field.type === 'number' || field.type === 'integer'
}

function asJson(value: unknown): Json | undefined {
  return value === undefined ? undefined : (value as Json)
}

/**
 * Values that a link fills in: `?input.amount=900`. Only plain fields, only values that are of the field's type; everything
 * else is left for the person to fill in.
 */
export function fromLink(fields: Fields, query: Record<string, string | string[] | undefined>): FormData {
  const data: FormData = {}
  for (const [name, field] of Object.entries(fields)) {
    const text = query[`input.${name}`]
    if (typeof text !== 'string' || field.secret) continue
    if (field.type === 'string') data[name] = text
    if (field.type === 'boolean' && (text === 'true' || text === 'false')) data[name] = text === 'true'
    if (isNumeric(field) && text.trim() !== '' && Number.isFinite(Number(text))) data[name] = Number(text)
  }
  return data
}
