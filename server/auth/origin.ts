import { env } from '../env'
import { ClewError } from '../errors'

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]']

/**
 * Refuses requests that another site's page sent (`Origin`), and such that reached us under a foreign name (`Host`: DNS rebinding).
 * Only browsers send `Origin`, and they always do with what changes something, so its absence is no danger.
 * @throws {ClewError} `forbidden`
 */
export function checkOrigin(request: Request): void {
  const { CLEW_PUBLIC_URL, PORT } = env()
  const site = new URL(CLEW_PUBLIC_URL)
  const hosts = new Set([site.host, ...LOOPBACK.map((name) => new URL(`http://${name}:${PORT}`).host)])
  const host = request.headers.get('host') ?? new URL(request.url).host
  const origin = request.headers.get('origin')
  // 'null' is what a sandboxed or privacy-stripped page sends: it may be anybody's.
  const from = origin === null ? null : URL.canParse(origin) ? new URL(origin) : undefined
  const foreign =
    from === undefined || (from !== null && from.origin !== site.origin && !(from.protocol === 'http:' && hosts.has(from.host)))
  if (!hosts.has(host) || foreign) {
    throw new ClewError(
      'forbidden',
      `This request came from another site. Use ${site.origin}, or set CLEW_PUBLIC_URL to the address that people use.`,
    )
  }
}
