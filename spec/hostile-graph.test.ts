import { expect, it } from 'vitest'
import { describe, diff, parseWorkflow, type Step, warningsOf, type WorkflowSpec } from '.'

/*
 * The web process describes, compares and warns of whatever document was stored: none within the limits may hold it up. Seconds of
 * processor time, not of the clock, with room for a busy machine; before they were bounded these took 5 to 60.
 */
const SOON = 3
const range = (length: number) => Array.from({ length }, (_, i) => i)
const tool = (id: string, after: string[], more: object = {}) => ({ id, uses: 'tool:a.b', after, ...more }) as Step
const choice = (id: string, after: string[]): Step => ({
  id,
  uses: 'choice',
  after,
  branches: [{ name: 'yes', when: { left: '${run.id}', op: 'eq', right: 1 } }, { name: 'no' }],
})
const before = (i: number, most: number) => range(Math.min(most, i)).map((k) => `s${i - 1 - k}`)

const DOCUMENTS: [string, Step[]][] = [
  ['500 steps that wait for 60 others each', range(500).map((i) => tool(`s${i}`, before(i, 60)))],
  ['the same joined by any', range(500).map((i) => tool(`s${i}`, before(i, 60), i > 0 ? { join: 'any' } : {}))],
  ['500 choices in a row', range(500).map((i) => choice(`c${i}`, i > 0 ? [`c${i - 1}.yes`] : []))],
  [
    '250 choices in a row with something on the other branch',
    range(250).flatMap((i) => [choice(`c${i}`, i > 0 ? [`c${i - 1}.yes`] : []), tool(`t${i}`, [`c${i}.no`])]),
  ],
  [
    '499 steps behind a rejection, each after the failure of the one before',
    [
      { id: 'g', uses: 'approve', after: [], role: 'boss' },
      ...range(499).map((i) => tool(`t${i}`, [i > 0 ? `t${i - 1}.failed` : 'g.rejected'])),
    ],
  ],
  [
    'a call with 20,000 inputs that its tool does not know',
    [tool('t', [], { with: Object.fromEntries(range(20_000).map((i) => [`k${i}`, 1])) })],
  ],
]
const closed = { title: 'T', effect: 'write' as const, input: { type: 'object', additionalProperties: false }, output: true }

it.each(DOCUMENTS)('is described, compared and warned of soon: %s', { timeout: 120_000 }, (_name, steps) => {
  const spec: WorkflowSpec = { spec: 1, slug: 'a-flow', title: 'A', steps }
  expect(parseWorkflow(JSON.stringify(spec)).ok).toBe(true)
  const catalogue = { tools: new Map([['a.b', closed]]) }
  const other: WorkflowSpec = { ...spec, steps: steps.slice(0, 1) }
  for (const work of [() => warningsOf(spec, catalogue), () => describe(spec, catalogue), () => diff(other, spec, catalogue)]) {
    const from = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(from)
    expect((user + system) / 1e6).toBeLessThan(SOON)
  }
})
