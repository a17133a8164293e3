import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Job, Queue } from '@/server/engine/ports'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { createTestQueue, type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { Dispatcher } from './dispatcher'

let h: Harness
beforeAll(async () => {
  h = await openHarness()
})
afterAll(() => h.close())

const spec = (steps: object[]) => JSON.stringify({ spec: 1, slug: 'race', title: 'Race', steps })
const call = (id: string, after: string[] = []) => ({ id, uses: 'tool:t', after })
const silent = { error: () => {} }
const statusOf = async (runId: string) =>
  (await h.pool.query<{ status: string }>('SELECT status FROM workflow_runs WHERE id = $1', [runId])).rows[0]?.status
const succeeded = (runIds: string[], seconds = 30) =>
  eventually(
    async () => ((await Promise.all(runIds.map(statusOf))).every((s) => s === 'succeeded') ? true : undefined),
    seconds,
    'all runs succeeded',
  )

async function withWorkers(count: number, perform: (job: Job) => Promise<void>, work: () => Promise<unknown>): Promise<void> {
  const queues: (Queue & { close(): Promise<void> })[] = Array.from({ length: count }, () => createTestQueue(h.url))
  const dispatchers = queues.map((queue) => new Dispatcher({ queue, perform, log: silent, concurrency: 10 }))
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.start()))
  try {
    await work()
  } finally {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(1_000)))
    await Promise.all(queues.map((queue) => queue.close()))
  }
}

it('never runs a job twice where two workers share one backlog', async () => {
  const calls: string[] = []
  const engine = testEngine(h, ({ idempotencyKey }) => {
    calls.push(idempotencyKey)
    return Promise.resolve({ output: null })
  })
  const { definition, principal } = await h.seed(spec([call('a'), call('b', ['a']), call('c', ['b'])]))
  const runIds: string[] = []
  for (let i = 0; i < 40; i++) runIds.push(await engine.start({ definition, principal, input: {} }))
  await withWorkers(
    2,
    (job) => engine.perform(job),
    () => succeeded(runIds),
  )
  expect(calls).toHaveLength(runIds.length * 3)
  expect(new Set(calls).size).toBe(calls.length)
})

it('collects a map once when its last items end at the same moment on three workers', async () => {
  const items = 30
  const engine = testEngine(h, (_, input) => Promise.resolve({ output: input }))
  const map = {
    id: 'm',
    uses: 'map',
    after: [],
    over: Array.from({ length: items }, (_, i) => i),
    concurrency: items,
    do: { uses: 'tool:t', with: { n: '${item}' } },
  }
  const { definition, principal } = await h.seed(spec([map, call('after', ['m'])]))
  const runId = await engine.start({ definition, principal, input: {} })
  const jobs = await h.queue.fetch(items)
  expect(jobs).toHaveLength(items)
  await Promise.all(jobs.map((job) => engine.perform(job)))
  await h.queue.complete(jobs.map((job) => job.id))
  const output = (await h.store.outputs(runId, ['m'])).get('m')
  expect(output).toEqual({ results: Array.from({ length: items }, (_, n) => ({ n })), failed: [] })
  const next = await h.queue.fetch(items)
  expect(next.map((job) => job.data.stepId)).toEqual(['after'])
  await engine.perform(next[0]!)
  await h.queue.complete([next[0]!.id])
  expect(await statusOf(runId)).toBe('succeeded')
})

it('lets a decision and the deadline race to exactly one end of the gate', async () => {
  const engine = testEngine(h)
  const { definition, principal, managerId } = await h.seed(spec([{ id: 'ask', uses: 'approve', after: [], role: 'manager' }]))
  const ends: string[] = []
  for (let i = 0; i < 10; i++) {
    const runId = await engine.start({ definition, principal, input: {} })
    const { rows } = await h.pool.query<{ id: string }>(
      `UPDATE gates SET expires_at = clock_timestamp() + interval '30 milliseconds' WHERE run_id = $1 RETURNING id`,
      [runId],
    )
    const gateId = rows[0]!.id
    const decide = () => engine.decideGate(gateId, { userId: managerId, decision: 'approve', channel: 'web' })
    const decisions: Promise<{ ok: boolean }>[] = []
    while (!(await engine.sweep()).expired && !(await Promise.all(decisions)).some((d) => d.ok)) decisions.push(decide())
    const accepted = (await Promise.all([...decisions, decide()])).filter((d) => d.ok).length
    const gate = await h.store.gate(gateId)
    expect([gate!.status, await statusOf(runId), accepted]).toEqual(
      gate!.status === 'approved' ? ['approved', 'succeeded', 1] : ['expired', 'rejected', 0],
    )
    ends.push(gate!.status)
  }
  expect(ends).toHaveLength(10)
})

const sub = (step: object) => ({ id: 'sub', uses: 'workflow:child', after: [], ...step })

/** The team's workflow `child`, and a parent of it. */
async function family(parent: object[], child: object[]) {
  const seeded = await h.seed(spec(parent))
  await h.pool.query(
    `INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash) VALUES ($1, $2, 'child', 1, 'db', $3, 'h')`,
    [h.newId(), seeded.definition.teamId, JSON.stringify({ spec: 1, slug: 'child', title: 'Child', steps: child })],
  )
  return seeded
}
const childrenOf = async (runId: string) =>
  (await h.pool.query<{ id: string; status: string }>('SELECT id, status FROM workflow_runs WHERE parent_run_id = $1', [runId])).rows

it('collects a map of child runs once when its last children end at the same moment on three workers', async () => {
  const calls: string[] = []
  const engine = testEngine(h, ({ idempotencyKey }) => {
    calls.push(idempotencyKey)
    return Promise.resolve({ output: null })
  })
  const over = Array.from({ length: 4 }, (_, i) => i)
  const map = { id: 'm', uses: 'map', after: [], over, concurrency: over.length, do: { uses: 'workflow:child' } }
  const { definition, principal } = await family([map, call('after', ['m'])], [call('a')])
  const runIds: string[] = []
  for (let i = 0; i < 20; i++) runIds.push(await engine.start({ definition, principal, input: {} }))
  await withWorkers(
    3,
    (job) => engine.perform(job),
    () => succeeded(runIds, 120),
  )
  expect(calls).toHaveLength(runIds.length * (over.length + 1))
  expect(new Set(calls).size).toBe(calls.length)
  for (const runId of runIds) {
    expect(await childrenOf(runId)).toHaveLength(over.length)
    expect((await h.store.outputs(runId, ['m'])).get('m')).toEqual({ results: over.map(() => null), failed: [] })
  }
}, 150_000)

it('lets the cancel of a parent and the end of its child race: nothing is left moving, and an end that came first counts', async () => {
  const engine = testEngine(h, () => Promise.resolve({ output: null }))
  const { definition, principal } = await family([sub({}), call('after', ['sub'])], [call('a')])
  await withWorkers(
    3,
    (job) => engine.perform(job),
    async () => {
      for (let i = 0; i < 20; i++) {
        const runId = await engine.start({ definition, principal, input: {} })
        const [child] = await eventually(
          async () => {
            const found = await childrenOf(runId)
            return found.length > 0 ? found : undefined
          },
          30,
          'a child',
        )
        const cancelled = await engine.cancel(runId)
        const status = await eventually(
          async () => {
            const now = await statusOf(runId)
            return now === 'cancelled' || now === 'succeeded' ? now : undefined
          },
          30,
          'the parent has ended',
        )
        expect(status).toBe(cancelled.ok ? 'cancelled' : 'succeeded')
        const { rows } = await h.pool.query<{ step_id: string; status: string }>(
          'SELECT step_id, status FROM workflow_steps WHERE run_id = $1',
          [runId],
        )
        const of = (stepId: string) => rows.find((row) => row.step_id === stepId)?.status
        const childStatus = await statusOf(child!.id)
        expect(childStatus).toBe(of('sub') === 'succeeded' ? 'succeeded' : 'cancelled')
        expect(rows.filter((row) => ['queued', 'running', 'waiting'].includes(row.status))).toEqual([])
      }
    },
  )
  const { rows } = await h.pool.query(`SELECT 1 FROM pgboss.job WHERE state < 'completed' AND group_id = $1`, [principal.teamId])
  expect(rows).toEqual([])
}, 60_000)
