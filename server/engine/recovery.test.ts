import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import type { Job, Tool, ToolCall } from './ports'
import { parseState, serializeState } from './serialize'
import { createTestEngine, testTool } from './testing'

const flow = (over: object = {}): WorkflowSpec => ({
  spec: 1,
  slug: 'flow',
  title: 'Flow',
  steps: [{ id: 'a', uses: 'tool:a', after: [], ...over }],
})
/** A run whose one step is on a worker, and how that worker's handler may end. */
async function working(effect: Tool['effect'] = 'write', workflow = flow()) {
  const calls: { call: ToolCall; resolve: (output: Json) => void; reject: (thrown: Error) => void }[] = []
  const a = testTool(
    'a',
    (_, call) => {
      const { promise, resolve, reject } = Promise.withResolvers<Json>()
      calls.push({ call, resolve, reject })
      return promise
    },
    { effect },
  )
  const t = createTestEngine({ tools: [a], workflows: [workflow] })
  const id = await t.start('flow')
  const [job] = (await t.queue.fetch(1)) as [Job]
  const performed = t.engine.perform(job)
  await turn()
  /** Delivers what there is; the handlers stay open. */
  const deliver = async () => {
    for (const next of await t.queue.fetch(10)) void t.engine.perform(next).then(() => t.queue.complete([next.id]))
    await turn()
  }
  return { t, id, job, performed, calls, deliver, run: () => t.run(id), step: () => t.run(id).steps.get('a') }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('what a lost worker held runs again under the same key, and the late result of the lost one is refused', async () => {
  const { t, job, calls, deliver, performed, run, step } = await working()
  t.queue.lose([job.id])
  await deliver()
  expect(calls.map(({ call }) => [call.attempt, call.idempotencyKey])).toEqual([
    [1, `${run().id}:a`],
    [2, `${run().id}:a`],
  ])
  calls[0]?.resolve('late')
  await performed
  expect(step()?.status).toBe('running')
  calls[1]?.resolve('current')
  await turn()
  expect(run().status).toBe('succeeded')
  expect(step()?.output).toBe('current')
})

test('a recorded result is not computed again when its job comes back', async () => {
  const { t, job, calls, deliver, performed, run } = await working()
  calls[0]?.resolve(1)
  await performed
  t.queue.lose([job.id])
  await deliver()
  expect(calls).toHaveLength(1)
  expect(run().status).toBe('succeeded')
})

test('a call that cannot be repeated is not run again after its worker was lost: its outcome is unknown', async () => {
  const { t, job, calls, deliver, run, step } = await working('once')
  t.queue.lose([job.id])
  await deliver()
  expect(calls).toHaveLength(1)
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown', stepId: 'a' } })
  expect(step()?.attempt).toBe(1)
})

test('what is lost while the run is stopping is not run again', async () => {
  const { t, id, job, calls, deliver, run, step } = await working()
  await t.engine.cancel(id)
  t.queue.lose([job.id])
  await deliver()
  expect(calls).toHaveLength(1)
  expect([run().status, step()?.status, step()?.attempt]).toEqual(['cancelled', 'pending', 1])
})

test('a call that kills each of its workers is given up with its attempts', async () => {
  const { t, job, calls, deliver, run, step } = await working('write', flow({ retry: { max_attempts: 3 } }))
  for (let i = 0; i < 5; i++) {
    t.queue.lose([job.id])
    await deliver()
  }
  expect(calls).toHaveLength(3)
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'worker_lost' } })
  expect(step()?.attempt).toBe(3)
})

test('the sweep starts a run that was stored and never moved', async () => {
  const { t, id, calls, deliver } = await working()
  const state = parseState(t.store.read(id)?.state ?? '')
  const stored = { ...state, status: 'queued' as const, steps: new Map([['a', { at: 'pending' as const }]]) }
  const second = { ...t.store.read(id)?.run, id: 'second' } as Parameters<typeof t.store.insertRun>[0]
  await t.store.insertRun(second, stored)
  expect(await t.engine.sweep()).toMatchObject({ revived: 1 })
  await deliver()
  expect(calls).toHaveLength(2)
  expect(t.run('second').status).toBe('running')
})

test('the sweep gives a queued row whose job vanished a new one, under the attempt it had', async () => {
  const t = createTestEngine({ tools: [testTool('a', (_, { attempt }) => attempt)], workflows: [flow()] })
  const id = await t.start('flow')
  const [job] = await t.queue.fetch(1)
  t.queue.remove([job?.id ?? ''])
  await t.settle()
  expect(t.run(id).status).toBe('running')
  await t.engine.sweep()
  await t.settle()
  expect(t.run(id).steps.get('a')).toMatchObject({ status: 'succeeded', output: 1 })
})

test('the sweep takes up a running row whose job vanished as lost', async () => {
  const repeatable = await working()
  repeatable.t.queue.remove([repeatable.job.id])
  await repeatable.t.engine.sweep()
  repeatable.t.clock.advance(1000)
  await repeatable.deliver()
  expect(repeatable.calls.map(({ call }) => call.attempt)).toEqual([1, 2])
  const once = await working('once')
  once.t.queue.remove([once.job.id])
  await once.t.engine.sweep()
  expect(once.run()).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown' } })
})

test('a success whose worker the sweep took for lost counts, and takes the queued repeat back', async () => {
  const { t, job, calls, deliver, performed, run, step } = await working()
  t.queue.remove([job.id])
  await t.engine.sweep()
  expect(step()).toMatchObject({ status: 'queued', attempt: 2, error: { code: 'worker_lost' } })
  calls[0]?.resolve('first')
  await performed
  expect(step()).toMatchObject({ status: 'succeeded', attempt: 1, output: 'first', error: null })
  expect(run().status).toBe('succeeded')
  await t.advanceTime(60_000)
  await deliver()
  expect(calls).toHaveLength(1)
  expect(t.queue.nextStart()).toBeNull()
})

test('a success of an attempt that was taken for lost changes nothing once the next one is at work', async () => {
  const { t, job, calls, deliver, performed, run, step } = await working()
  t.queue.remove([job.id])
  await t.engine.sweep()
  t.clock.advance(1000)
  await deliver()
  calls[0]?.resolve('late')
  await performed
  expect(step()).toMatchObject({ status: 'running', attempt: 2 })
  calls[1]?.resolve('current')
  await turn()
  expect([run().status, step()?.output]).toEqual(['succeeded', 'current'])
})

test('a failure of an attempt that was taken for lost changes nothing: the next one is called', async () => {
  const { t, job, calls, deliver, performed, step } = await working()
  t.queue.remove([job.id])
  await t.engine.sweep()
  calls[0]?.reject(Object.assign(new Error('no'), { name: 'FatalError' }))
  await performed
  expect(step()).toMatchObject({ status: 'queued', attempt: 2 })
  t.clock.advance(1000)
  await deliver()
  expect(calls).toHaveLength(2)
})

test('a late result of a call that cannot be repeated answers nothing: that its outcome is unknown is for a person to resolve', async () => {
  const { t, id, job, calls, performed, run, step } = await working('once')
  t.queue.remove([job.id])
  await t.engine.sweep()
  const version = t.store.read(id)?.version
  calls[0]?.resolve('late')
  await performed
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown' } })
  expect([step()?.status, t.store.read(id)?.version]).toEqual(['failed', version])
})

test('items and undos that were taken for lost count as well', async () => {
  const held = new Map<string, PromiseWithResolvers<Json>>()
  const holds = (name: string) =>
    testTool(name, (_, { item }) => {
      const call = Promise.withResolvers<Json>()
      held.set(`${name}:${item}`, call)
      return call.promise
    })
  const steps: WorkflowSpec['steps'] = [
    { id: 'm', uses: 'map', after: [], over: ['x', 'y'], do: { uses: 'tool:make', compensate: { uses: 'tool:unmake', with: {} } } },
    { id: 'z', uses: 'tool:fail', after: ['m'] },
  ]
  const fail = testTool('fail', () => {
    throw Object.assign(new Error('no'), { name: 'FatalError' })
  })
  const t = createTestEngine({ tools: [holds('make'), holds('unmake'), fail], workflows: [{ ...flow(), steps }] })
  const id = await t.start('flow')
  /** What is delivered now is called, its jobs vanish, the sweep queues it again, and then it succeeds. */
  const lateSuccesses = async () => {
    const jobs = await t.queue.fetch(10)
    const performed = jobs.map((job) => t.engine.perform(job))
    await turn()
    t.queue.remove(jobs.map((job) => job.id))
    await t.engine.sweep()
    for (const call of held.values()) call.resolve('done')
    await Promise.all(performed)
    return jobs.map(({ data }) => `${data.stepId}:${data.item}${data.call}`)
  }
  expect(await lateSuccesses()).toEqual(['m:0', 'm:1'])
  expect(t.run(id).steps.get('m')).toMatchObject({ status: 'succeeded', output: { results: ['done', 'done'] } })
  const [next] = await t.queue.fetch(10)
  await t.engine.perform(next as Job)
  await t.queue.complete([next?.id ?? ''])
  expect(await lateSuccesses()).toEqual(['m:1undo'])
  expect(await lateSuccesses()).toEqual(['m:0undo'])
  const undos = [...(t.store.read(id)?.rows.values() ?? [])].filter(({ call }) => call === 'undo')
  expect(undos.map(({ status, attempt }) => [status, attempt])).toEqual([['succeeded', 1], ['succeeded', 1]]) // prettier-ignore
  expect([t.run(id).status, t.queue.nextStart()]).toEqual(['parked', null])
})

test('the sweep says when the next gate is due, and leaves a healthy run alone', async () => {
  const gate: WorkflowSpec = { ...flow(), steps: [{ id: 'g', uses: 'approve', after: [], role: 'manager', ttl_seconds: 60 }] }
  const t = createTestEngine({ workflows: [gate] })
  const id = await t.start('flow')
  const version = t.store.read(id)?.version
  expect(await t.engine.sweep()).toEqual({ expired: 0, fired: 0, revived: 0, nextDue: new Date(t.clock.now().getTime() + 60_000) })
  expect(t.store.read(id)?.version).toBe(version)
})

test('a state read back from its text is the same state', () => {
  const state = parseState(
    serializeState({
      status: 'running',
      seq: 3,
      steps: new Map([
        ['constructor', { at: 'waiting', epoch: 1, on: 'map', map: { total: 3, next: 2, active: 1, succeeded: 1, failed: 0 } }],
        ['__proto__', { at: 'settled', epoch: 1, port: 'succeeded' }],
      ]),
      stopping: { to: 'parked', error: { code: 'failed', message: 'no' } },
      epoch: 2,
      unknown: [{ stepId: '__proto__', item: -1, epoch: 1 }],
    }),
  )
  expect([...state.steps.keys()]).toEqual(['constructor', '__proto__'])
  expect(parseState(serializeState(state))).toEqual(state)
})
