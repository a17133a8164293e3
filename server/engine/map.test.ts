import { describe, expect, test } from 'vitest'
import type { Json, MapStep, WorkflowSpec } from '@/spec'
import { advance } from './advance'
import type { RunState } from './model'
import { compilePlan, initialState } from './plan'
import type { Tool } from './ports'
import { createTestEngine, testTool } from './testing'

const fatal = () => Object.assign(new Error('no'), { name: 'FatalError' })
const document = (map: Partial<MapStep>, more: WorkflowSpec['steps'] = []): WorkflowSpec => ({
  spec: 1,
  slug: 'flow',
  title: 'Flow',
  input: { list: { type: 'array', required: false } },
  steps: [
    { id: 'm', uses: 'map', after: [], over: '${input.list}', do: { uses: 'tool:one', with: { v: '${item}', i: '${index}' } }, ...map },
    ...more,
  ],
})
async function mapped(list: Json | undefined, one: Tool, workflow = document({})) {
  const t = createTestEngine({
    tools: [one, testTool('after', (input) => input), testTool('undo', (input) => input)],
    workflows: [workflow],
  })
  const id = await t.start('flow', list === undefined ? {} : { list })
  await t.settle()
  return { t, id, run: () => t.run(id), m: () => t.run(id).steps.get('m') }
}
const doubled = testTool('one', (input) => (input as { v: number }).v * 2)
/** Fails for the values given. */
const refusing = (...values: number[]) =>
  testTool('one', (input) => {
    const { v } = input as { v: number }
    if (values.includes(v)) throw fatal()
    return v
  })

test('results come in the order of the array, each item with its own value, index and key', async () => {
  const keys: string[] = []
  const one = testTool('one', (input, call) => {
    keys.push(call.idempotencyKey)
    return input
  })
  const { id, run, m } = await mapped(['a', null], one)
  expect(run().status).toBe('succeeded')
  expect(m()?.output).toEqual({
    results: [
      { v: 'a', i: 0 },
      { v: null, i: 1 },
    ],
    failed: [],
  })
  expect(keys.sort()).toEqual([`${id}:m:0`, `${id}:m:1`])
})

test('an empty array succeeds at once', async () => {
  const { run, m } = await mapped([], doubled)
  expect([run().status, m()?.output]).toEqual(['succeeded', { results: [], failed: [] }])
})

test.each([[null], ['text'], [{ a: 1 }], [undefined]])('over %j fails the step, and that may be followed', async (list) => {
  const parked = await mapped(list, doubled)
  expect(parked.run()).toMatchObject({ status: 'parked', error: { code: 'map_over_not_array', stepId: 'm' } })
  const followed = await mapped(list, doubled, document({}, [{ id: 'after', uses: 'tool:after', after: ['m.failed'] }]))
  expect(followed.run().status).toBe('succeeded')
})

test('10,000 items may be mapped and 10,001 may not', async () => {
  const { run } = await mapped(Array(10_001).fill(1), doubled)
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'map_too_large' } })
})

test('no more items run at once than the map allows', async () => {
  let now = 0
  let most = 0
  const one = testTool('one', async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setImmediate(resolve))
    now--
    return null
  })
  const { run } = await mapped(Array(20).fill(1), one, document({ concurrency: 3 }))
  expect([run().status, most]).toEqual(['succeeded', 3])
})

test('as many failures as are tolerated leave the map succeeded, with null where an item failed', async () => {
  const { run, m } = await mapped([1, 2, 3], refusing(2), document({ tolerate: 1 }))
  expect(run().status).toBe('succeeded')
  expect(m()?.output).toEqual({ results: [1, null, 3], failed: [{ index: 1, error: { code: 'failed', message: 'no' } }] })
})

test('at one failure more nothing new starts, what runs finishes, and the step fails with its output stored', async () => {
  const gate = Promise.withResolvers<null>()
  const started: number[] = []
  const one = testTool('one', async (input) => {
    const { v } = input as { v: number }
    started.push(v)
    if (v === 1) throw fatal()
    await gate.promise
    return v
  })
  const t = createTestEngine({ tools: [one], workflows: [document({ concurrency: 2 })] })
  const id = await t.start('flow', { list: [1, 2, 3, 4] })
  const settling = t.settle()
  await new Promise((resolve) => setImmediate(resolve))
  expect(t.run(id).status).toBe('running')
  gate.resolve(null)
  await settling
  expect(started).toEqual([1, 2])
  expect(t.run(id)).toMatchObject({
    status: 'parked',
    error: { code: 'map_failed', stepId: 'm', message: '1 of 4 items failed, and none may fail here. Item 1: no' },
  })
  const m = t.run(id).steps.get('m')
  expect(m?.output).toEqual({ results: [null, 2, null, null], failed: [{ index: 0, error: { code: 'failed', message: 'no' } }] })
  expect(m?.items.map((item) => item.status)).toEqual(['failed', 'succeeded', 'skipped', 'skipped'])
})

test('an item that waits for its next attempt does not start again once too many failed', async () => {
  const one = testTool('one', (input) => {
    throw (input as { v: number }).v === 1 ? fatal() : Object.assign(new Error('later'), { name: 'TransientError' })
  })
  const { t, run, m } = await mapped([2, 1], one, document({ concurrency: 2 }))
  expect(run().status).toBe('parked')
  await t.advanceTime(3_600_000)
  expect(m()?.items.map((item) => [item.status, item.attempt])).toEqual([
    ['skipped', 2],
    ['failed', 1],
  ])
})

test('an item on a worker whose attempt fails in passing is not tried again once too many failed', async () => {
  const held = Promise.withResolvers<null>()
  const one = testTool('one', async (input) => {
    if ((input as { v: number }).v === 1) throw fatal()
    return held.promise
  })
  const t = createTestEngine({ tools: [one], workflows: [document({})] })
  const id = await t.start('flow', { list: [1, 2] })
  const settling = t.settle()
  await new Promise((resolve) => setImmediate(resolve))
  held.reject(Object.assign(new Error('later'), { name: 'TransientError' }))
  await settling
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'map_failed' } })
  await t.advanceTime(3_600_000)
  expect(
    t
      .run(id)
      .steps.get('m')
      ?.items.map((item) => [item.status, item.attempt]),
  ).toEqual([
    ['failed', 1],
    ['skipped', 1],
  ])
})

test('a failed map that is followed shows its error, results and failures, and undoes nothing', async () => {
  const more: WorkflowSpec['steps'] = [{ id: 'after', uses: 'tool:after', after: ['m.failed'], with: { all: '${steps.m.output}' } }]
  const workflow = document({ do: { uses: 'tool:one', with: { v: '${item}' }, compensate: { uses: 'tool:undo' } } }, more)
  const { run, m } = await mapped([1, 2], refusing(2), workflow)
  expect(run().status).toBe('succeeded')
  expect(run().steps.get('after')?.output).toMatchObject({
    all: { results: [1, null], failed: [{ index: 1 }], error: { code: 'map_failed' } },
  })
  expect(m()?.items.map((item) => item.status)).toEqual(['succeeded', 'failed'])
})

test('when the run parks, the items that succeeded are undone one by one, each by its own output', async () => {
  const undo = { uses: 'tool:undo' as const, with: { out: '${steps.m.output}', item: '${item}', i: '${index}' } }
  const { run, m } = await mapped(
    [1, 5, 2],
    refusing(2),
    document({ concurrency: 1, do: { uses: 'tool:one', with: { v: '${item}' }, compensate: undo } }),
  )
  expect(run().status).toBe('parked')
  expect(m()?.items.map((item) => item.status)).toEqual(['compensated', 'compensated', 'failed'])
  expect(m()?.items.map((item) => item.undo?.output)).toEqual([{ out: 1, item: 1, i: 0 }, { out: 5, item: 5, i: 1 }, undefined])
})

test('an unknown tool is never tolerated, and never caught', async () => {
  const more: WorkflowSpec['steps'] = [{ id: 'after', uses: 'tool:after', after: ['m.failed'] }]
  const { run, m } = await mapped([1, 2, 3], doubled, document({ tolerate: 3, do: { uses: 'tool:none' } }, more))
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'unknown_tool', stepId: 'm' } })
  expect(m()?.status).toBe('failed')
})

describe('the work of one item', () => {
  const plan = compilePlan({ id: 'd', spec: JSON.stringify(document({ concurrency: 10 })) })
  const opened = (total: number): RunState => {
    const started = advance(plan, initialState(plan), { type: 'started' }).state
    return advance(plan, started, { type: 'map_opened', stepId: 'm', epoch: 1, total }).state
  }
  test('is the same in a map of ten thousand as in one of twenty: the same state, one effect', () => {
    for (const total of [20, 10_000]) {
      let state = opened(total)
      for (let item = 0; item < 10; item++) {
        const next = advance(plan, state, { type: 'item_ended', stepId: 'm', epoch: 1, item })
        expect(next.effects).toEqual([{ type: 'enqueue', ref: { stepId: 'm', item: item + 10, call: '', epoch: 1 } }])
        state = next.state
      }
      expect(state.steps.get('m')).toEqual({
        at: 'waiting',
        epoch: 1,
        on: 'map',
        map: { total, next: 20, active: 10, succeeded: 10, failed: 0 },
      })
    }
  })
})
