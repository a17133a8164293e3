import { LIMITS } from '@/spec'
import { ClewError } from '../errors'

const BODY_LIMIT = 1024 * 1024

/** A request's body as text. @throws {ClewError} `too_large` as soon as it is over 1 MiB, `invalid` when it is not UTF-8 */
export async function readBody(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > BODY_LIMIT) throw tooLarge()
  let size = 0
  return readText(request, (_text, bytes) => {
    size += bytes
    if (size > BODY_LIMIT) throw tooLarge()
    return true
  })
}

/**
 * A body that is a workflow, as far as the validator would read it. A longer one comes back cut and is still too long for the validator, which
 * says so as it does everywhere else; no more of it is held. @throws {ClewError} `invalid` when it is not UTF-8
 */
export const readDocument = (request: Request): Promise<string> => readText(request, (text) => text.length <= LIMITS.textLength)

/** Reads on for as long as `more` says so of the text up to here and the bytes that came last. A byte order mark is kept: it is a problem of a document. */
async function readText(request: Request, more: (text: string, bytes: number) => boolean): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  for await (const chunk of request.body ?? []) {
    text += decode(decoder, chunk)
    if (!more(text, chunk.byteLength)) return text
  }
  return text + decode(decoder)
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
  } catch (cause) {
    throw new ClewError('invalid', 'The body is not UTF-8.', {}, { cause })
  }
}

const tooLarge = () => new ClewError('too_large', 'The body is larger than 1 MiB.')
