import { HIDDEN, secretValues, type Json, type SecretPlaces } from '@/spec'

/** Puts `HIDDEN` where a call's secrets stand: in a text, or in a value, its keys included. */
export type Scrub = { text(text: string): string; value(value: Json): Json }

/** What is shorter counts only as a word of its own: within others it would be found by chance. */
const WITHIN_WORDS = 4

export const NOTHING_TO_SCRUB: Scrub = { text: (text) => text, value: (value) => value }

/**
 * For what a handler gives back, throws and logs. A secret is found as it is, as it stands in JSON and as in an address; a handler that
 * changes it in other ways before it tells it is not found out.
 */
export function scrubOf(places: SecretPlaces | null | undefined, input: Json): Scrub {
  const secrets = secretValues(places ?? null, input)
  if (secrets.length === 0) return NOTHING_TO_SCRUB
  const texts = new Set(secrets.flatMap((secret) => spellingsOf(String(secret))))
  // The longest first: one may be part of another.
  const patterns = [...texts].sort((a, b) => b.length - a.length).map(patternOf)
  const pattern = patterns.length === 0 ? null : new RegExp(patterns.join('|'), 'gu')
  const numbers = new Set(secrets.filter((secret) => typeof secret === 'number' && String(secret).length >= WITHIN_WORDS))
  const text = (given: string) => (pattern ? given.replaceAll(pattern, HIDDEN) : given)
  const value = (given: Json): Json => {
    if (typeof given === 'string') return text(given)
    if (typeof given === 'number') return numbers.has(given) ? HIDDEN : given
    if (Array.isArray(given)) return given.map(value)
    if (typeof given !== 'object' || given === null) return given
    return Object.fromEntries(Object.entries(given).map(([key, inner]) => [text(key), value(inner)]))
  }
  return { text, value }
}

function spellingsOf(secret: string): string[] {
  if (secret.trim() === '') return []
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]
}

function patternOf(text: string): string {
  const literal = text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
  return text.length >= WITHIN_WORDS ? literal : String.raw`(?<![\p{L}\p{N}])${literal}(?![\p{L}\p{N}])`
}
