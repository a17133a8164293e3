import { ClewError } from '../errors'

const BODY_LIMIT = 1024 * 1024

/** A request's body as text. @throws {ClewError} `too_large` as soon as it is over 1 MiB, `invalid` when it is not UTF-8 */
export async function readBody(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > BODY_LIMIT) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength
    if (size > BODY_LIMIT) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    // A byte order mark is kept: it is one of the problems a document may have.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new ClewError('invalid', 'The body is not UTF-8.', {}, { cause })
  }
}

const tooLarge = () => new ClewError('too_large', 'The body is larger than 1 MiB.')
