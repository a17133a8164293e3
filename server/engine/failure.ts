import type { EngineError } from './model'
import { NOTHING_TO_SCRUB, type Scrub } from './scrub'

/**
 * How an attempt ended without a result.
 * `ambiguous`: it may or may not have happened (timeout, network, lost worker). `not_performed`: it certainly has not. `fatal`: a known end,
 * `deliberate` where the handler said so, not an error of no known sort.
 */
export type Failure =
  | { kind: 'ambiguous'; error: EngineError }
  | { kind: 'not_performed'; error: EngineError; retryAfter?: unknown }
  | { kind: 'fatal'; error: EngineError; mustPark: boolean; deliberate?: true; keepsKey?: boolean } // keepsKey: see keepingKey

const MESSAGE_MAX = 2000
const CAUSES_MAX = 10

const NETWORK = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_BODY_TIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_SOCKET',
])

/** A failure that is known to be one: nothing is tried again. */
export function fatal(code: EngineError['code'], message: string, mustPark = false): Failure {
  return { kind: 'fatal', error: { code, message: cap(message) }, mustPark }
}

/** Made again, it is the same call: an agent goes on with its conversation. */
export function keepingKey(failure: Failure): Failure {
  return failure.kind === 'fatal' ? { ...failure, keepsKey: true } : failure
}

export function ambiguous(code: EngineError['code'], message: string): Failure {
  return { kind: 'ambiguous', error: { code, message: cap(message) } }
}

/**
 * Sorts whatever a handler threw. Errors are known by their `code` or `name`, never by `instanceof`: a plugin may carry its own copy of the
 * classes. Anything not known to be transient is fatal. Survives strings, cycles, throwing getters and messages of any size.
 */
export function classify(thrown: unknown, scrub: Scrub = NOTHING_TO_SCRUB): Failure {
  const message = messageOf(thrown, scrub)
  const seen = new Set<unknown>()
  for (let at = thrown; at !== undefined && at !== null && seen.size < CAUSES_MAX && !seen.has(at); at = read(at, 'cause')) {
    seen.add(at)
    const names = [read(at, 'code'), read(at, 'name')]
    if (names.includes('FatalError')) return { kind: 'fatal', error: { code: 'failed', message }, mustPark: false, deliberate: true }
    if (names.includes('RateLimitError')) {
      return { kind: 'not_performed', error: { code: 'rate_limited', message }, retryAfter: read(at, 'retryAfter') }
    }
    if (names.includes('TransientError')) return ambiguous('transient', message)
    if (names.includes('TimeoutError')) return ambiguous('timeout', message)
    if (names.some((name) => typeof name === 'string' && NETWORK.has(name))) return ambiguous('network', message)
  }
  return fatal('failed', message)
}

function messageOf(thrown: unknown, scrub: Scrub): string {
  const message = typeof thrown === 'string' ? thrown : read(thrown, 'message')
  return typeof message === 'string' && message !== '' ? cap(scrub.text(message)) : 'The handler failed without saying why.'
}

/** At most 2,000 characters, never half of a surrogate pair, and no U+0000: PostgreSQL stores it in JSON, but cannot look into that any more. */
function cap(thrown: string): string {
  const text = thrown.slice(0, MESSAGE_MAX + 1).replaceAll('\u0000', '\uFFFD')
  return text.length <= MESSAGE_MAX ? text.toWellFormed() : `${text.slice(0, MESSAGE_MAX - 1).toWellFormed()}…`
}

function read(from: unknown, key: string): unknown {
  if (typeof from !== 'object' || from === null) return undefined
  try {
    return Reflect.get(from, key)
  } catch {
    return undefined
  }
}
