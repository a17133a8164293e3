import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { createTestEngine, testTool } from './testing'

type Steps = WorkflowSpec['steps']

/** Runs these steps with tools that succeed, except those named `bad…`; returns each step's status. */
async function statuses(steps: Steps, input: Record<string, Json> = { n: 1 }) {
  const tools = ['good', 'bad'].map((name) =>
    testTool(name, () => {
      if (name === 'bad') throw Object.assign(new Error('no'), { name: 'FatalError' })
      return 1
    }),
  )
  const workflow: WorkflowSpec = { spec: 1, slug: 'flow', title: 'Flow', input: { n: { type: 'number' } }, steps }
  const t = createTestEngine({ tools, workflows: [workflow] })
  const id = await t.start('flow', input)
  await t.settle()
  const run = t.run(id)
  return { run: run.status, error: run.error, ...Object.fromEntries([...run.steps].map(([stepId, step]) => [stepId, step.status])) }
}
const good = (id: string, after: string[], join: 'all' | 'any' = 'all'): Steps[number] => ({ id, uses: 'tool:good', after, join })
const bad = (id: string, after: string[]): Steps[number] => ({ id, uses: 'tool:bad', after })
const pick: Steps[number] = {
  id: 'pick',
  uses: 'choice',
  after: [],
  branches: [
    { name: 'one', when: { left: '${input.n}', op: 'eq', right: 1 } },
    { name: 'two', when: { left: '${input.n}', op: 'eq', right: 2 } },
  ],
}

test('with join all, one dead entry skips the step', async () => {
  expect(await statuses([pick, good('a', []), good('b', ['pick.two', 'a'])])).toMatchObject({ run: 'succeeded', b: 'skipped' })
})

test('with join any, one live entry starts the step, once all have settled', async () => {
  expect(await statuses([pick, good('a', ['pick.one']), good('b', ['pick.two']), good('c', ['a', 'b'], 'any')])).toMatchObject({
    a: 'succeeded',
    b: 'skipped',
    c: 'succeeded',
  })
})

test('with join any and no live entry the step is skipped', async () => {
  expect(await statuses([pick, good('b', ['pick.two']), good('c', ['b', 'pick.two'], 'any')])).toMatchObject({
    c: 'skipped',
    run: 'succeeded',
  })
})

test('skipping propagates, and a run of which everything is skipped has succeeded', async () => {
  expect(await statuses([pick, good('b', ['pick.two']), good('c', ['b']), good('d', ['c'])])).toMatchObject({
    b: 'skipped',
    c: 'skipped',
    d: 'skipped',
    run: 'succeeded',
  })
})

test('a branch whose condition does not hold is not taken, and where none holds the run parks', async () => {
  expect(await statuses([pick, good('a', ['pick.one'])], { n: 3 })).toMatchObject({
    run: 'parked',
    pick: 'failed',
    error: { code: 'no_branch' },
  })
})

test('types that cannot be compared park the run', async () => {
  const odd: Steps[number] = {
    id: 'pick',
    uses: 'choice',
    after: [],
    branches: [{ name: 'x', when: { left: '${input.n}', op: 'gt', right: 'b' } }, { name: 'y' }],
  }
  expect(await statuses([odd, good('a', ['pick.x'])])).toMatchObject({ run: 'parked', error: { code: 'predicate_type_mismatch' } })
})

test('a failure that somebody follows takes that edge, one that nobody follows parks', async () => {
  expect(await statuses([bad('a', []), good('b', ['a.failed']), good('c', ['a'])])).toMatchObject({
    run: 'succeeded',
    b: 'succeeded',
    c: 'skipped',
  })
  expect(await statuses([bad('a', []), good('c', ['a'])])).toMatchObject({ run: 'parked', a: 'failed' })
})

test('an edge for failures is dead when all goes well', async () => {
  expect(await statuses([good('a', []), good('b', ['a.failed'])])).toMatchObject({ run: 'succeeded', b: 'skipped' })
})

test('ids that objects carry already are ids like any other', async () => {
  expect(await statuses([good('constructor', []), good('valueof', ['constructor'])])).toMatchObject({
    run: 'succeeded',
    valueof: 'succeeded',
  })
})
