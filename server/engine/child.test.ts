import { describe, expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { createTestEngine, testTool, type TestEngine, type TestEngineOptions } from './testing'

type Steps = WorkflowSpec['steps']
const doc = (slug: string, steps: Steps, more: Partial<WorkflowSpec> = {}): WorkflowSpec => ({ spec: 1, slug, title: slug, steps, ...more })
const call = (id: string, tool: string, after: string[] = [], more: object = {}) =>
  ({ id, uses: `tool:${tool}`, after, ...more }) as Steps[number]
const sub = (more: object = {}) => ({ id: 'sub', uses: 'workflow:child', after: [], ...more }) as Steps[number]
const map = (more: object = {}) =>
  ({ id: 'm', uses: 'map', after: [], over: [1, 2, 3], do: { uses: 'workflow:child', with: { n: '${item}' } }, ...more }) as Steps[number]
const gate = (id = 'ask', after: string[] = []) => ({ id, uses: 'approve', after, role: 'manager' }) as Steps[number]
const parent = (steps: Steps, more: Partial<WorkflowSpec> = {}) => doc('parent', steps, more)

const echo = testTool('echo', (input) => input)
const broken = testTool('broken', () => {
  throw Object.assign(new Error('broken'), { name: 'FatalError' })
})
const undone: Json[] = []
const undo = testTool('undo', (input) => void undone.push(input))

async function ran(workflows: WorkflowSpec[], input: Record<string, Json> = {}, options: Partial<TestEngineOptions> = {}) {
  undone.length = 0
  const t = createTestEngine({ tools: [echo, broken, undo], workflows, ...options })
  const id = await t.start('parent', input)
  await t.settle()
  return {
    t,
    id,
    run: () => t.run(id),
    step: (step: string) => t.run(id).steps.get(step),
    child: (step = 'sub', item?: number) => childOf(t, id, step, item),
  }
}

function childOf(t: TestEngine, id: string, step: string, item?: number) {
  const row = t.run(id).steps.get(step)
  const child = item === undefined ? row?.child : row?.items[item]?.child
  if (!child) throw new Error('there is no child')
  return t.run(child)
}

const giving = doc('child', [call('say', 'echo', [], { with: { n: '${input.n}' } })], {
  input: { n: { type: 'integer', default: 7 } },
  run_title: '${input.n}',
  output: { said: '${steps.say.output.n}' },
})
const asking = doc('child', [gate()], { output: { by: '${steps.ask.output.decided_by}' } })
const failing = doc('child', [call('bad', 'broken')])

describe('a child that succeeds', () => {
  test('gets its input, and its output is the output of the step', async () => {
    const { run, step, child } = await ran([
      parent([sub({ with: { n: 3 } }), call('then', 'echo', ['sub'], { with: { got: '${steps.sub.output.said}' } })]),
      giving,
    ])
    expect(run().status).toBe('succeeded')
    expect(step('sub')).toMatchObject({ status: 'succeeded', input: { n: 3 }, output: { said: 3 } })
    expect(step('then')?.output).toEqual({ got: 3 })
    expect(child()).toMatchObject({ status: 'succeeded', title: '3' })
  })

  test('is started once, however often its step is delivered', async () => {
    const t = createTestEngine({ tools: [echo], workflows: [parent([sub()]), giving] })
    const id = await t.start('parent')
    const [job] = await t.queue.fetch(1)
    t.queue.lose([job!.id])
    const [again] = await t.queue.fetch(1)
    await Promise.all([t.engine.perform(job!), t.engine.perform(again!)])
    await t.settle()
    expect(t.run(id).status).toBe('succeeded')
    expect(t.logged.filter(([name, fields]) => name === 'step_complete' && fields.step_id === 'say')).toHaveLength(1)
  })

  test('is undone by the compensation of its step alone', async () => {
    const { run, step } = await ran([
      parent([sub({ compensate: { uses: 'tool:undo', with: { of: '${steps.sub.output.said}' } } }), call('bad', 'broken', ['sub'])]),
      giving,
    ])
    expect([run().status, step('sub')?.status, undone]).toEqual(['parked', 'compensated', [{ of: 7 }]])
  })
})

describe('which version a child is', () => {
  const grandparent = parent([gate('first'), { id: 'sub', uses: 'workflow:child', after: ['first'] }], {
    output: { all: '${steps.sub.output}' },
  })
  const between = doc('child', [{ id: 'deep', uses: 'workflow:leaf', after: [] }], { output: { leaf: '${steps.deep.output}' } })
  const leaf = (n: number) => doc('leaf', [call('say', 'echo')], { output: { n } })

  test('is fixed when the root starts, for children of children too, whatever is published meanwhile', async () => {
    const { t, id, run } = await ran([grandparent, between, leaf(1)])
    t.publish(leaf(2))
    t.publish(doc('child', [call('bad', 'broken')]))
    await t.resolveGate(id, { decision: 'approve' })
    expect(run()).toMatchObject({ status: 'succeeded', output: { all: { leaf: { n: 1 } } } })
  })

  test('is the one that the document names', async () => {
    const t = createTestEngine({
      tools: [echo],
      workflows: [parent([sub({ uses: 'workflow:child@1' })], { output: { n: '${steps.sub.output.n}' } })],
    })
    for (const n of [1, 2]) t.publish(doc('child', [call('say', 'echo')], { output: { n } }))
    const id = await t.start('parent')
    await t.settle()
    expect(t.run(id).output).toEqual({ n: 1 })
  })

  test('is none where there was none at the start, though one is published meanwhile', async () => {
    const { t, id, run } = await ran([grandparent])
    t.publish(between)
    await t.resolveGate(id, { decision: 'approve' })
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'child_not_started', stepId: 'sub' } })
  })
})

describe('a child that cannot start is an ordinary failure', () => {
  const followed = parent([
    sub({ with: { n: 'x' } }),
    call('after', 'echo', ['sub.failed'], { with: { e: '${steps.sub.output.error.code}' } }),
  ])
  test.each<[string, WorkflowSpec[], Partial<TestEngineOptions>]>([
    ['because its input is not what it takes', [followed, giving], {}],
    ['because there is no such workflow', [followed], {}],
    [
      'because its starter may not start it any more',
      [parent([sub({ with: { n: 1 } }), followed.steps[1]!]), giving],
      { access: { mayStart: async ({ from }) => (from ? { ok: false, message: 'Not you.' } : { ok: true }) } },
    ],
  ])('%s', async (_name, workflows, options) => {
    const { run, step } = await ran(workflows, {}, options)
    expect([run().status, step('sub')?.status, step('after')?.output]).toEqual(['succeeded', 'failed', { e: 'child_not_started' }])
  })

  test('because its tree would be nine runs deep', async () => {
    const t = createTestEngine({ workflows: [doc('parent', [{ id: 'sub', uses: 'workflow:parent', after: [] }])] })
    let id: string | null = await t.start('parent')
    await t.settle()
    const runs = []
    for (; id; id = t.run(id).steps.get('sub')?.child ?? null) runs.push(t.run(id))
    expect(runs).toHaveLength(8)
    expect(runs.at(-1)).toMatchObject({ status: 'parked', error: { code: 'child_not_started' } })
  })

  test('because the root has 10,000 descendants already', async () => {
    const t = createTestEngine({ tools: [echo], workflows: [parent([gate(), sub({ after: ['ask'] })]), giving] })
    const id = await t.start('parent')
    t.store.read(id)!.descendants = 10_000
    await t.resolveGate(id, { decision: 'approve' })
    expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'child_not_started' } })
    expect(t.run(id).steps.get('sub')?.status).toBe('failed')
    expect(t.store.read(id)!.descendants).toBe(10_000)
  })
})

test('a run that starts a workflow which its starter may not start is refused', async () => {
  const t = createTestEngine({
    workflows: [parent([sub()]), giving],
    access: { mayStart: async () => ({ ok: false, message: 'Not you.' }) },
  })
  await expect(t.start('parent')).rejects.toMatchObject({ code: 'forbidden' })
})

describe('a child that waits', () => {
  test('for people: its parent says that it waits for them too, and goes on with their decision', async () => {
    const { t, run, child } = await ran([parent([sub()], { output: { by: '${steps.sub.output.by}' } }), asking])
    expect([run().status, child().status]).toEqual(['awaiting_approval', 'awaiting_approval'])
    await t.resolveGate(child().id, { decision: 'approve' })
    expect(run()).toMatchObject({ status: 'succeeded', output: { by: 'approver' } })
  })

  test('for people, while its parent is at work: the parent runs', async () => {
    const held = testTool('held', () => new Promise<Json>(() => {}))
    const t = createTestEngine({ tools: [held], workflows: [parent([sub(), call('h', 'held')]), asking] })
    const id = await t.start('parent')
    void t.settle()
    await new Promise((resolve) => setImmediate(resolve))
    expect([t.run(id).status, childOf(t, id, 'sub').status]).toEqual(['running', 'awaiting_approval'])
  })

  test('for time only, beside a gate of its parent: the parent waits for people', async () => {
    const { t, run } = await ran([parent([sub(), gate()]), doc('child', [{ id: 'w', uses: 'wait', after: [], seconds: 60 }])])
    expect(run().status).toBe('awaiting_approval')
    await t.advanceTime(60_000)
    expect(run().steps.get('sub')?.status).toBe('succeeded')
  })
})

describe('a child that parks', () => {
  test('leaves its step waiting where nobody follows the failure', async () => {
    const { t, id, run, step, child } = await ran([parent([sub()]), failing])
    expect([run().status, step('sub')?.status, child().status]).toEqual(['running', 'waiting', 'parked'])
    await t.engine.cancel(child().id)
    await t.settle()
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'child_cancelled', stepId: 'sub' } })
    expect(t.run(id).steps.get('sub')?.status).toBe('failed')
  })

  test('fails its step where somebody follows, and is cancelled', async () => {
    const { run, step, child } = await ran([parent([sub(), call('after', 'echo', ['sub.failed'])]), failing])
    expect([run().status, step('sub')?.status, child().status]).toEqual(['succeeded', 'failed', 'cancelled'])
    expect(step('sub')?.error?.code).toBe('child_parked')
  })
})

describe('a child that is rejected', () => {
  test('ends its parent as rejected where nobody follows', async () => {
    const { t, run, child } = await ran([parent([sub(), call('never', 'echo', ['sub'])]), asking])
    await t.resolveGate(child().id, { decision: 'reject' })
    expect(run()).toMatchObject({ status: 'rejected', error: { code: 'child_rejected', stepId: 'sub' } })
  })

  test('fails its step where somebody follows', async () => {
    const { t, run, child } = await ran([parent([sub(), call('after', 'echo', ['sub.failed'])]), asking])
    await t.resolveGate(child().id, { decision: 'reject' })
    expect([run().status, run().steps.get('sub')?.error?.code]).toEqual(['succeeded', 'child_rejected'])
  })
})

describe('cancelling', () => {
  test('a parent cancels its children and theirs, and waits for their ends', async () => {
    const between = doc('child', [{ id: 'deep', uses: 'workflow:leaf', after: [] }])
    const { t, id, run, child } = await ran([parent([sub()]), between, doc('leaf', [gate()])])
    const grandchild = childOf(t, child().id, 'deep').id
    expect(run().status).toBe('awaiting_approval')
    await t.engine.cancel(id)
    expect(run().status).toBe('running')
    await t.settle()
    expect([run().status, child().status, t.run(grandchild).status]).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect([run().steps.get('sub')?.status, run().error]).toEqual(['cancelled', null])
    expect(t.queue.nextStart()).toBeNull()
  })

  test('a parent of a child that succeeds meanwhile: that counts, and is undone where the document says so', async () => {
    const steps = [sub({ compensate: { uses: 'tool:undo' } }), call('never', 'echo', ['sub'])]
    const { t, id, run, step, child } = await ran([parent(steps, { compensate_on: ['cancelled'] }), asking])
    await t.engine.decideGate(t.run(child().id).gates[0]!.id, { userId: 'approver', decision: 'approve', channel: 'web' })
    expect(child().status).toBe('succeeded')
    await t.engine.cancel(id)
    await t.settle()
    expect([run().status, step('sub')?.status, step('never'), undone]).toEqual(['cancelled', 'compensated', undefined, [{}]])
  })

  test('a rejected parent cancels its children', async () => {
    const { t, id, run, child } = await ran([parent([sub(), gate('g')]), asking])
    await t.resolveGate(id, { decision: 'reject', stepId: 'g' })
    expect([run().status, child().status]).toEqual(['rejected', 'cancelled'])
  })

  test('a child that was not yet told to stop when its signal was lost is told by the sweep', async () => {
    const { t, id, run, child } = await ran([parent([sub()]), asking])
    await t.engine.cancel(id)
    t.queue.remove((await t.queue.fetch(10)).map((job) => job.id))
    expect([run().status, child().status]).toEqual(['running', 'awaiting_approval'])
    await t.advanceTime(30_000)
    expect([run().status, child().status]).toEqual(['cancelled', 'cancelled'])
  })
})

describe('under a parked parent', () => {
  const steps = [sub({ compensate: { uses: 'tool:undo', with: { by: '${steps.sub.output.by}' } } }), call('bad', 'broken')]

  test('children live on; what succeeds late counts, and is undone as everything else was', async () => {
    const { t, run, step, child } = await ran([parent([...steps, call('never', 'echo', ['sub'])]), asking])
    expect([run().status, step('sub')?.status, child().status]).toEqual(['parked', 'waiting', 'awaiting_approval'])
    await t.resolveGate(child().id, { decision: 'approve' })
    expect([run().status, step('sub')?.status, undone, step('never')]).toEqual(['parked', 'compensated', [{ by: 'approver' }], undefined])
    expect(run().error?.code).toBe('failed')
  })

  test('a late failure changes its own step only', async () => {
    const { t, run, step, child } = await ran([parent(steps), asking])
    await t.resolveGate(child().id, { decision: 'reject' })
    expect([run().status, step('sub')?.error?.code, run().error?.code]).toEqual(['parked', 'child_rejected', 'failed'])
  })

  test('cancelling the parent cancels them', async () => {
    const { t, id, run, step, child } = await ran([parent(steps), asking])
    await t.engine.cancel(id)
    expect([run().status, await t.engine.planRedrive(id)]).toEqual(['parked', { ok: false, reason: 'not_parked' }])
    expect(await t.engine.cancel(id)).toEqual({ ok: true })
    await t.settle()
    expect([run().status, step('sub')?.status, child().status]).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })
})

describe('a map of child runs', () => {
  const choosy = doc('child', [gate(), call('say', 'echo', ['ask'], { with: { n: '${input.n}' } })], {
    input: { n: { type: 'integer' } },
    output: { said: '${steps.say.output.n}' },
  })

  test('starts as many as it may at once, and collects their outputs', async () => {
    const { run, step } = await ran([parent([map({ concurrency: 2 })]), giving])
    expect(run().status).toBe('succeeded')
    expect(step('m')?.output).toEqual({ results: [{ said: 1 }, { said: 2 }, { said: 3 }], failed: [] })
  })

  test('waits for people when all that it has under way do, and tolerates a rejected child', async () => {
    const { t, run, step, child } = await ran([parent([map({ tolerate: 1, concurrency: 2 })]), choosy])
    expect([run().status, step('m')?.items.map((item) => item.status)]).toEqual(['awaiting_approval', ['waiting', 'waiting', 'pending']])
    await t.resolveGate(child('m', 0).id, { decision: 'reject' })
    for (const item of [1, 2]) await t.resolveGate(child('m', item).id, { decision: 'approve' })
    expect(run().status).toBe('succeeded')
    expect(step('m')?.output).toMatchObject({
      results: [null, { said: 2 }, { said: 3 }],
      failed: [{ index: 0, error: { code: 'child_rejected' } }],
    })
  })

  test('with more rejected than tolerated starts nothing new, and fails when the last one under way has ended', async () => {
    const { t, run, step, child } = await ran([parent([map({ concurrency: 2 })]), choosy])
    await t.resolveGate(child('m', 0).id, { decision: 'reject' })
    expect([run().status, step('m')?.status]).toEqual(['awaiting_approval', 'waiting'])
    await t.resolveGate(child('m', 1).id, { decision: 'approve' })
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'map_failed' } })
    expect(step('m')?.items.map((item) => item.status)).toEqual(['failed', 'succeeded', 'skipped'])
  })

  test('leaves the item of a parked child waiting, and fails it where the failure of the map is followed', async () => {
    const odd = doc('child', [call('bad', 'broken')], { input: { n: { type: 'integer' } } })
    const alone = await ran([parent([map({ tolerate: 3 })]), odd])
    expect([alone.run().status, alone.step('m')?.items.map((item) => item.status)]).toEqual(['running', ['waiting', 'waiting', 'waiting']])
    const followed = await ran([parent([map({ tolerate: 3 }), call('after', 'echo', ['m.failed'])]), odd])
    expect([followed.run().status, followed.step('m')?.output]).toMatchObject([
      'succeeded',
      { failed: [{ error: { code: 'child_parked' } }, {}, {}] },
    ])
  })

  test('is cancelled with its parent, half done as it is', async () => {
    const { t, id, run, step, child } = await ran([parent([map({ concurrency: 2 })]), choosy])
    await t.resolveGate(child('m', 0).id, { decision: 'approve' })
    await t.engine.cancel(id)
    await t.settle()
    expect([run().status, step('m')?.status]).toEqual(['cancelled', 'cancelled'])
    expect(step('m')?.items.map((item) => item.status)).toEqual(['succeeded', 'cancelled', 'cancelled'])
    expect([child('m', 1).status, child('m', 2).status]).toEqual(['cancelled', 'cancelled'])
  })

  test('lives on under a parked parent, and is collected there when its last child ends', async () => {
    const soon: Steps[number] = { id: 'soon', uses: 'wait', after: [], seconds: 10 }
    const { t, run, step, child } = await ran([
      parent([map({ over: [1, 2] }), soon, call('bad', 'broken', ['soon']), call('never', 'echo', ['m'])]),
      choosy,
    ])
    await t.advanceTime(10_000)
    expect(run().status).toBe('parked')
    for (const item of [0, 1]) await t.resolveGate(child('m', item).id, { decision: 'approve' })
    expect([run().status, step('m')?.status, step('never')]).toEqual(['parked', 'succeeded', undefined])
  })
})

test('what a lost signal would have told is found by the sweep', async () => {
  const { t, run, child } = await ran([parent([sub()]), asking])
  await t.engine.decideGate(t.run(child().id).gates[0]!.id, { userId: 'approver', decision: 'approve', channel: 'web' })
  t.queue.remove((await t.queue.fetch(10)).map((job) => job.id))
  expect([child().status, run().status]).toEqual(['succeeded', 'awaiting_approval'])
  await t.advanceTime(30_000)
  expect(run().status).toBe('succeeded')
})

test('a child that was stored and not moved is moved by the sweep', async () => {
  const t = createTestEngine({ tools: [echo], workflows: [parent([sub()]), giving] })
  const id = await t.start('parent')
  const { transact } = t.store
  t.store.transact = (runId, work) => (runId === id ? transact.call(t.store, runId, work) : Promise.reject(new Error('killed'))) as never
  const [job] = await t.queue.fetch(1)
  await t.engine.perform(job!).catch(() => {})
  t.store.transact = transact
  expect(childOf(t, id, 'sub').status).toBe('queued')
  await t.advanceTime(30_000)
  expect(t.run(id).status).toBe('succeeded')
})
