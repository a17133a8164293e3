import { isBehind } from '../container/up-to-date'
import { container } from '../container/web'
import { ClewError } from '../errors'

const FRESH_MS = 1_000
const PATIENCE_MS = 3_000
const AGAIN_SECONDS = 2

let last: { at: number; answers: Promise<boolean> } | undefined

/** Whether the database answers and is up to date, as of at most a second ago. One that says nothing for 3 s does not. */
export async function databaseAnswers(): Promise<boolean> {
  if (isBehind()) return false
  const now = performance.now()
  if (!last || now - last.at > FRESH_MS) last = { at: now, answers: ask() }
  return last.answers
}

async function ask(): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), PATIENCE_MS)
  })
  const answered = container()
    .pool.query('SELECT 1')
    .then(
      () => true,
      (error: unknown) => {
        // Said once, however many pages are asked for meanwhile.
        container().log.error('a page could not be shown', error)
        return false
      },
    )
  return Promise.race([answered, late]).finally(() => clearTimeout(timer))
}

/** @throws {ClewError} `unavailable` while the database does not answer */
export async function demandDatabase(): Promise<void> {
  if (await databaseAnswers()) return
  const message = 'The database does not answer just now. Nothing is lost; please try again in a moment.'
  throw new ClewError('unavailable', message, { retryAfterSeconds: 5 })
}

/**
 * What whoever asks for a page gets while there is no database to make it from: 503, and a page that needs nothing, says so, and comes
 * back as the page that was asked for. Cookies are left as they are: nobody is signed out.
 */
export function awayPage({ nonce, theme }: { nonce: string; theme: 'system' | 'light' | 'dark' }): Response {
  return new Response(html(nonce, theme), {
    status: 503,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'retry-after': String(AGAIN_SECONDS) },
  })
}

// Colours as in app/globals.css, which this page must do without: it is the one page whose address says nothing of what was built.
const html = (nonce: string, theme: string) => `<!doctype html>
<html lang="en"${theme === 'system' ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>The database does not answer · Clew</title>
<style>
:root { color-scheme: light dark }
:root[data-theme=light] { color-scheme: light }
:root[data-theme=dark] { color-scheme: dark }
body {
  margin: 0; font: 1rem/1.5 ui-sans-serif, system-ui, sans-serif;
  background: light-dark(oklch(0.984 0.004 80), oklch(0.185 0.011 310)); color: light-dark(oklch(0.24 0.018 310), oklch(0.94 0.006 80));
}
main { max-width: 32rem; margin: 0 auto; padding: 4rem 1rem }
h1 { font-size: 1.5rem; line-height: 1.25; font-weight: 600; margin: 0 0 1rem }
p { margin: 0 0 1rem }
[role=status] { color: light-dark(oklch(0.475 0.018 310), oklch(0.735 0.014 310)) }
a {
  display: inline-block; padding: .5rem 1rem; border-radius: .5rem; font-size: .875rem; font-weight: 500; text-decoration: none;
  background: light-dark(oklch(0.42 0.125 338), oklch(0.82 0.085 338)); color: light-dark(oklch(0.99 0.004 80), oklch(0.22 0.04 338));
}
a:focus-visible { outline: 2px solid light-dark(oklch(0.5 0.14 338), oklch(0.78 0.11 338)); outline-offset: 2px }
</style>
</head>
<body>
<main>
<h1>The database does not answer</h1>
<p>This page tries again by itself. Nothing was lost: what was started goes on as soon as it can, and you stay signed in.</p>
<p role="status" id="said"></p>
<p><a href="">Try now</a></p>
</main>
<script nonce="${nonce}">
const since = Date.now()
const said = document.getElementById('said')
const again = async () => {
  const answer = document.hidden ? null : await fetch('/api/health', { cache: 'no-store' }).catch(() => null)
  if (answer && answer.ok) return location.reload()
  const seconds = Math.round((Date.now() - since) / 1000)
  if (seconds >= 10) said.textContent = 'Still trying. If this takes longer, tell whoever operates Clew.'
  setTimeout(again, ${AGAIN_SECONDS}000)
}
setTimeout(again, ${AGAIN_SECONDS}000)
document.addEventListener('visibilitychange', () => { if (!document.hidden) location.reload() })
</script>
</body>
</html>
`
