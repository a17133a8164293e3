import { chromium } from '@playwright/test'
import fs from 'node:fs'
import path from 'node:path'
import { Problem } from '@/db/problem'

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/**
 * A real Chromium to test with: CHROMIUM_PATH, then one that the machine has, then Playwright's own, then the one inside an npm package
 * (Linux on x64; unpacked into node_modules, with the libraries and fonts that a bare machine lacks).
 * @returns its path and the environment it needs
 * @throws {Problem} when there is none
 */
export async function findBrowser(): Promise<{ path: string; env: Record<string, string> }> {
  const given = process.env.CHROMIUM_PATH
  if (given && !fs.existsSync(given)) throw new Problem(`CHROMIUM_PATH names ${given}, which does not exist: correct it or leave it out.`)
  const found = [given, ...installed, chromium.executablePath()].find((file) => file && fs.existsSync(file))
  if (found) return { path: found, env: {} }
  if (process.platform === 'linux' && process.arch === 'x64') return await unpackBrowser()
  throw new Problem('There is no Chromium to test with: run "npx playwright install chromium", or set CHROMIUM_PATH.')
}

async function unpackBrowser(): Promise<{ path: string; env: Record<string, string> }> {
  const before = { ...process.env }
  // The package unpacks into the temporary folder; in the shared one, a copy left by another user could not be used.
  const folder = path.resolve('node_modules/.cache/chromium')
  const complete = path.join(folder, 'complete')
  // Without the mark, an earlier unpacking was interrupted: its half of a browser would be taken for a whole one.
  if (!fs.existsSync(complete)) fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  process.env.TMPDIR = folder
  // With this it takes its own NSS libraries and fonts along.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x'
  try {
    const { default: packaged } = await import('@sparticuz/chromium')
    const file = await packaged.executablePath()
    fs.writeFileSync(complete, '')
    const libraries = process.env.LD_LIBRARY_PATH
    return { path: file, env: { FONTCONFIG_FILE: fontsOf(folder), ...(libraries ? { LD_LIBRARY_PATH: libraries } : {}) } }
  } finally {
    for (const name of ['TMPDIR', 'AWS_EXECUTION_ENV']) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  }
}

/** The package's own settings name folders of another kind of machine: without any font, the browser ends itself at the first input field. */
function fontsOf(folder: string): string {
  const file = path.join(folder, 'fonts-here.conf')
  const fonts = [path.join(folder, 'fonts'), '/usr/share/fonts', '/usr/local/share/fonts']
  const folders = fonts.map((name) => `<dir>${name}</dir>`).join('')
  fs.writeFileSync(
    file,
    `<?xml version="1.0"?><fontconfig>${folders}<cachedir>${path.join(folder, 'fonts-cache')}</cachedir></fontconfig>\n`,
  )
  return file
}
