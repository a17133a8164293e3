import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { parseState } from './serialize'
import { createTestEngine, testTool, type TestEngine } from './testing'

type Steps = WorkflowSpec['steps']
const flow = (steps: Steps): WorkflowSpec => ({ spec: 1, slug: 'flow', title: 'Flow', steps })
const later = { id: 'later', uses: 'tool:later' as const }

/** Nothing starts any more, whatever time brings, and no row says that something is under way. */
async function expectStill(t: TestEngine, id: string, calls: () => number): Promise<void> {
  const before = calls()
  for (let day = 0; day < 4; day++) await t.advanceTime(86_400_000)
  expect(calls()).toBe(before)
  expect(t.run(id).status).toBe('cancelled')
  for (const row of t.store.read(id)?.rows.values() ?? []) expect(['queued', 'running', 'waiting']).not.toContain(row.status)
  expect(await t.queue.fetch(10)).toEqual([])
}

test('cancelled while a step waits for its retry, it is not tried again', async () => {
  let calls = 0
  const a = testTool('a', () => {
    calls++
    throw Object.assign(new Error('hm'), { name: 'TransientError' })
  })
  const t = createTestEngine({
    tools: [a],
    workflows: [
      flow([
        { id: 'a', uses: 'tool:a', after: [] },
        { ...later, after: ['a'] },
      ]),
    ],
  })
  const id = await t.start('flow')
  await t.settle()
  expect(t.run(id).steps.get('a')?.status).toBe('queued')
  await t.engine.cancel(id)
  expect(t.run(id).status).toBe('cancelled')
  await expectStill(t, id, () => calls)
})

test('cancelled while a gate is open, nobody can decide it any more, and it does not expire either', async () => {
  let calls = 0
  const steps: Steps = [
    { id: 'ask', uses: 'approve', after: [], role: 'manager', ttl_seconds: 60 },
    { ...later, after: ['ask', 'ask.expired'], join: 'any' },
  ]
  const t = createTestEngine({ tools: [testTool('later', () => void calls++)], workflows: [flow(steps)] })
  const id = await t.start('flow')
  await t.engine.cancel(id)
  expect(await t.resolveGate(id, { decision: 'approve' })).toEqual({ ok: false, reason: 'closed' })
  await expectStill(t, id, () => calls)
  expect(t.run(id).gates[0]?.status).toBe('withdrawn')
})

test('cancelled while a map is half done, what is on a worker drains and counts, and the rest never starts', async () => {
  const open: ((output: Json) => void)[] = []
  const a = testTool('a', (_, { item }) => {
    if (item < 2) return item
    const { promise, resolve } = Promise.withResolvers<Json>()
    open.push(resolve)
    return promise
  })
  const map = { id: 'm', uses: 'map' as const, after: [], over: [0, 1, 2, 3, 4, 5, 6, 7], concurrency: 2, do: { uses: 'tool:a' as const } }
  const t = createTestEngine({ tools: [a], workflows: [flow([map, { ...later, after: ['m'] }])] })
  const id = await t.start('flow')
  const settling = t.settle()
  await new Promise((resolve) => setImmediate(resolve))
  expect(open).toHaveLength(2)
  await t.engine.cancel(id)
  expect(t.run(id).status).toBe('running')
  for (const end of open) end('drained')
  await settling
  expect(
    t
      .run(id)
      .steps.get('m')
      ?.items.map(({ status }) => status),
  ).toEqual([...Array(4).fill('succeeded'), ...Array(4).fill('pending')])
  await expectStill(t, id, () => open.length)
})

test('what stops the run behind an empty map leaves no approval waiting that nobody can answer', async () => {
  const steps: Steps = [
    { id: 'm', uses: 'map', after: [], over: [], do: { uses: 'tool:later' } },
    { id: 'w', uses: 'wait', after: ['m'], seconds: '${run.id}' },
    { id: 'g', uses: 'approve', after: [], role: 'manager' },
  ]
  const t = createTestEngine({ tools: [testTool('later', () => null)], workflows: [flow(steps)] })
  const id = await t.start('flow')
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'wait_invalid' } })
  expect(t.run(id).gates.filter(({ status }) => status === 'open')).toEqual([])
  expect(parseState(t.store.read(id)?.state ?? '').steps.get('g')).toEqual({ at: 'pending' })
})
