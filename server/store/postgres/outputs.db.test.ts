import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Json } from '@/spec'
import { testEngine } from './testing/engine'
import { type Harness, openHarness } from './testing/harness'

let h: Harness
beforeAll(async () => {
  h = await openHarness()
})
afterAll(() => h.close())

const SPEC = JSON.stringify({
  spec: 1,
  slug: 'outputs',
  title: 'Outputs',
  steps: [
    { id: 'a', uses: 'tool:a', after: [] },
    { id: 'm', uses: 'map', after: [], over: [0, 1], tolerate: 1, do: { uses: 'tool:a' } },
    { id: 'b', uses: 'tool:b', after: ['a', 'm'], with: { a: '${steps.a.output}', m: '${steps.m.output}' } },
  ],
  output: { a: '${steps.a.output}' },
})

const OUTPUTS: [string, Json][] = [
  ['null', null],
  ['false', false],
  ['0', 0],
  ['an empty text', ''],
  ['an empty array', []],
  ['U+0000 in a text, a key and an error', { '\u0000': '\u0000' }],
  ['1 MiB', 'x'.repeat(1024 * 1024 - 2)],
]

it.each(OUTPUTS)('keeps %s as it is, through a map and to the end of the run, beside an error that holds U+0000', async (_, output) => {
  const given: Json[] = []
  const engine = testEngine(h, ({ stepId, item }, input) => {
    if (stepId === 'b') given.push(input)
    return item === 1 ? Promise.reject(new Error('nul: \u0000')) : Promise.resolve({ output })
  })
  const { definition, principal } = await h.seed(SPEC)
  const runId = await engine.start({ definition, principal, input: {} })
  for (let jobs = await h.queue.fetch(20); jobs.length > 0; jobs = await h.queue.fetch(20)) {
    for (const job of jobs) await engine.perform(job)
    await h.queue.complete(jobs.map(({ id }) => id))
  }
  const { rows } = await h.pool.query<{ status: string; output: string }>('SELECT status, output FROM workflow_runs WHERE id = $1', [runId])
  expect([rows[0]?.status, JSON.parse(rows[0]?.output ?? '')]).toEqual(['succeeded', { a: output }])
  const failed = [{ index: 1, error: { code: 'failed', message: 'nul: \uFFFD' } }]
  expect(given).toEqual([{ a: output, m: { results: [output, null], failed } }])
})
