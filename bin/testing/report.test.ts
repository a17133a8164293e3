import { expect, test } from 'vitest'
import { tallyFile, tallyPlaywright, tallyVitest } from './report'

const suite = (status: string, ...statuses: string[]) => ({
  name: 'a.test.ts',
  status,
  assertionResults: statuses.map((status, index) => ({ fullName: `test ${index}`, status })),
})
const spec = (title: string, status: 'expected' | 'unexpected' | 'flaky' | 'skipped') => ({ title, tests: [{ status }] })

test('every Vitest test that did not pass is a failure, a skipped one too', () => {
  const tally = tallyVitest({ success: false, testResults: [suite('failed', 'passed', 'failed', 'skipped', 'todo')] })
  expect(tally).toEqual({ passed: 1, failed: ['a.test.ts: test 1 (failed)', 'a.test.ts: test 2 (skipped)', 'a.test.ts: test 3 (todo)'] })
})

test('a suite that cannot be loaded is a failure', () => {
  expect(tallyVitest({ success: false, testResults: [suite('failed')] }).failed).toEqual(['a.test.ts: the suite could not run'])
})

test('an error outside every test is a failure', () => {
  expect(tallyVitest({ success: false, testResults: [suite('passed', 'passed')] }).failed).toEqual(['an error outside every test'])
  expect(tallyPlaywright({ suites: [], errors: [{}] }).failed).toEqual(['an error outside every test'])
})

test('Playwright tests are counted at every depth; flaky and skipped ones are failures', () => {
  const inner = { title: 'inner', specs: [spec('b', 'expected'), spec('c', 'flaky'), spec('d', 'skipped')] }
  const tally = tallyPlaywright({ suites: [{ title: 'x.spec.ts', specs: [spec('a', 'expected')], suites: [inner] }], errors: [] })
  expect(tally).toEqual({ passed: 2, failed: ['x.spec.ts › inner › c (flaky)', 'x.spec.ts › inner › d (skipped)'] })
})

test('a missing report is a failure', () => {
  expect(tallyFile('/nowhere/report.json', 0, tallyVitest).failed).toEqual(['it ended without a report'])
})
