import { z } from 'zod'
import { notFound } from '../errors'

/** A team's, or a workflow's, name in addresses. What it may look like is no question of the caller's: an odd one is not found. */
export const slug = z.string().max(64)

/** An id as it stands in addresses. */
export const id = z.string().max(64)

export const cursor = z.string().max(200).optional()

/** An id that could exist. @throws {ClewError} `not_found`: what is no id names nothing */
export function knownId(text: string): string {
  if (!z.uuid().safeParse(text).success) throw notFound()
  return text
}
