/** What a link in a page of `docs/` leads to from within the app; null: to a file of the repository, which the app does not serve. */
export function hrefOf(href: string): string | null {
  if (href.startsWith('#') || href.startsWith('https://')) return href
  const served = /^(?:\.\.\/)+public(\/.*)$/.exec(href)?.[1]
  return served ?? null
}
