import { describe, expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { advance } from './advance'
import type { RunState } from './model'
import { compilePlan } from './plan'
import type { Tool, ToolCall } from './ports'
import { createTestEngine, testTool } from './testing'

type Steps = WorkflowSpec['steps']
const error = (name: string) => Object.assign(new Error('as told'), { name })
const call = (id: string, over: object = {}): Steps[number] => ({ id, uses: `tool:${id}`, after: [], ...over })
const undoable = (id: string, over: object = {}) =>
  call(id, { compensate: { uses: 'tool:undo', with: { what: id, out: `\${steps.${id}.output}` } }, ...over })

const chain = (...ids: string[]) => ids.map((id, i) => undoable(id, { after: i === 0 ? [] : [ids[i - 1]] }))

/** A tool whose calls end when the test says so. */
function held(name: string, effect: Tool['effect'] = 'write') {
  const calls: { call: ToolCall; resolve: (output: Json) => void; reject: (thrown: unknown) => void }[] = []
  const tool = testTool(
    name,
    (_, made) => {
      const { promise, resolve, reject } = Promise.withResolvers<Json>()
      calls.push({ call: made, resolve, reject })
      return promise
    },
    { effect },
  )
  return { tool, calls }
}
async function begun(tools: Tool[], steps: Steps, over: Partial<WorkflowSpec> = {}) {
  const undone: Json[] = []
  const undo = testTool('undo', (input) => void undone.push(input))
  const t = createTestEngine({ tools: [undo, ...tools], workflows: [{ spec: 1, slug: 'flow', title: 'Flow', steps, ...over }] })
  const id = await t.start('flow')
  const settling = t.settle()
  await turn()
  return { t, id, undone, settling, run: () => t.run(id), step: (stepId: string) => t.run(id).steps.get(stepId) }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))
const ok = (name: string) => testTool(name, () => name)
const bad = (name: string) =>
  testTool(name, () => {
    throw error('FatalError')
  })

describe('while a run is stopping', () => {
  test('what is queued goes back, gates are withdrawn, what is on a worker drains and counts, and only then the run parks', async () => {
    const slow = held('slow')
    const fails = held('fails')
    const later = testTool('later', () => {
      throw error('TransientError')
    })
    const gate: Steps[number] = { id: 'gate', uses: 'approve', after: [], role: 'manager' }
    const { t, id, run, step, settling } = await begun(
      [slow.tool, fails.tool, later, ok('next')],
      [call('slow'), call('fails'), call('later'), gate, call('next', { after: ['slow'] })],
    )
    fails.calls[0]?.reject(error('FatalError'))
    await turn()
    expect(run()).toMatchObject({ status: 'running', gates: [{ status: 'withdrawn' }] })
    expect([step('later')?.status, step('gate')?.status, step('slow')?.status]).toEqual(['pending', 'cancelled', 'running'])
    expect(await t.engine.decideGate(run().gates[0]?.id ?? '', { userId: 'approver', decision: 'approve', channel: 'web' })).toMatchObject({
      reason: 'closed',
    })
    slow.calls[0]?.resolve('done')
    await settling
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'failed', stepId: 'fails' } })
    expect(step('slow')).toMatchObject({ status: 'succeeded', output: 'done' })
    expect(step('next')).toBeUndefined()
    await t.advanceTime(3_600_000)
    expect(t.run(id).status).toBe('parked')
  })

  test('the first decisive event wins', async () => {
    const one = held('one')
    const two = held('two')
    const { run, settling } = await begun([one.tool, two.tool], [call('one'), call('two')])
    one.calls[0]?.reject(error('FatalError'))
    await turn()
    two.calls[0]?.reject(error('FatalError'))
    await settling
    expect(run()).toMatchObject({ status: 'parked', error: { stepId: 'one' } })
  })

  test('a cancel overrides a coming park, but not a coming rejection', async () => {
    const slow = held('slow')
    const a = await begun([slow.tool, bad('fails')], [call('slow'), call('fails')])
    expect(await a.t.engine.cancel(a.id)).toEqual({ ok: true })
    slow.calls[0]?.resolve(1)
    await a.settling
    expect(a.run()).toMatchObject({ status: 'cancelled' })

    const again = held('slow')
    const gate: Steps[number] = { id: 'gate', uses: 'approve', after: [], role: 'manager' }
    const b = await begun([again.tool], [call('slow'), gate])
    void b.t.resolveGate(b.id, { decision: 'reject' })
    await turn()
    await b.t.engine.cancel(b.id)
    again.calls[0]?.resolve(1)
    await b.settling
    expect(b.run().status).toBe('rejected')
  })

  test('a drained attempt that fails in passing is not tried again', async () => {
    const slow = held('slow')
    const { run, step, settling } = await begun([slow.tool, bad('fails')], [call('slow'), call('fails')])
    slow.calls[0]?.reject(error('TransientError'))
    await settling
    expect(run()).toMatchObject({ status: 'parked', error: { stepId: 'fails' } })
    expect(step('slow')?.status).toBe('pending')
  })
})

test('the reducer keeps a rejection when a cancel comes', () => {
  const plan = compilePlan({ id: 'd', spec: JSON.stringify({ spec: 1, slug: 'f', title: 'F', steps: [call('a')] }) })
  const stopping: RunState = {
    status: 'running',
    seq: 0,
    steps: new Map([['a', { at: 'active', epoch: 1 }]]),
    stopping: { to: 'rejected', error: { code: 'approval_rejected', message: '' } },
  }
  expect(advance(plan, stopping, { type: 'cancel_requested' }).state.stopping?.to).toBe('rejected')
})

describe('a cancel', () => {
  test('tells the handlers, waits for them, and ends the run', async () => {
    const slow = held('slow')
    const { t, id, run, settling } = await begun([slow.tool], [call('slow'), call('next', { after: ['slow'] })])
    await t.engine.cancel(id)
    expect(slow.calls[0]?.call.signal.aborted).toBe(true)
    expect(run().status).toBe('running')
    slow.calls[0]?.reject(new Error('told to stop'))
    await settling
    expect(run()).toMatchObject({ status: 'cancelled', error: null })
  })

  test('of a run that waits for approval is immediate', async () => {
    const { t, id, run, settling } = await begun([], [{ id: 'gate', uses: 'approve', after: [], role: 'manager' }])
    await settling
    await t.engine.cancel(id)
    expect(run()).toMatchObject({ status: 'cancelled', gates: [{ status: 'withdrawn' }] })
  })

  test('of a call that cannot be repeated and was told to stop leaves an unknown outcome on it', async () => {
    const slow = held('slow', 'once')
    const { t, id, run, step, settling } = await begun([slow.tool], [call('slow')])
    await t.engine.cancel(id)
    slow.calls[0]?.reject(new Error('told to stop'))
    await settling
    expect(run().status).toBe('cancelled')
    expect(step('slow')).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } })
  })

  test('believes a handler that says itself that it failed for good', async () => {
    const slow = held('slow', 'once')
    const { t, id, step, settling } = await begun([slow.tool], [call('slow')])
    await t.engine.cancel(id)
    slow.calls[0]?.reject(Object.assign(new Error('nothing was sent'), { name: 'FatalError' }))
    await settling
    expect(step('slow')).toMatchObject({ status: 'failed', error: { code: 'failed' } })
  })

  test.each([
    ['write', { status: 'pending', error: null }],
    ['once', { status: 'failed', error: { code: 'outcome_unknown' } }],
  ] as const)(
    'leaves a handler (%s) behind that has not ended 30 s after it was told, and refuses what it returns later',
    async (effect, end) => {
      const deaf = held('deaf', effect)
      const { t, id, run, step, settling } = await begun([deaf.tool], [call('deaf', { timeout_seconds: 86_400 })])
      t.clock.advance(60_000)
      await t.engine.cancel(id)
      t.clock.advance(29_999)
      await turn()
      expect([run().status, step('deaf')?.status]).toEqual(['running', 'running'])
      t.clock.advance(1)
      await settling
      expect(run()).toMatchObject({ status: 'cancelled', error: null })
      expect(step('deaf')).toMatchObject(end)
      deaf.calls[0]?.resolve('late')
      await turn()
      expect(step('deaf')).toMatchObject({ ...end, output: undefined })
      expect(t.clock.untilNext()).toBeNull()
    },
  )

  test('waits no longer than the time limit, also for a handler that was told', async () => {
    const deaf = held('deaf')
    const { t, id, run, settling } = await begun([deaf.tool], [call('deaf', { timeout_seconds: 10 })])
    await t.engine.cancel(id)
    t.clock.advance(10_000)
    await settling
    expect(run().status).toBe('cancelled')
  })

  test('ends a parked run, and is refused by one that is over', async () => {
    const { t, id, run, settling } = await begun([bad('fails')], [call('fails')])
    await settling
    expect(await t.engine.cancel(id)).toEqual({ ok: true })
    expect(run().status).toBe('cancelled')
    expect(await t.engine.cancel(id)).toEqual({ ok: false, reason: 'finished' })
    expect(await t.engine.cancel('none')).toEqual({ ok: false, reason: 'not_found' })
  })
})

describe('compensation', () => {
  test('undoes what stands from the latest success backwards, with what each step put out', async () => {
    const { run, step, undone, settling } = await begun([ok('a'), ok('b'), bad('c')], chain('a', 'b', 'c'))
    await settling
    expect(run().status).toBe('parked')
    expect(undone).toEqual([
      { what: 'b', out: 'b' },
      { what: 'a', out: 'a' },
    ])
    expect([step('a')?.status, step('b')?.status, step('c')?.status]).toEqual(['compensated', 'compensated', 'failed'])
  })

  test('goes by the order of successes across branches, one undo at a time', async () => {
    const [a, b, undo] = [held('a'), held('b'), held('undo')]
    const { t, settling, run } = await begun(
      [a.tool, b.tool, bad('c'), undo.tool],
      [undoable('a'), undoable('b'), call('c', { after: ['a', 'b'] })],
    )
    b.calls[0]?.resolve('first')
    await turn()
    a.calls[0]?.resolve('second')
    await turn()
    expect(undo.calls.map((made) => made.call.stepId)).toEqual(['a'])
    undo.calls[0]?.resolve(null)
    await turn()
    expect(undo.calls.map((made) => made.call.stepId)).toEqual(['a', 'b'])
    expect(undo.calls[1]?.call.idempotencyKey).toBe(`${run().id}:b/undo`)
    undo.calls[1]?.resolve(null)
    await settling
    expect(t.run(run().id).status).toBe('parked')
  })

  test('an undo that fails is recorded, and the next one goes on; one that fails in passing is tried again', async () => {
    let tries = 0
    const undo = testTool('undo', (input) => {
      if ((input as { what: string }).what === 'b') throw error('FatalError')
      if (++tries === 1) throw error('TransientError')
      return null
    })
    const { t, step, settling } = await begun([ok('a'), ok('b'), bad('c'), undo], chain('a', 'b', 'c'))
    await settling
    await t.advanceTime(60_000)
    expect(step('b')).toMatchObject({ status: 'succeeded', undo: { status: 'failed', error: { code: 'failed' } } })
    expect(step('a')).toMatchObject({ status: 'compensated', undo: { status: 'succeeded', attempt: 2 } })
  })

  test.each([
    ['parked', undefined, 2],
    ['rejected', undefined, 0],
    ['rejected', ['rejected'], 2],
    ['cancelled', undefined, 0],
    ['cancelled', ['cancelled'], 2],
    ['parked', [], 0],
  ] as const)('when %s with compensate_on %j it undoes %i', async (end, on, count) => {
    const gate: Steps[number] = { id: 'gate', uses: 'approve', after: ['b'], role: 'manager' }
    const steps = [undoable('a'), undoable('b', { after: ['a'] }), gate, call('c', { after: ['gate'] })]
    const { t, id, run, undone, settling } = await begun([ok('a'), ok('b'), bad('c')], steps, on ? { compensate_on: [...on] } : {})
    await settling
    if (end === 'cancelled') await t.engine.cancel(id)
    else await t.resolveGate(id, { decision: end === 'rejected' ? 'reject' : 'approve' })
    await t.settle()
    expect(run().status).toBe(end)
    expect(undone).toHaveLength(count)
  })

  test('what the handler returned counts where the document has nothing, as plain data; the document wins', async () => {
    const compensation = { uses: 'tool:undo', with: { literal: '${run.id}' } }
    const tools = [testTool('a', () => 1, { compensation }), testTool('b', () => 2, { compensation }), bad('c')]
    const { undone, settling } = await begun(tools, [call('a'), undoable('b', { after: ['a'] }), call('c', { after: ['b'] })])
    await settling
    expect(undone).toEqual([{ what: 'b', out: 2 }, { literal: '${run.id}' }])
  })

  test('waits for a person while nobody knows how some call ended', async () => {
    const once = testTool(
      'once',
      () => {
        throw error('TransientError')
      },
      { effect: 'once' },
    )
    const { run, undone, settling } = await begun([ok('a'), once], [undoable('a'), call('once', { after: ['a'] })])
    await settling
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown' } })
    expect(undone).toEqual([])
  })

  test('a cancel during the pass sets the status, and the pass goes on', async () => {
    const undo = held('undo')
    const { t, id, run, settling } = await begun([ok('a'), ok('b'), bad('c'), undo.tool], chain('a', 'b', 'c'), {
      compensate_on: ['parked', 'cancelled'],
    })
    await t.engine.cancel(id)
    expect(run().status).toBe('cancelled')
    undo.calls[0]?.resolve(null)
    await turn()
    undo.calls[1]?.resolve(null)
    await settling
    expect([run().steps.get('a')?.status, run().steps.get('b')?.status]).toEqual(['compensated', 'compensated'])
    expect(undo.calls).toHaveLength(2)
  })
})
