import { setTimeout as sleep } from 'node:timers/promises'
import { causesOf } from '@/server/engine/causes'

const CONFLICTS = new Set(['40001', '40P01'])
/** The server cannot be reached, or is not (yet) one that can do this: starting or stopping, out of something, too slow, read-only after a failover. */
const AWAY = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '57014', // statement timeout
  '55P03', // lock timeout
  '25006', // read-only
  '25P03', // idle in transaction for too long
  '25P04', // transaction timeout
])
const AWAY_CLASSES = /^(08|53|57P)/
const AWAY_MESSAGES =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|not queryable|LISTEN\/NOTIFY/

/** Will the same statement succeed later: after a deadlock (`conflict`), when the database is back (`away`)? */
export function isPassing(error: unknown): 'conflict' | 'away' | 'no' {
  // pg-boss reports plain objects: what counts is the code and the message, whatever carries them.
  for (const { code, message } of causesOf(error)) {
    if (code !== null && CONFLICTS.has(code)) return 'conflict'
    if (code !== null && (AWAY.has(code) || AWAY_CLASSES.test(code))) return 'away'
    if (message !== null && AWAY_MESSAGES.test(message)) return 'away'
  }
  return 'no'
}

const LONGEST_PAUSE_MS = 1_000

/**
 * Again when the failure is one of the moment, up to `patienceMs`. Repeating is safe also when only the commit's answer was lost: every write
 * of a transition is guarded by what the row said before. `away` is told of each failure that the database's absence made.
 */
export async function patiently<T>(patienceMs: number, work: () => Promise<T>, away?: (error: unknown) => void): Promise<T> {
  const until = Date.now() + patienceMs
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const passing = isPassing(error)
      if (passing === 'away') away?.(error)
      if (passing === 'conflict' ? tries > 5 : passing === 'no' || Date.now() >= until) throw error
      await sleep(Math.min(LONGEST_PAUSE_MS, 10 * 2 ** tries))
    }
  }
}
