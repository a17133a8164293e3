import { APICallError } from 'ai'
import { FatalError, RateLimitError, TransientError } from '@/sdk'

const TRY_AGAIN = new Set([408, 409, 425])
/** Where a server that asks for patience does not say for how long, in seconds. */
const PATIENCE = 10

const REASONS: Record<number, string> = {
  400: 'it did not understand the question: the model may not be able to call tools, or the conversation is too long for it',
  401: 'check CLEW_AI_API_KEY',
  403: 'check CLEW_AI_API_KEY, and what it may do',
  404: 'check CLEW_AI_BASE_URL and CLEW_AI_MODEL',
  413: 'the conversation is too long for it',
}

/**
 * What may be done about a model that did not reply. The server's own words are left out: they may repeat the conversation, or part of the key.
 */
export function failureOf(thrown: unknown): Error {
  if (!APICallError.isInstance(thrown))
    return new TransientError('The model did not reply in a form that is understood.', { cause: causeOf(thrown) })
  const { statusCode: status, responseHeaders: headers = {} } = thrown
  if (status === undefined) return new TransientError('The server of the model could not be reached.', { cause: causeOf(thrown.cause) })
  if (status === 429) return new RateLimitError(headers['retry-after'] ?? PATIENCE, 'The model asks to be asked less often.')
  if (status === 503 && headers['retry-after'] !== undefined)
    return new RateLimitError(headers['retry-after'], 'The server of the model is overloaded.')
  if (status >= 500 || TRY_AGAIN.has(status)) return new TransientError(`The server of the model failed (${status}).`)
  if (status < 400) return new TransientError('The model did not reply in a form that is understood.')
  return new FatalError(`The server of the model refused (${status})${REASONS[status] ? `: ${REASONS[status]}` : ''}.`)
}

/** The code of a network's failure, such as ECONNREFUSED, and none of its words. */
function causeOf(thrown: unknown): Error | undefined {
  const code = thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined
  return code === undefined ? undefined : Object.assign(new Error('network'), { code })
}
