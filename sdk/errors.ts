/*
 * How a tool says what may be done about its failure. The engine recognises these errors by `name`, not by `instanceof`: a plugin may
 * bring its own copy of this module. Any error of another name that is not known to be transient counts as fatal.
 */

type Options = ErrorOptions & { /** Stable, for programs: `^[a-z][a-z0-9_]*$`. */ code?: string }

/** It may work if tried again (a network that failed, a server that was busy): retried as the step's `retry` says. */
export class TransientError extends Error {
  override name = 'TransientError'
  readonly code: string
  constructor(message: string, options: Options = {}) {
    super(message, options)
    this.code = options.code ?? 'transient'
  }
}

/**
 * Not performed, and to be asked again later; uses no attempt.
 * `retryAfter` is what the HTTP header of that name holds: seconds, or an HTTP date. Anything else counts as "no idea when".
 */
export class RateLimitError extends Error {
  override name = 'RateLimitError'
  readonly code = 'rate_limited'
  constructor(
    readonly retryAfter: number | string,
    message = 'The other side asks to be called less often',
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/** Trying again cannot help: no retry, the step fails. */
export class FatalError extends Error {
  override name = 'FatalError'
  readonly code: string
  constructor(message: string, options: Options = {}) {
    super(message, options)
    this.code = options.code ?? 'fatal'
  }
}

export type ToolFailure =
  | { kind: 'transient' | 'fatal'; code: string; message: string }
  | {
      kind: 'rate_limit'
      code: string
      message: string
      /** From `now`; null: the other side did not say. */ retryAfterSeconds: number | null
    }

const KINDS = new Map([
  ['TransientError', 'transient'],
  ['RateLimitError', 'rate_limit'],
  ['FatalError', 'fatal'],
] as const)

/** What a thrown value asks for; null when it is none of the errors above. */
export function toolFailure(error: unknown, now: Date): ToolFailure | null {
  if (typeof error !== 'object' || error === null) return null
  const { name, code, message, retryAfter } = error as Record<string, unknown>
  const kind = KINDS.get(name as 'FatalError')
  if (!kind) return null
  const said = { code: typeof code === 'string' ? code : kind, message: String(message ?? '') }
  return kind === 'rate_limit' ? { kind, ...said, retryAfterSeconds: secondsUntil(retryAfter, now) } : { kind, ...said }
}

/** `Retry-After` (RFC 9110, 10.2.3): a number of seconds, or an HTTP date. */
function secondsUntil(retryAfter: unknown, now: Date): number | null {
  const seconds = typeof retryAfter === 'string' && !/^\s*\d+(\.\d+)?\s*$/.test(retryAfter) ? null : Number(retryAfter)
  if (seconds !== null) return Number.isFinite(seconds) && seconds >= 0 ? seconds : null
  const at = Date.parse(String(retryAfter))
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1000)
}
