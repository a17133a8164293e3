/** Where to go after signing in or out: a path of this site, whatever was asked for. */
export function safeCallbackUrl(asked: string | null | undefined, siteUrl: string): string {
  try {
    const url = new URL(asked ?? '/', siteUrl)
    return url.origin === new URL(siteUrl).origin ? `${url.pathname}${url.search}${url.hash}` : '/'
  } catch {
    return '/'
  }
}
