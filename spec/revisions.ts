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

const WORDS = `, which is reserved for a later revision of spec 1 (this is revision ${REVISIONS.at(-1)?.date})`

/** What a message adds about an unknown kind that a later revision may know; else nothing. */
export function reservedKind(name: string): string {
  return RESERVED_KINDS.has(name) ? WORDS : ''
}

/** The same of an unknown field of the object that stands under this name; '' is the document. */
export function reservedField(place: string, name: string): string {
  return RESERVED_FIELDS.get(place)?.includes(name) ? WORDS : ''
}
