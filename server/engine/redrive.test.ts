import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import type { Tool } from './ports'
import { createTestEngine, testTool } from './testing'

type Steps = WorkflowSpec['steps']
const call = (id: string, over: object = {}) => ({ id, uses: `tool:${id}` as const, after: [], ...over })
const undone = { compensate: { uses: 'tool:undo' as const, with: {} } }
const fatal = () => Object.assign(new Error('no'), { name: 'FatalError' })
const transient = () => Object.assign(new Error('hm'), { name: 'TransientError' })

/** Tools by name that note each call's key, and fail as long as their name is in `broken`. */
function world(effects: Record<string, Tool['effect']>, error = fatal) {
  const broken = new Set<string>()
  const keys: string[] = []
  const tools = [...Object.entries(effects), ['undo', 'write'] as const].map(([name, effect]) =>
    testTool(
      name,
      (input, made) => {
        keys.push(made.idempotencyKey.slice(made.runId.length + 1))
        if (broken.has(name) || (made.item >= 0 && broken.has(`${name}:${made.item}`))) throw error()
        return { input, n: keys.length }
      },
      { effect },
    ),
  )
  /** The keys of the calls since it was last asked. */
  const called = () => keys.splice(0)
  return { tools, broken, called }
}

async function parked(w: ReturnType<typeof world>, steps: Steps, over: Partial<WorkflowSpec> = {}) {
  const t = createTestEngine({ tools: w.tools, workflows: [{ spec: 1, slug: 'flow', title: 'Flow', steps, ...over }] })
  const id = await t.start('flow')
  await t.settle()
  const redrive = async (answers: Record<string, 'repeat' | 'keep'> = {}) => {
    const result = await t.engine.redrive(id, { by: 'helper', answers })
    await t.settle()
    return result
  }
  const plan = async () => {
    const planned = await t.engine.planRedrive(id, (uses) => w.tools.find((tool) => uses === `tool:${tool.name}`)?.effect ?? 'write')
    return planned.ok ? planned.plan : planned.reason
  }
  const statuses = () => Object.fromEntries([...t.run(id).steps].map(([stepId, { status }]) => [stepId, status]))
  return { t, id, redrive, plan, statuses, run: () => t.run(id), step: (stepId: string) => t.run(id).steps.get(stepId) }
}

test('what failed runs again, with what depends on it, and nothing else; the run has no error any more', async () => {
  const w = world({ a: 'write', b: 'write', c: 'write' })
  w.broken.add('b')
  const p = await parked(w, [call('a'), call('b', { after: ['a'] }), call('c', { after: ['b'] })])
  expect(p.run()).toMatchObject({ status: 'parked', error: { stepId: 'b' } })
  w.called()
  w.broken.clear()
  expect(await p.plan()).toEqual({ again: ['b', 'c'], ask: [], unknown: [] })
  expect(await p.redrive()).toEqual({ ok: true })
  expect(w.called()).toEqual(['b#2', 'c'])
  expect(p.run()).toMatchObject({ status: 'succeeded', error: null })
})

test('after an end that may have happened, the key stays: whoever performs the effect recognises the repeat', async () => {
  const w = world({ a: 'write' }, transient)
  w.broken.add('a')
  const p = await parked(w, [call('a', { retry: { max_attempts: 2 } })])
  await p.t.advanceTime(600_000)
  expect(w.called()).toEqual(['a', 'a'])
  expect(p.run().status).toBe('parked')
  await p.redrive()
  await p.t.advanceTime(600_000)
  w.broken.clear()
  await p.redrive()
  expect(new Set(w.called())).toEqual(new Set(['a']))
  expect(p.step('a')).toMatchObject({ status: 'succeeded', attempt: 1 })
})

test('a known failure after an attempt that may have happened does not free the key', async () => {
  const w = world({ a: 'write' })
  let throws: () => Error = transient
  const a = testTool('a', (_, made) => {
    w.tools[1]?.run(made, null)
    throw throws()
  })
  const p = await parked({ ...w, tools: [a, ...w.tools.slice(1)] }, [call('a')])
  throws = fatal
  await p.t.advanceTime(1000)
  expect(p.run().error?.code).toBe('failed')
  await p.redrive()
  await p.t.settle()
  expect(new Set(w.called())).toEqual(new Set(['a']))
})

test('what was undone is done again under a new key, and a failing pass undoes each of them once', async () => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  const p = await parked(w, [call('a', undone), call('b', { after: ['a'] })])
  expect(w.called()).toEqual(['a', 'b', 'a/undo'])
  expect(p.step('a')?.status).toBe('compensated')
  expect(await p.plan()).toMatchObject({ again: ['a', 'b'] })
  await p.redrive()
  expect(w.called()).toEqual(['a#2', 'b#2', 'a/undo#2'])
  w.broken.clear()
  await p.redrive()
  expect(w.called()).toEqual(['a#3', 'b#3'])
  expect(p.run().status).toBe('succeeded')
})

test('a success that stands is asked about: without exactly the answers nothing happens', async () => {
  const w = world({ a: 'write', b: 'write', c: 'read', d: 'write' })
  w.broken.add('d')
  const steps: Steps = [call('a', undone), call('b', { after: ['a'] }), call('c', { after: ['a'] }), call('d', { after: ['b', 'c'] })]
  const p = await parked(w, steps)
  w.called()
  const unanswered = { ok: false, reason: 'unanswered', plan: { again: ['a', 'b', 'c', 'd'], ask: ['b'], unknown: [] } }
  expect(await p.redrive()).toEqual(unanswered)
  expect(await p.redrive({ b: 'keep', c: 'keep' })).toEqual(unanswered)
  expect(await p.redrive({ c: 'keep' })).toEqual(unanswered)
  expect([w.called(), p.run().status]).toEqual([[], 'parked'])
  w.broken.clear()
  await p.redrive({ b: 'keep' })
  expect(w.called()).toEqual(['a#2', 'c#2', 'd#2'])
  expect(p.run().status).toBe('succeeded')
})

test('what is repeated on purpose gets a new key; both successes are undone when it stops again', async () => {
  const w = world({ a: 'write', b: 'write', c: 'write', undo_b: 'write' })
  w.broken.add('c').add('undo_b')
  const b = call('b', { after: ['a'], compensate: { uses: 'tool:undo_b', with: {} } })
  const p = await parked(w, [call('a', undone), b, call('c', { after: ['b'] })])
  expect(w.called()).toEqual(['a', 'b', 'c', 'b/undo', 'a/undo'])
  expect(p.statuses()).toEqual({ a: 'compensated', b: 'succeeded', c: 'failed' })
  w.broken.delete('undo_b')
  // b could not be undone, so it stands, and its repeat is somebody's decision.
  expect(await p.plan()).toMatchObject({ again: ['a', 'b', 'c'], ask: ['b'] })
  expect(await p.redrive({ b: 'repeat' })).toEqual({ ok: true })
  expect(w.called()).toEqual(['a#2', 'b#2', 'c#2', 'b/undo#2', 'a/undo#2'])
  expect(p.statuses()).toEqual({ a: 'compensated', b: 'compensated', c: 'failed' })
})

test('what could not be undone stands: only what failed runs again', async () => {
  const w = world({ a: 'write', b: 'write', c: 'write' })
  w.broken.add('c').add('undo')
  const p = await parked(w, [call('a', undone), call('b', { after: ['a'], ...undone }), call('c', { after: ['b'] })])
  expect(w.called()).toEqual(['a', 'b', 'c', 'b/undo', 'a/undo'])
  w.broken.delete('undo')
  expect(await p.plan()).toMatchObject({ again: ['c'], ask: [] })
  await p.redrive()
  expect(w.called()).toEqual(['c#2'])
})

test('while something is undone a re-drive is refused, and so is one of a run that is not parked', async () => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  const undo = Promise.withResolvers<Json>()
  const slow = testTool('undo', () => undo.promise)
  const t = createTestEngine({
    tools: [...w.tools.slice(0, 2), slow],
    workflows: [{ spec: 1, slug: 'flow', title: 'Flow', steps: [call('a', undone), call('b', { after: ['a'] })] }],
  })
  const id = await t.start('flow')
  expect(await t.engine.redrive(id, { by: 'helper', answers: {} })).toEqual({ ok: false, reason: 'not_parked' })
  const settling = t.settle()
  await new Promise((resolve) => setImmediate(resolve))
  expect(await t.engine.redrive(id, { by: 'helper', answers: {} })).toEqual({ ok: false, reason: 'compensating' })
  undo.resolve(null)
  await settling
  expect(await t.engine.redrive(id, { by: 'helper', answers: {} })).toEqual({ ok: true })
  expect(await t.engine.redrive('none', { by: 'helper', answers: {} })).toEqual({ ok: false, reason: 'not_found' })
})

const list = [10, 11, 12, 13, 14]
const map = (over: object = {}) => ({
  id: 'm',
  uses: 'map' as const,
  after: [],
  over: list,
  concurrency: 2,
  do: { uses: 'tool:a' as const, with: { v: '${item}' } },
  ...over,
})

test('of a map only the items that failed or never started run again, at most so many at once, and its output is whole', async () => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('a:1').add('a:3')
  const p = await parked(w, [map({ tolerate: 1 }), call('b', { after: ['m'] })])
  expect(w.called()).toEqual(['m:0', 'm:1', 'm:2', 'm:3'])
  expect(p.run().status).toBe('parked')
  w.broken.clear()
  expect(await p.plan()).toEqual({ again: ['m', 'b'], ask: [], unknown: [] })
  await p.redrive()
  expect(w.called()).toEqual(['m:1#2', 'm:3#2', 'm:4', 'b'])
  const output = p.step('m')?.output as { results: { input: { v: number } }[]; failed: Json[] }
  expect([output.results.map(({ input }) => input.v), output.failed]).toEqual([list, []])
})

test('a map that another failure had stopped goes on where it was, and a map may be re-driven twice', async () => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  const p = await parked(w, [call('b'), map()])
  expect(p.run().status).toBe('parked')
  const first = w.called().filter((key) => key !== 'b')
  expect(first.length).toBeLessThan(5)
  w.broken.add('a:4')
  w.broken.delete('b')
  await p.redrive()
  w.broken.clear()
  expect(p.run().error?.code).toBe('map_failed')
  await p.redrive()
  expect(p.run().status).toBe('succeeded')
  const all = [...first, ...w.called()].filter((key) => !key.startsWith('b'))
  expect(all.sort()).toEqual(['m:0', 'm:1', 'm:2', 'm:3', 'm:4', 'm:4#2'])
})

test('items that were undone run again under new keys; those that could not be undone stand', async () => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  let refuse = true
  const undo = testTool('undo', (_, made) => {
    w.tools[0]?.run({ ...made, item: -1 }, null)
    if (refuse && made.item === 2) throw fatal()
  })
  const p = await parked({ ...w, tools: [...w.tools.slice(0, 2), undo] }, [
    map({ do: { ...map().do, ...undone } }),
    call('b', { after: ['m'] }),
  ])
  refuse = false
  expect(p.step('m')?.items.map(({ status }) => status)).toEqual(['compensated', 'compensated', 'succeeded', 'compensated', 'compensated'])
  w.called()
  w.broken.clear()
  expect(await p.plan()).toEqual({ again: ['m', 'b'], ask: [], unknown: [] })
  await p.redrive()
  expect(w.called()).toEqual(['m:0#2', 'm:1#2', 'm:3#2', 'm:4#2', 'b#2'])
  expect(p.run().status).toBe('succeeded')
})

test.each([
  ['keep', ['first#2', 'b#2'], list],
  ['repeat', ['first#2', 'm:0#2', 'm:1#2', 'm:2#2', 'b#2'], [1, 2, 3]],
] as const)('a map behind something that runs again is asked about: %s', async (answer, calls, values) => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  let output: Json = list
  const keys: string[] = []
  const first = testTool('first', (_, made) => (keys.push(made.idempotencyKey.slice(made.runId.length + 1)), output))
  const steps: Steps = [call('first', undone), map({ after: ['first'], over: '${steps.first.output}' }), call('b', { after: ['m'] })]
  const p = await parked({ ...w, tools: [...w.tools, first] }, steps)
  expect(await p.plan()).toEqual({ again: ['first', 'm', 'b'], ask: ['m'], unknown: [] })
  w.called()
  keys.length = 0
  w.broken.clear()
  output = [1, 2, 3]
  await p.redrive({ m: answer })
  expect([...keys, ...w.called()]).toEqual(calls)
  const collected = p.step('m')?.output as { results: { input: { v: number } }[] }
  expect(collected.results.map(({ input }) => input.v)).toEqual(values)
})

test('gates that run again ask again, and a gate that the stop had withdrawn too', async () => {
  const w = world({ a: 'write', b: 'write' })
  const steps: Steps = [
    call('a', undone),
    { id: 'ask', uses: 'approve', after: ['a'], role: 'manager' },
    call('b', { after: ['ask'] }),
    { id: 'late', uses: 'approve', after: ['a'], role: 'manager' },
  ]
  w.broken.add('b')
  const p = await parked(w, steps)
  await p.t.resolveGate(p.id, { decision: 'approve', stepId: 'ask' })
  expect(p.run().status).toBe('parked')
  w.broken.clear()
  await p.redrive()
  expect(p.run().status).toBe('awaiting_approval')
  expect(
    p
      .run()
      .gates.map(({ stepId, epoch, status }) => [stepId, epoch, status])
      .sort(),
  ).toEqual([
    ['ask', 1, 'approved'],
    ['ask', 2, 'open'],
    ['late', 1, 'withdrawn'],
    ['late', 2, 'open'],
  ])
  expect(await p.t.resolveGate(p.id, { decision: 'approve', stepId: 'ask', userId: 'helper' })).toMatchObject({ ok: false })
})

test('who re-drove a run may not decide its gates', async () => {
  const w = world({ a: 'write' })
  w.broken.add('a')
  const p = await parked(w, [call('a'), { id: 'ask', uses: 'approve', after: ['a'], role: 'manager' }])
  w.broken.clear()
  p.t.store.grantRole('team', 'helper', 'manager')
  await p.redrive()
  expect(await p.t.resolveGate(p.id, { decision: 'approve', userId: 'helper' })).toEqual({ ok: false, reason: 'own_run' })
  await p.t.resolveGate(p.id, { decision: 'approve' })
  expect(p.run().status).toBe('succeeded')
})

test('what was skipped decides again', async () => {
  let n = 1
  const look = testTool('look', () => ({ n }), { effect: 'read' })
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  const steps: Steps = [
    call('look', undone),
    {
      id: 'pick',
      uses: 'choice',
      after: ['look'],
      branches: [{ name: 'one', when: { left: '${steps.look.output.n}', op: 'eq', right: 1 } }, { name: 'two' }],
    },
    call('b', { after: ['pick.one'] }),
    call('a', { after: ['pick.two'] }),
  ]
  const p = await parked({ ...w, tools: [...w.tools, look] }, steps, { output: { a: '${steps.a.output.n}', b: '${steps.b.output.n}' } })
  expect(p.statuses()).toMatchObject({ look: 'compensated', pick: 'succeeded', b: 'failed', a: 'skipped' })
  n = 2
  await p.redrive()
  expect(p.statuses()).toEqual({ look: 'succeeded', pick: 'succeeded', b: 'skipped', a: 'succeeded' })
  expect(p.run().output).toEqual({ a: expect.any(Number), b: null })
})

test('a wait that only the stop had interrupted keeps its deadline; one that runs again waits anew', async () => {
  const w = world({ a: 'write', b: 'write' })
  w.broken.add('b')
  const steps: Steps = [
    call('a', undone),
    { id: 'anew', uses: 'wait', after: ['a'], seconds: 100 },
    { id: 'kept', uses: 'wait', after: [], seconds: 100 },
    call('b'),
  ]
  const p = await parked(w, steps)
  expect(p.run().status).toBe('parked')
  await p.t.advanceTime(60_000)
  w.broken.clear()
  await p.redrive()
  await p.t.advanceTime(40_000)
  expect(p.statuses()).toMatchObject({ kept: 'succeeded', anew: 'waiting' })
  await p.t.advanceTime(60_000)
  expect(p.run().status).toBe('succeeded')
})
