import fs from 'node:fs'
import path from 'node:path'
import { runChild } from '@/db/child'
import { next } from '../build'
import { cleanEnvironment } from './environment'
import { type Tally, tallyFile, tallyPlaywright, tallyVitest } from './report'

const reports = path.resolve('.tmp/reports')

export interface Result extends Tally {
  output: string
}

export interface Check {
  name: string
  title: string
  run(): Promise<Result>
}

const env = cleanEnvironment()

const node = (args: string[], more: Record<string, string> = {}) => runChild(process.execPath, args, { env: { ...env, ...more } })

/** A check that is one test: it passes when the program ends with 0. */
function program(name: string, title: string, run: () => Promise<{ code: number; output: string }>): Check {
  return {
    name,
    title,
    run: async () => {
      const { code, output } = await run()
      return { passed: code === 0 ? 1 : 0, failed: code === 0 ? [] : [`exit code ${code}`], output }
    },
  }
}

/** A check whose program writes a JSON report, every test of which counts. */
function suite<Report>(
  name: string,
  title: string,
  count: (report: Report) => Tally,
  run: (file: string) => Promise<{ code: number; output: string }>,
): Check {
  return {
    name,
    title,
    run: async () => {
      const file = path.join(reports, `${name}.json`)
      fs.mkdirSync(reports, { recursive: true })
      fs.rmSync(file, { force: true })
      const { code, output } = await run(file)
      return { ...tallyFile(file, code, count), output }
    },
  }
}

const migrations = () =>
  fs
    .readdirSync('db/migrations')
    .filter((file) => file.endsWith('.sql'))
    .map((file) => path.join('db/migrations', file))

const bin = (name: string, ...args: string[]) => runChild(path.resolve('node_modules/.bin', name), args, { env })

/** Next writes what it knows of the routes into the folder of the build, for tsc to read: nothing else may write there meanwhile. */
export const types = program('tsc', 'Types (tsc)', async () => {
  const routes = await node([next, 'typegen'])
  return routes.code === 0 ? bin('tsc', '--noEmit') : routes
})

/** Quick looks at the source. */
export const staticChecks: Check[] = [
  program('oxlint', 'Lint (oxlint)', () => bin('oxlint')),
  program('prettier', 'Format (prettier)', () => bin('prettier', '--check', '.')),
  program('knip', 'Dead code (knip)', () => bin('knip')),
  program('depcruise', 'Who may import whom (dependency-cruiser)', () => bin('depcruise', '--config', '.dependency-cruiser.cjs', '.')),
  program('squawk', 'Migrations (squawk)', () => bin('squawk', ...migrations())),
]

const vitest = (file: string) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--allowOnly=false',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${file}`,
]

export const unitTests = suite('vitest', 'Unit, property and database tests (vitest)', tallyVitest, (file) =>
  node([...vitest(file), '--project=!chaos']),
)

/** With settings of `server/worker/survival.chaos.test.ts`, and where its result goes. */
export function survivalOf(name: string, title: string, env: Record<string, string>): Check {
  return suite(name, title, tallyVitest, (file) => node([...vitest(file), '--project=chaos'], env))
}

/** `npm test`'s share of kill -9, with the machine to itself: it is against the clock. */
export const survival = survivalOf('survival', 'Runs survive kill -9 of workers and of PostgreSQL (vitest)', {})

/** The suites that repeat more where `effort` (db/testing/effort.ts) says so. */
export const longTestsOf = (round: number): Check =>
  suite(`long-${round}`, `Round ${round}: random runs and races (vitest)`, tallyVitest, (file) =>
    node([...vitest(file), '--project=!chaos', ...chanceful()], { CLEW_TEST_LONG: '1' }),
  )

/** The test files that ask `effort` how often to repeat themselves. */
const chanceful = () =>
  ['spec', 'sdk', 'server'].flatMap((folder) =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => path.join(folder, file))
      .filter((file) => fs.readFileSync(file, 'utf8').includes('effort(')),
  )

export const productionBuild = program('build', 'Production build (next build)', () => node(['--import', 'tsx', 'bin/testing/build.ts']))

export const endToEnd = suite(
  'e2e',
  'End to end in Chromium, against the production build and a real worker (playwright)',
  tallyPlaywright,
  (file) => node(['node_modules/@playwright/test/cli.js', 'test'], { CLEW_TEST_REPORT: file }),
)

export const chaos = suite(
  'chaos',
  'kill -9 of the worker in the middle of an effect, and Ctrl-C while Clew starts, 20 rounds each (playwright)',
  tallyPlaywright,
  (file) =>
    node(['node_modules/@playwright/test/cli.js', 'test', 'e2e/crash.spec.ts', 'e2e/stop.spec.ts'], {
      CLEW_TEST_REPORT: file,
      CLEW_CHAOS_ROUNDS: '20',
    }),
)
