import { createHash } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { runChild } from '@/db/child'
import { Problem } from '@/db/problem'

/** What the pages are made of, beside the files at the top (settings, proxy); the rest (tests, bin, docs) cannot change them. */
const sources = ['app', 'components', 'spec', 'sdk', 'server', 'db', 'plugins', 'public']
const besides = /\.(test|testsuite)\.tsx?$|^db\/testing\/|^server\/worker\/|^(vitest|playwright|drizzle)\.config\.ts$/

export const next = 'node_modules/next/dist/bin/next'

/** The folder of the build, relative to the project: tests set another one, so that they never touch the files of a running Clew. */
const buildFolder = () => process.env.CLEW_DIST_DIR || '.next'

/** A hash over everything that the build depends on. */
function fingerprint(): string {
  const top = fs.readdirSync('.').filter((file) => /^[^.].*\.(ts|mjs|json)$/.test(file) && file !== 'next-env.d.ts')
  const deep = sources
    .filter((folder) => fs.existsSync(folder))
    .flatMap((folder) => fs.readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
  const files = [...top, ...deep].filter((file) => !besides.test(file))
  const hash = createHash('sha256').update(process.version)
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(fs.readFileSync(file))
  return hash.digest('hex')
}

const stampFile = () => path.join(buildFolder(), 'clew-build')

/** What the build that is there was made from; null where there is none. */
export const builtFrom = (): string | null => (fs.existsSync(stampFile()) ? fs.readFileSync(stampFile(), 'utf8') : null)

/** Whether the last build was made, completely, from the files as they are now. */
export function isBuilt(): boolean {
  return builtFrom() === fingerprint()
}

/**
 * Builds the web app for production, unless the last build still fits.
 * @returns what the build wrote, or null when there was nothing to do
 * @throws {Problem} with the end of the build's output
 */
export async function build(): Promise<string | null> {
  if (isBuilt()) return null
  fs.rmSync(stampFile(), { force: true })
  const before = fingerprint()
  const { DATABASE_URL: _, ...env } = process.env
  const { code, output } = await runChild(process.execPath, [next, 'build'], {
    env: { ...env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  })
  if (/ENOSPC|No space left/.test(output))
    throw new Problem('The disk is full: free at least 1 GB for the build of the pages and start again. Nothing was lost.')
  if (/EACCES|EROFS/.test(output))
    throw new Problem(`Clew may not write its build to ${path.resolve(buildFolder())}: give the project folder to your user ("chown -R").`)
  if (code !== 0) throw new Problem(`The pages could not be built:\n${output.trim()}`)
  fs.writeFileSync(stampFile(), before)
  return output
}
