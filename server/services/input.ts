import { z } from 'zod'
import type { Json } from '@/spec'
import { notFound } from '../errors'

/** PostgreSQL's `text` refuses U+0000, and half of a surrogate pair is no character at all. */
const isText = (value: string): boolean => value.isWellFormed() && !value.includes('\u0000')

/** What a person wrote: at most `max` UTF-16 units of real text. */
export const text = (max: number) => z.string().max(max).refine(isText, 'This holds characters that are no text.')

/** What a person called something, without the spaces around it. `missing` is what they read when there is nothing left. */
export const name = (missing: string) => text(100).trim().min(1, missing)

/**
 * A name in addresses. What it may look like is no question of the caller's: one that could not exist becomes U+FFFD, which nothing is
 * called, so that it is not found like any other.
 */
const address = z.string().overwrite((value) => (value.length <= 64 && isText(value) ? value : '\uFFFD'))

/** A team's, or a workflow's, name in addresses. */
export const slug = address

/** An id as it stands in addresses. */
export const id = address

/** Data, as it was read from JSON, by reference: zod's own schemas copy it, and lose a member called `__proto__`. */
export const json = z.unknown() as z.ZodType<Json>

/** An object of data, likewise. */
export const jsonObject = z.custom<Record<string, Json>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'This must be an object.',
)

export const cursor = z.string().max(200).optional()

/** An id that could exist. @throws {ClewError} `not_found`: what is no id names nothing */
export function knownId(text: string): string {
  if (!z.uuid().safeParse(text).success) throw notFound()
  return text
}
