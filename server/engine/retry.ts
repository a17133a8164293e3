import type { retryOf } from '@/spec'
import type { Failure } from './failure'
import type { EngineError } from './model'
import type { Tool } from './ports'
import { isDate, msUntil } from './time'

const GIVE_UP_MS = 24 * 60 * 60 * 1000
/** A rate limit without a usable `Retry-After`, or with one of 0, must not spin. */
const RATE_LIMIT_MIN_MS = 1000

export type Retrying = ReturnType<typeof retryOf>

/** What is known when an attempt has failed. `startedAt`: of the first attempt; `random` uniform in [0, 1). */
export type Circumstances = {
  attempt: number
  retry: Retrying
  effect: Tool['effect']
  /** The run is stopping: nothing starts again. An undo begins when the run has stopped, so it is tried again like any call. */
  stopping: boolean
  startedAt: Date | null
  now: Date
  random: number
}

export type Verdict =
  | { kind: 'retry'; delayMs: number; attempt: number; error: EngineError; ambiguous: boolean }
  | { kind: 'failed'; error: EngineError; mustPark: boolean; ambiguous: boolean }
  | { kind: 'interrupted'; ambiguous: boolean }

/** Whether and when a failed attempt is tried again (engine.md §5, spec-v1.md §3). */
export function judge(failure: Failure, at: Circumstances): Verdict {
  switch (failure.kind) {
    case 'fatal':
      return { kind: 'failed', error: failure.error, mustPark: failure.mustPark, ambiguous: failure.keepsKey ?? false }
    case 'not_performed':
      return notPerformed(failure, at)
    case 'ambiguous':
      return ambiguousEnd(failure.error, at)
  }
}

function ambiguousEnd(error: EngineError, at: Circumstances): Verdict {
  if (at.effect === 'once') {
    const message = `Nobody can know whether this happened: ${error.message}`.slice(0, 2000)
    return { kind: 'failed', error: { code: 'outcome_unknown', message }, mustPark: true, ambiguous: true }
  }
  if (at.stopping) return { kind: 'interrupted', ambiguous: true }
  if (at.attempt >= at.retry.maxAttempts) return { kind: 'failed', error, mustPark: false, ambiguous: true }
  return { kind: 'retry', delayMs: backoffMs(at.attempt, at.retry, at.random), attempt: at.attempt + 1, error, ambiguous: true }
}

function notPerformed(failure: Extract<Failure, { kind: 'not_performed' }>, at: Circumstances): Verdict {
  if (at.stopping) return { kind: 'interrupted', ambiguous: false }
  const wait = Math.max(retryAfterMs(failure.retryAfter, at.now) ?? 0, RATE_LIMIT_MIN_MS)
  // A second's spread, so that a team's calls do not all come back in the same instant.
  const delayMs = Math.ceil(wait + at.random * 1000)
  const waited = at.startedAt ? at.now.getTime() - at.startedAt.getTime() : 0
  if (waited + delayMs > GIVE_UP_MS) return { kind: 'failed', error: failure.error, mustPark: false, ambiguous: false }
  return { kind: 'retry', delayMs, attempt: at.attempt, error: failure.error, ambiguous: false }
}

/** Delay before attempt n+1, in milliseconds: uniform(0, min(max, base·2^(n−1))). */
export function backoffMs(attempt: number, retry: Retrying, random: number): number {
  return random * Math.min(retry.maxSeconds, retry.baseSeconds * 2 ** (attempt - 1)) * 1000
}

/** A `Retry-After`: seconds as a number or text, an HTTP date, or a date; undefined where it is none of these. */
export function retryAfterMs(value: unknown, now: Date): number | undefined {
  if (isDate(value)) return Math.max(0, value.getTime() - now.getTime())
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value * 1000 : undefined
  if (typeof value !== 'string' || value.trim() === '') return undefined
  const seconds = Number(value)
  if (!Number.isNaN(seconds)) return retryAfterMs(seconds, now)
  const ms = msUntil(value, now)
  return ms === undefined ? undefined : Math.max(0, ms)
}
