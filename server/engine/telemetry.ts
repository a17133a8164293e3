import type { Json } from '@/spec'
import type { RunRecord, Span } from './ports'

/* What is told of a run: ids, codes, sizes and times. */

/** The span of a step of this run; `startedAt` is a moment by the database clock. */
export function spanOf({ definition, trace }: Pick<RunRecord, 'definition' | 'trace'>, startedAt: Date, endedAt: Date): Span {
  return { of: 'step', slug: definition.slug, trace, startedAt, endedAt }
}

export const msBetween = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime())

const encoder = new TextEncoder()

/** How large a value is as JSON in UTF-8, in bytes. */
export const bytesOf = (value: Json): number => encoder.encode(JSON.stringify(value)).length
