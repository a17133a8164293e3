/**
 * One closed list of what can go wrong for a caller. Each transport maps it once (server/api/errors.ts); whatever is not in
 * the list is an internal error whose message never leaves the process.
 */
export const ERROR_CODES = [
  'unauthenticated', // nobody is signed in, or the session ended
  'not_found', // there is no such thing, or this person may not know of it: always the same answer
  'forbidden', // known to be there, but this person may not do that
  'invalid', // the request is malformed; `problems` says where
  'invalid_spec', // a document with problems; `problems` lists all of them
  'invalid_input', // a run's input, or a gate's form; `problems` lists all of them
  'conflict', // somebody else was faster, or the state does not allow it
  'too_large', // the body is over the limit
  'unavailable', // the database is away; `retryAfterSeconds`
  'rate_limited', // too many tries; `retryAfterSeconds`
] as const
export type ErrorCode = (typeof ERROR_CODES)[number]

export type ProblemDetail = { code: string; path: string; message: string; hint?: string; line?: number; column?: number }

/** An expected refusal: its message is written for the person who gets it. */
export class ClewError extends Error {
  override name = 'ClewError'
  /**
   * The web server is bundled in parts (pages, route handlers), each with a copy of this class, while the container is shared
   * between them: an error of another copy is an expected refusal too, and not the internal error it would be taken for.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === 'ClewError'
  }
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly detail: { problems?: ProblemDetail[]; retryAfterSeconds?: number } = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

export const notFound = () => new ClewError('not_found', 'There is no such thing here, or you may not see it.')
