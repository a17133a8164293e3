import { expect, test } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { admitted, type QuotaUse } from './quota'
import { createTestEngine, testTool, type TestEngineOptions } from './testing'
import { TEST_EPOCH } from './time'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const MIDNIGHT = new Date(TEST_EPOCH.getTime() + DAY)
type Steps = WorkflowSpec['steps']
const flow = (steps: Steps, slug = 'flow'): WorkflowSpec => ({ spec: 1, slug, title: 'Flow', steps })
const call = (id: string, over: object = {}) => ({ id, uses: 'tool:t' as const, after: [], ...over })

function open(steps: Steps, options: Partial<TestEngineOptions>) {
  const calls: string[] = []
  const t = createTestEngine({
    tools: [testTool('t', (_, { stepId, item }) => void calls.push(item < 0 ? stepId : `${stepId}:${item}`))],
    workflows: [flow(steps)],
    ...options,
  })
  return { t, calls }
}
const daily = (stepsPerDay: number) => ({ stepsPerDay, concurrentSteps: null })
const atOnce = (concurrentSteps: number) => ({ stepsPerDay: null, concurrentSteps })

test('a step beyond the steps of a day waits for the next UTC day, uses no attempt, and goes on then', async () => {
  const { t, calls } = open([call('a'), call('b', { after: ['a'] })], { quota: daily(1) })
  const id = await t.start('flow')
  await t.settle()
  expect(calls).toEqual(['a'])
  expect(t.run(id)).toMatchObject({ status: 'running' })
  expect(t.run(id).steps.get('b')).toMatchObject({ status: 'queued', attempt: 1, deferred: { until: MIDNIGHT, reason: 'steps_per_day' } })
  await t.advanceTime(DAY - 1)
  expect(calls).toEqual(['a'])
  await t.advanceTime(1)
  expect(calls).toEqual(['a', 'b'])
  expect(t.run(id)).toMatchObject({ status: 'succeeded' })
  expect(t.run(id).steps.get('b')).toMatchObject({ attempt: 1, deferred: null })
})

test('a limit that is raised or taken away lets what waited go on, and so does none', async () => {
  const { t, calls } = open([call('a'), call('b'), call('c')], { quota: daily(1) })
  const id = await t.start('flow')
  await t.settle()
  t.setQuota(daily(2))
  await t.advanceTime(0)
  expect(calls).toEqual(['a', 'b'])
  t.setQuota(null)
  await t.advanceTime(0)
  expect(calls).toEqual(['a', 'b', 'c'])
  expect(t.run(id).status).toBe('succeeded')
})

test('no more steps run at the same time than the team may, who waits longest is called when one ends', async () => {
  const doing: (() => void)[] = []
  const started: string[] = []
  const hold = testTool('t', async (_, { stepId, item }) => {
    started.push(`${stepId}:${item}`)
    await new Promise<void>((resolve) => doing.push(resolve))
  })
  const map = { id: 'm', uses: 'map' as const, after: [], over: [0, 1, 2, 3, 4, 5], concurrency: 4, do: { uses: 'tool:t' as const } }
  const t = createTestEngine({ tools: [hold], workflows: [flow([map, call('late', { after: [] })])], quota: atOnce(2) })
  const id = await t.start('flow')
  const settling = t.settle()
  for (let ended = 0; ended < 7; ended++) {
    await new Promise((resolve) => setImmediate(resolve))
    expect(doing).toHaveLength(Math.min(2, 7 - ended))
    doing.shift()?.()
  }
  await settling
  // Items 4 and 5 came when others waited already.
  expect(started).toEqual(['m:0', 'm:1', 'm:2', 'm:3', 'late:-1', 'm:4', 'm:5'])
  expect(t.run(id)).toMatchObject({ status: 'succeeded' })
})

test('a step that is tried again counts once for its day', async () => {
  let tries = 0
  const flaky = testTool('t', () => {
    if (++tries < 3) throw Object.assign(new Error('not yet'), { name: 'TransientError' })
  })
  const { t } = open([call('a'), call('b', { after: ['a'] })], { quota: daily(2), tools: [flaky] })
  const id = await t.start('flow')
  await t.settle()
  await t.advanceTime(HOUR)
  await t.advanceTime(HOUR)
  expect(t.run(id)).toMatchObject({ status: 'succeeded' })
  expect(t.run(id).steps.get('a')).toMatchObject({ attempt: 3 })
})

test('cancel takes a step back that is put off: it never starts', async () => {
  const { t, calls } = open([call('a'), call('b', { after: ['a'] })], { quota: daily(1) })
  const id = await t.start('flow')
  await t.settle()
  expect(await t.engine.cancel(id)).toEqual({ ok: true })
  expect(t.run(id)).toMatchObject({ status: 'cancelled' })
  expect(t.run(id).steps.get('b')).toMatchObject({ status: 'pending', deferred: null })
  await t.advanceTime(DAY)
  expect(calls).toEqual(['a'])
})

test('undoing is exempt from the quota', async () => {
  const undone: string[] = []
  const tools = [
    testTool('t', (_, { stepId }) => {
      if (stepId === 'b') throw Object.assign(new Error('no'), { name: 'FatalError' })
    }),
    testTool('undo', (_, { stepId }) => void undone.push(stepId)),
  ]
  const steps = [call('a', { compensate: { uses: 'tool:undo' } }), call('b', { after: ['a'] })]
  const { t } = open(steps, { quota: { stepsPerDay: 2, concurrentSteps: 1 }, tools })
  const id = await t.start('flow')
  await t.settle()
  expect(t.run(id).status).toBe('parked')
  expect(undone).toEqual(['a'])
})

test('deadlines run on while steps are put off: a gate expires, a wait fires', async () => {
  const gate = { id: 'ask', uses: 'approve' as const, after: ['a'], role: 'boss', ttl_seconds: 3600 }
  const wait = { id: 'pause', uses: 'wait' as const, after: ['a'], seconds: 1800 }
  const { t, calls } = open([call('a'), gate, wait, call('b', { after: ['a'] })], { quota: daily(1) })
  const id = await t.start('flow')
  await t.settle()
  await t.advanceTime(1_800_000)
  expect(t.run(id).steps.get('pause')).toMatchObject({ status: 'succeeded' })
  await t.advanceTime(1_800_000)
  expect(t.run(id).status).toBe('rejected')
  await t.advanceTime(DAY)
  expect(calls).toEqual(['a'])
})

test('a step whose start was put off is not taken for lost by the sweep, and a job that comes twice starts it no sooner', async () => {
  const { t, calls } = open([call('a'), call('b')], { quota: daily(1) })
  await t.start('flow')
  const [first, second] = await t.queue.fetch(10)
  await t.engine.perform(first!)
  await t.engine.perform(second!)
  t.queue.lose([second!.id])
  await t.engine.sweep()
  await t.settle()
  expect(calls).toEqual(['a'])
})

const use = (over: Partial<QuotaUse>): QuotaUse => ({ now: TEST_EPOCH, midnight: MIDNIGHT, today: 0, taken: 0, waiting: 0, ...over })
const reasons = (of: QuotaUse, ...standings: (null | 'waiting' | 'called')[]) =>
  admitted(
    atOnce(2),
    of,
    standings.map((standing) => ({ first: true, standing })),
  ).map((one) => one?.reason ?? 'starts')

test('whoever comes new does not overtake those who wait, and a place that is kept is taken by whom it is kept for', () => {
  expect(reasons(use({ taken: 1, waiting: 1 }), null)).toEqual(['concurrent_steps'])
  expect(reasons(use({ taken: 1, waiting: 1 }), 'waiting', null)).toEqual(['starts', 'concurrent_steps'])
  expect(reasons(use({ taken: 2, waiting: 5 }), 'called')).toEqual(['starts'])
  expect(reasons(use({ taken: 2, waiting: 5 }), 'waiting')).toEqual(['concurrent_steps'])
})
