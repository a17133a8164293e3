import type { Json } from './json'
import { type Path, shorten } from './problems'

/**
 * The dated revisions of spec 1, oldest first. Each only adds kinds and optional fields; `kinds` and `fields` name what it added
 * (`fields` as `place.name`, the place being a kind, `field`, `retry` … or `document`). The first one is the format itself.
 */
export const REVISIONS: readonly { date: string; kinds: readonly string[]; fields: readonly string[] }[] = [
  { date: '2026-11-30', kinds: [], fields: [] },
]

/** Names for which room is kept: they are unknown now, and an author who writes one should learn that it is not a slip of the pen. */
const RESERVED_KINDS: ReadonlySet<string> = new Set(['event', 'repeat'])
const RESERVED_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['', ['timeout_seconds']],
  ['do', ['steps']],
  ['retry', ['on']],
])

/** Values, by the name of the field that they stand in. */
const RESERVED_VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['join', /^first$/],
  ['tolerate', /^all$/],
  ['type', /^file$/],
  ['uses', /^(tool|job):[^@]+@/],
  ['tools', /^[^@]+@/],
])

const RESERVED = `reserved for a later revision of spec 1 (this is revision ${REVISIONS.at(-1)?.date})`
const WORDS = `, which is ${RESERVED}`

/** What a message adds about an unknown kind that a later revision may know; else nothing. */
export function reservedKind(name: string): string {
  return RESERVED_KINDS.has(name) ? WORDS : ''
}

/** The same of an unknown field of the object that stands under this name; '' is the document. */
export function reservedField(place: string, name: string): string {
  return RESERVED_FIELDS.get(place)?.includes(name) ? WORDS : ''
}

/** The hint to a value that a later revision may know, at this path; else nothing. */
export function reservedValue(path: Path, value: Json): string | undefined {
  const field = path.findLast((segment) => typeof segment === 'string')
  if (typeof value !== 'string' || field === undefined || RESERVED_VALUES.get(field)?.test(value) !== true) return undefined
  return `'${shorten(value)}' is ${RESERVED}`
}
