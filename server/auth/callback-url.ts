/** Where to go after signing in or out: a path of this site, whatever was asked for. */
export function safeCallbackUrl(asked: string | null | undefined, siteUrl: string): string {
  try {
    const url = new URL(asked ?? '/', siteUrl)
    // Whoever resolves the answer again would take what follows `//`, or `/\` as browsers read it, for the name of another site.
    const isOurs = url.origin === new URL(siteUrl).origin && !/^\/[/\\]/.test(url.pathname)
    return isOurs ? `${url.pathname}${url.search}${url.hash}` : '/'
  } catch {
    return '/'
  }
}
