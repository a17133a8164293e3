/** An instant as every view tells it: ISO 8601, UTC. */
export const iso = (instant: Date): string => instant.toISOString()
export const isoOrNull = (instant: Date | null): string | null => instant?.toISOString() ?? null
