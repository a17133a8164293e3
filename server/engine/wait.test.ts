import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { createTestEngine, testTool } from './testing'

const NOW = '2030-01-01T00:00:00.000Z'
const DAY = 86_400_000

function flow(wait: { seconds?: Json; until?: Json }, more: WorkflowSpec['steps'] = []): WorkflowSpec {
  const steps: WorkflowSpec['steps'] = [
    { id: 'w', uses: 'wait', after: [], ...wait },
    { id: 'then', uses: 'tool:a', after: ['w'], with: { at: '${steps.w.output.waited_until}' } },
    ...more,
  ]
  return { spec: 1, slug: 'flow', title: 'Flow', input: { time: { type: 'object', required: false } }, steps }
}

async function waiting(wait: { seconds?: Json; until?: Json }, more: WorkflowSpec['steps'] = [], input: Record<string, Json> = {}) {
  const t = createTestEngine({ tools: [testTool('a', (given) => given)], workflows: [flow(wait, more)] })
  const id = await t.start('flow', input)
  await t.settle()
  return { t, id, run: () => t.run(id), w: () => t.run(id).steps.get('w') }
}

test('a wait takes no worker, lets its run go on when its time has come, and tells until when it waited', async () => {
  const { t, run, w } = await waiting({ seconds: 90 })
  expect([run().status, w()?.status, w()?.input]).toEqual(['running', 'waiting', { until: '2030-01-01T00:01:30.000Z' }])
  expect(t.queue.nextStart()).toBeNull()
  await t.advanceTime(89_999)
  expect(w()?.status).toBe('waiting')
  await t.advanceTime(1)
  expect(run().status).toBe('succeeded')
  expect(w()?.output).toEqual({ waited_until: '2030-01-01T00:01:30.000Z' })
  expect(run().steps.get('then')?.output).toEqual({ at: '2030-01-01T00:01:30.000Z' })
})

test.each<[string, { seconds?: Json; until?: Json }, string]>([
  ['no seconds', { seconds: 0 }, NOW],
  ['fewer than no seconds', { seconds: '${input.time.s}' }, '2029-12-31T23:59:55.000Z'],
  ['an instant that is past', { until: '2029-12-31T23:00:00+01:00' }, '2029-12-31T22:00:00.000Z'],
  ['an instant written in small letters', { until: '2029-12-31t23:00:00.1234567z' }, '2029-12-31T23:00:00.123Z'],
])('a wait for %s is over at once', async (_name, wait, until) => {
  const { run, w } = await waiting(wait, [], { time: { s: -5 } })
  expect([run().status, w()?.output]).toEqual(['succeeded', { waited_until: until }])
})

test('a wait until an instant is over at that instant', async () => {
  const { t, run } = await waiting({ until: '2030-01-02T01:00:00+01:00' })
  await t.advanceTime(DAY - 1)
  expect(run().status).toBe('running')
  await t.advanceTime(1)
  expect(run().status).toBe('succeeded')
})

test.each<[string, { seconds?: Json; until?: Json }, Json, string]>([
  ['null', { seconds: '${input.time.x}' }, null, "'seconds' is not a number but null"],
  ['a text for seconds', { seconds: '${input.time.x}' }, '5', "'seconds' is not a number but a string"],
  ['more than a year of seconds', { seconds: '${input.time.x}' }, 31_536_001, 'at most 31536000'],
  ['an array for an instant', { until: '${input.time.x}' }, [], 'but an array'],
  ['a date without a time', { until: '${input.time.x}' }, '2030-01-01', 'but another text'],
  ['an instant without an offset', { until: '${input.time.x}' }, '2030-01-01T10:00:00', 'but another text'],
  ['an instant more than a year ahead', { until: '${input.time.x}' }, '2031-01-01T00:00:01Z', 'more than a year ahead'],
])('a wait for %s parks its run with wait_invalid', async (_name, wait, x, message) => {
  const { run, w } = await waiting(wait, [], { time: { x } })
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'wait_invalid', stepId: 'w', message: expect.stringContaining(message) } })
  expect(w()?.status).toBe('failed')
})

test('a wait of exactly a year is no mistake', async () => {
  const { run } = await waiting({ until: '2031-01-01T00:00:00Z' })
  expect(run().status).toBe('running')
})

test('a run that waits for time and for people says that it waits for people', async () => {
  const { t, id, run } = await waiting({ seconds: 60 }, [{ id: 'g', uses: 'approve', after: [], role: 'manager' }])
  expect(run().status).toBe('awaiting_approval')
  await t.resolveGate(id, { decision: 'approve' })
  expect(run().status).toBe('running')
})

test('the sweep says when the next timer is due, also beside a gate that is due later', async () => {
  const { t } = await waiting({ seconds: 30 }, [{ id: 'g', uses: 'approve', after: [], role: 'manager', ttl_seconds: 60 }])
  expect(await t.engine.sweepDue()).toEqual({ expired: 0, fired: 0, nextDue: new Date(t.clock.now().getTime() + 30_000) })
  t.clock.advance(30_000)
  expect(await t.engine.sweepDue()).toMatchObject({ expired: 0, fired: 1 })
})

test('a timer that came due while nobody swept fires with the next sweep, once', async () => {
  const { t, run } = await waiting({ seconds: 1 })
  t.clock.advance(30 * DAY)
  const swept = await Promise.all([t.engine.sweep(), t.engine.sweep(), t.engine.sweepDue()])
  expect(swept.reduce((sum, { fired }) => sum + fired, 0)).toBe(1)
  await t.settle()
  expect(run().status).toBe('succeeded')
})

test('cancelled while it waits, the run ends at once, and its timer never fires', async () => {
  const { t, id, run, w } = await waiting({ seconds: 60 })
  await t.engine.cancel(id)
  expect([run().status, w()?.status]).toEqual(['cancelled', 'cancelled'])
  await t.advanceTime(60_000)
  expect([run().status, run().steps.get('then')]).toEqual(['cancelled', undefined])
})

test('when the run parks its timer drops, and keeps its deadline', async () => {
  const fails: WorkflowSpec['steps'] = [
    { id: 'soon', uses: 'wait', after: [], seconds: 10 },
    { id: 'none', uses: 'tool:none', after: ['soon'] },
  ]
  const { t, id, run } = await waiting({ seconds: 60 }, fails)
  await t.advanceTime(10_000)
  expect(run().status).toBe('parked')
  const kept = [...(t.store.read(id)?.timers.values() ?? [])].find((timer) => timer.stepId === 'w')
  expect(kept).toMatchObject({ status: 'dropped', dueAt: new Date('2030-01-01T00:01:00.000Z') })
  await t.advanceTime(60_000)
  expect(run().steps.get('w')?.status).toBe('cancelled')
})
