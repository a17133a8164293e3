import { createHash } from 'node:crypto'
import type { Db } from '@/db/client'
import { ClewError } from '../errors'
import { countTry } from '../store/postgres/rate-limits'

/**
 * Tries a minute. There is no lock-out: an account that was attacked is open again a minute after the attack ends.
 * `all`: tries of everybody together, because each costs 100 ms of one core.
 */
const LIMITS = { 'sign-in': 10, 'sign-in-all': 120, setup: 10 } as const

/** Counts this try, and refuses it when there were too many this minute. @throws {ClewError} `rate_limited` */
export async function limitTries(db: Db, what: keyof typeof LIMITS, who: string): Promise<void> {
  // Hashed: a mistyped address, or a password in the wrong field, must not stay in a table.
  const key = `${what}:${createHash('sha256').update(who.trim().toLowerCase()).digest('base64url')}`
  const { count, secondsLeft } = await countTry(db, key)
  if (count > LIMITS[what])
    throw new ClewError('rate_limited', `Too many tries. Please wait ${secondsLeft} seconds.`, { retryAfterSeconds: secondsLeft })
}
