import { TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import { isAway } from '../container/web'
import { ClewError, type ErrorCode, type ProblemDetail } from '../errors'

/** The one map from what went wrong to each transport's way of saying it. */
const TRANSPORT = {
  unauthenticated: { trpc: 'UNAUTHORIZED', status: 401, title: 'Not signed in' },
  not_found: { trpc: 'NOT_FOUND', status: 404, title: 'Not found' },
  forbidden: { trpc: 'FORBIDDEN', status: 403, title: 'Not allowed' },
  invalid: { trpc: 'BAD_REQUEST', status: 400, title: 'Malformed request' },
  invalid_spec: { trpc: 'UNPROCESSABLE_CONTENT', status: 422, title: 'The workflow has problems' },
  invalid_input: { trpc: 'UNPROCESSABLE_CONTENT', status: 422, title: 'The input has problems' },
  conflict: { trpc: 'CONFLICT', status: 409, title: 'Conflict' },
  too_large: { trpc: 'PAYLOAD_TOO_LARGE', status: 413, title: 'Too large' },
  unavailable: { trpc: 'SERVICE_UNAVAILABLE', status: 503, title: 'Not available just now' },
  rate_limited: { trpc: 'TOO_MANY_REQUESTS', status: 429, title: 'Too many tries' },
} as const satisfies Record<ErrorCode, { trpc: TRPCError['code']; status: number; title: string }>

/** What a client learns of an error. `internal` says nothing but that it happened. */
export type ErrorData = { code: ErrorCode | 'internal'; problems?: ProblemDetail[]; retryAfterSeconds?: number }

const AWAY = 'The database does not answer just now. Nothing is lost; please try again in a moment.'
const INTERNAL = 'Something went wrong on our side. Please try again in a moment.'

/** The expected refusal behind anything thrown, or null when it was a surprise. */
export function refusalOf(error: unknown): ClewError | null {
  if (isAway(error)) return new ClewError('unavailable', AWAY, { retryAfterSeconds: 5 }, { cause: error })
  if (error instanceof ClewError) return error
  if (!(error instanceof TRPCError)) return null
  if (error.cause instanceof ClewError) return error.cause
  if (error.cause instanceof ZodError)
    return new ClewError('invalid', 'The request is malformed.', { problems: error.cause.issues.map(problemOf) })
  if (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_SUPPORTED')
    return new ClewError('not_found', 'There is no such thing here, or you may not see it.')
  if (error.code === 'PARSE_ERROR' || error.code === 'BAD_REQUEST') return new ClewError('invalid', 'The request is malformed.')
  if (error.code === 'UNSUPPORTED_MEDIA_TYPE') return new ClewError('invalid', 'Send the body as application/json.')
  return error.code === 'PAYLOAD_TOO_LARGE' ? new ClewError('too_large', 'The request is too large.') : null
}

/** What the operator should hear of. */
export function isSurprise(error: unknown): boolean {
  const refusal = refusalOf(error)
  return refusal === null || refusal.code === 'unavailable'
}

const problemOf = (issue: ZodError['issues'][number]): ProblemDetail => ({
  code: issue.code,
  path: issue.path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
  message: issue.message,
})

/** For tRPC clients: `error.message` and `error.data.clew`. */
export function describeError(error: unknown): { message: string; clew: ErrorData } {
  const refusal = refusalOf(error)
  return refusal
    ? { message: refusal.message, clew: { code: refusal.code, ...refusal.detail } }
    : { message: INTERNAL, clew: { code: 'internal' } }
}

export const toTrpcError = (refusal: ClewError) =>
  new TRPCError({ code: TRANSPORT[refusal.code].trpc, message: refusal.message, cause: refusal })

/** Throws what was thrown, as the refusal that it is. */
export function refused(error: unknown): never {
  const refusal = refusalOf(error)
  throw refusal ? toTrpcError(refusal) : error
}

/** For REST clients: a problem document (RFC 9457). Its type is an address of this site's own documentation of the code. */
export function problemResponse(error: unknown): Response {
  const { message, clew } = describeError(error)
  const { status, title } = clew.code === 'internal' ? { status: 500, title: 'Internal error' } : TRANSPORT[clew.code]
  const { problems, retryAfterSeconds } = clew
  const headers: Record<string, string> = { 'content-type': 'application/problem+json', 'cache-control': 'no-store' }
  if (status === 401) headers['www-authenticate'] = 'Bearer'
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(retryAfterSeconds)
  return new Response(JSON.stringify({ type: 'about:blank', title, status, detail: message, code: clew.code, problems }), {
    status,
    headers,
  })
}

/** For REST clients: the path is there, the method is not. `methods`: those that are. */
export function wrongMethod(methods: string[]): Response {
  const allow = methods.join(', ')
  const body = { type: 'about:blank', title: 'Wrong method', status: 405, detail: `This address takes ${allow} only.`, code: 'invalid' }
  return new Response(JSON.stringify(body), {
    status: 405,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', allow },
  })
}
