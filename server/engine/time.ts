/*
 * The engine has no clock. These turn what comes in (`now`, a header's text) into other dates, and nothing here reads the time.
 */
/* oxlint-disable no-restricted-globals */

export function later(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms)
}

/** Milliseconds from `now` to an HTTP date; undefined where the text is none. */
export function msUntil(text: string, now: Date): number | undefined {
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at - now.getTime()
}

/** An instant as RFC 3339 writes it; undefined where the text is none. */
export function instantOf(text: string): Date | undefined {
  const at = new Date(text.toUpperCase())
  return isDate(at) ? at : undefined
}

export function isDate(value: unknown): value is Date {
  return value instanceof Date && !Number.isNaN(value.getTime())
}

/** The next midnight in UTC. */
export function midnightAfter(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
}

/** Where a clock without a start begins: an arbitrary day that no test depends on. */
export const TEST_EPOCH = new Date('2030-01-01T00:00:00.000Z')
