import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { rateLimits } from '@/db/schema'

/**
 * Counts one try under `key` in the current minute of the database's clock, for all processes together.
 * Returns how many tries this minute has now, and the seconds until the next. Minutes that are over are deleted here.
 */
export async function countTry(db: Db, key: string): Promise<{ count: number; secondsLeft: number }> {
  await db.delete(rateLimits).where(sql`${rateLimits.windowStart} < now() - interval '1 hour'`)
  const rows = await db
    .insert(rateLimits)
    .values({ key, windowStart: sql`date_trunc('minute', now())`, count: 1 })
    .onConflictDoUpdate({ target: [rateLimits.key, rateLimits.windowStart], set: { count: sql`${rateLimits.count} + 1` } })
    .returning({ count: rateLimits.count, secondsLeft: sql<number>`ceil(60 - extract(second from now()))::int` })
  const [row] = rows
  if (!row) throw new Error('An upsert returned no row.')
  return row
}
