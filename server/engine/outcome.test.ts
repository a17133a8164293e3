import { expect, test } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { createTestEngine, testTool } from './testing'

type Steps = WorkflowSpec['steps']
const call = (id: string, over: object = {}) => ({ id, uses: `tool:${id}` as const, after: [], ...over })
const undone = { compensate: { uses: 'tool:undo' as const, with: { of: '${steps.pay.output.id}' } } }

/** A run that paid, and then lost the answer of `pay` (or of the items in `lost`). */
async function unknown(steps: Steps, over: Partial<WorkflowSpec> = {}) {
  const keys: string[] = []
  let lose = true
  const pay = testTool(
    'pay',
    (_, made) => {
      keys.push(made.idempotencyKey.slice(made.runId.length + 1))
      if (lose && made.item <= 0) throw Object.assign(new Error('gone'), { name: 'TransientError' })
      return { id: 'later' }
    },
    { effect: 'once' },
  )
  const note = (name: string) =>
    testTool(name, (input, made) => void keys.push(`${made.idempotencyKey.slice(made.runId.length + 1)} ${JSON.stringify(input)}`))
  const t = createTestEngine({
    tools: [pay, note('undo'), note('a'), note('b')],
    workflows: [{ spec: 1, slug: 'flow', title: 'Flow', steps, ...over }],
  })
  const id = await t.start('flow')
  await t.settle()
  const record = async (outcome: Parameters<typeof t.engine.recordOutcome>[1]['outcome'], stepId = 'pay', item = -1) => {
    const result = await t.engine.recordOutcome(id, { by: 'helper', stepId, item, outcome })
    await t.settle()
    return result
  }
  return {
    t,
    id,
    record,
    run: () => t.run(id),
    step: (stepId: string) => t.run(id).steps.get(stepId),
    called: () => keys.splice(0),
    found: () => (lose = false),
  }
}

const steps: Steps = [
  call('a', { compensate: { uses: 'tool:undo', with: {} } }),
  call('pay', { after: ['a'], ...undone }),
  call('b', { after: ['pay'] }),
]

test('nothing is undone until the outcome is known; recorded as happened, it is undone with the rest, by what was recorded', async () => {
  const u = await unknown(steps)
  expect([u.run().status, u.run().error?.code, u.called()]).toEqual(['parked', 'outcome_unknown', ['a {}', 'pay']])
  expect(await u.record({ happened: true, output: { id: 'p1' } })).toEqual({ ok: true })
  expect(u.called()).toEqual(['pay/undo {"of":"p1"}', 'a/undo {}'])
  expect(u.step('pay')).toMatchObject({ status: 'compensated', output: { id: 'p1' }, flag: 'recorded_by_hand', error: null })
  expect(await u.record({ happened: false })).toEqual({ ok: false, reason: 'not_unknown' })
})

test('recorded as not happened, the step stays failed and the rest is undone', async () => {
  const u = await unknown(steps)
  u.called()
  await u.record({ happened: false })
  expect(u.called()).toEqual(['a/undo {}'])
  expect(u.step('pay')).toMatchObject({ status: 'failed', error: { code: 'not_performed' }, flag: 'recorded_by_hand' })
})

test('where nothing is undone, a recorded success is what the run goes on with', async () => {
  const u = await unknown([call('pay'), call('b', { after: ['pay'], with: { of: '${steps.pay.output.id}' } })])
  u.called()
  await u.record({ happened: true, output: { id: 'p1' } })
  expect(await u.t.engine.redrive(u.id, { by: 'helper', answers: {} })).toEqual({ ok: true })
  await u.t.settle()
  expect(u.called()).toEqual(['b {"of":"p1"}'])
  expect(u.run()).toMatchObject({ status: 'succeeded', error: null })
})

test('a re-drive resolves it too: the call is made again under the same key', async () => {
  const u = await unknown(steps)
  u.called()
  u.found()
  expect(await u.t.engine.planRedrive(u.id)).toMatchObject({ plan: { again: ['pay', 'b'], unknown: [{ stepId: 'pay', item: -1 }] } })
  await u.t.engine.redrive(u.id, { by: 'helper', answers: {} })
  await u.t.settle()
  expect(u.called()).toEqual(['pay', 'b {}'])
  expect(u.run().status).toBe('succeeded')
})

test('cancelled meanwhile, the outcome can still be recorded, and then is undone where the document says so', async () => {
  const u = await unknown(steps, { compensate_on: ['cancelled'] })
  u.called()
  await u.t.engine.cancel(u.id)
  await u.t.settle()
  expect([u.run().status, u.called()]).toEqual(['cancelled', []])
  await u.record({ happened: true, output: { id: 'p1' } })
  expect(u.called()).toEqual(['pay/undo {"of":"p1"}', 'a/undo {}'])
})

test('an item of a map is recorded alone, and a re-drive runs the others', async () => {
  const map = { id: 'm', uses: 'map' as const, after: [], over: [1, 2, 3], concurrency: 1, do: { uses: 'tool:pay' as const } }
  const u = await unknown([map])
  expect(u.called()).toEqual(['m:0'])
  expect(await u.record({ happened: true, output: 'by hand' }, 'm')).toEqual({ ok: false, reason: 'not_unknown' })
  expect(await u.record({ happened: true, output: 'by hand' }, 'm', 0)).toEqual({ ok: true })
  await u.t.engine.redrive(u.id, { by: 'helper', answers: {} })
  await u.t.settle()
  expect(u.called()).toEqual(['m:1', 'm:2'])
  expect(u.step('m')?.output).toEqual({ results: ['by hand', { id: 'later' }, { id: 'later' }], failed: [] })
})

test('an output that cannot be kept is refused', async () => {
  const u = await unknown([call('pay')])
  expect(await u.record({ happened: true, output: 'x'.repeat(1024 * 1024) })).toEqual({ ok: false, reason: 'too_large' })
  expect(u.run().error?.code).toBe('outcome_unknown')
})
