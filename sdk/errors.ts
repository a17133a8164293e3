/*
 * How a tool says what may be done about its failure. The engine recognises these errors by `name` or `code`, not by `instanceof`: a plugin
 * may bring its own copy of this module. Timeouts and network errors count as transient without being wrapped; any other error is fatal.
 */

/** It may work if tried again (a network that failed, a server that was busy): retried as the step's `retry` says. */
export class TransientError extends Error {
  override name = 'TransientError'
  readonly code = 'TransientError'
}

/**
 * Not performed, and to be asked again later; uses no attempt.
 * `retryAfter` is what the HTTP header of that name holds: seconds, or an HTTP date.
 */
export class RateLimitError extends Error {
  override name = 'RateLimitError'
  readonly code = 'RateLimitError'
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
  readonly code = 'FatalError'
}
