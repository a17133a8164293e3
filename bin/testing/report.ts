import fs from 'node:fs'

/** What a check found: how many of its tests passed, and the names of those that did not. */
export interface Tally {
  passed: number
  failed: string[]
}

interface VitestReport {
  success: boolean
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

interface PlaywrightSuite {
  title: string
  specs?: { title: string; tests: { status: 'expected' | 'unexpected' | 'flaky' | 'skipped' }[] }[]
  suites?: PlaywrightSuite[]
}

/** Counts Vitest's JSON report. A suite that could not be loaded, a skipped test and an error outside every test count as failures. */
export function tallyVitest(report: VitestReport): Tally {
  const tally: Tally = { passed: 0, failed: [] }
  for (const suite of report.testResults) {
    for (const test of suite.assertionResults) {
      if (test.status === 'passed') tally.passed += 1
      else tally.failed.push(`${suite.name}: ${test.fullName} (${test.status})`)
    }
    const broken = suite.status !== 'passed' && suite.assertionResults.every((test) => test.status === 'passed')
    if (broken) tally.failed.push(`${suite.name}: the suite could not run`)
  }
  if (!report.success && tally.failed.length === 0) tally.failed.push('an error outside every test')
  return tally
}

/** Counts Playwright's JSON report. Skipped tests count as failures, and so do those that passed only at a second try. */
export function tallyPlaywright(report: { suites: PlaywrightSuite[]; errors: unknown[] }): Tally {
  const tally: Tally = { passed: 0, failed: [] }
  const walk = (suite: PlaywrightSuite, above: string[]) => {
    const names = [...above, suite.title]
    for (const spec of suite.specs ?? []) {
      for (const test of spec.tests) {
        if (test.status === 'expected') tally.passed += 1
        else tally.failed.push(`${[...names, spec.title].join(' › ')} (${test.status})`)
      }
    }
    for (const inner of suite.suites ?? []) walk(inner, names)
  }
  for (const suite of report.suites) walk(suite, [])
  if (report.errors.length > 0) tally.failed.push('an error outside every test')
  return tally
}

/**
 * Reads and counts a report file.
 * @param code the exit code of the program that wrote it: one that is not 0 is a failure even where every test passed
 */
export function tallyFile<Report>(file: string, code: number, count: (report: Report) => Tally): Tally {
  if (!fs.existsSync(file)) return { passed: 0, failed: ['it ended without a report'] }
  const tally = count(JSON.parse(fs.readFileSync(file, 'utf8')) as Report)
  if (tally.passed + tally.failed.length === 0) tally.failed.push('not a single test was found')
  if (code !== 0 && tally.failed.length === 0) tally.failed.push(`all tests passed, but it ended with exit code ${code}`)
  return tally
}
