import { createDb, createPool } from '@/db/client'
import { effort } from '@/db/testing/effort'
import { createPostgresStore } from '@/server/store/postgres/store'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
type Engine = ReturnType<typeof testEngine>
const gateOf = async (runId: string) => (await h.pool.query<{ id: string }>('SELECT id FROM gates WHERE run_id = $1', [runId])).rows[0]!.id
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

it('collects a large map once when its items end at the same moment', async () => {
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

/** Each race as often as this. It is told which round it is, so that who is called first takes turns. */
const ROUNDS = effort(20, 500)
const LIMIT_MS = effort(120_000, 3_000_000)
function race(name: string, round: (turn: number) => Promise<void>): void {
  it(
    name,
    async () => {
      for (let turn = 0; turn < ROUNDS; turn++) await round(turn)
    },
    LIMIT_MS,
  )
}

/** Both at once, the second one first in every other round. */
async function atOnce<A, B>(turn: number, a: () => Promise<A>, b: () => Promise<B>): Promise<[A, B]> {
  if (turn % 2 === 0) return Promise.all([a(), b()])
  const second = b()
  return [await a(), await second]
}

const open = () => createPool(h.url, { max: 2 })

/** Engines as of three processes, each with connections of its own. */
function processes(run?: Parameters<typeof testEngine>[1]) {
  const pools = [open(), open(), open()] as const
  const engine = (pool: (typeof pools)[number]) => testEngine({ ...h, store: createPostgresStore(createDb(pool), h.queue) }, run)
  const [one, two, three] = [engine(pools[0]), engine(pools[1]), engine(pools[2])]
  return { one, two, three, close: () => Promise.all(pools.map((pool) => pool.end())) }
}

const rowsOf = async (runId: string) => {
  const { rows } = await h.pool.query<{ status: string }>('SELECT status FROM workflow_steps WHERE run_id = $1', [runId])
  return rows.map(({ status }) => status)
}
async function workOff(engine: ReturnType<typeof testEngine>): Promise<void> {
  for (let jobs = await h.queue.fetch(20); jobs.length > 0; jobs = await h.queue.fetch(20)) {
    await Promise.all(jobs.map((job) => engine.perform(job)))
    await h.queue.complete(jobs.map(({ id }) => id))
  }
}

describe('what two do at the same moment has one outcome', () => {
  let at: ReturnType<typeof processes>
  let one: Engine
  let two: Engine
  let three: Engine
  beforeAll(() => {
    at = processes((_, input) => Promise.resolve({ output: input }))
    ;({ one, two, three } = at)
  })
  afterAll(() => at.close())

  race('the last items of a map end on three workers: it is collected once', async () => {
    const map = { id: 'm', uses: 'map', after: [], over: [0, 1, 2], do: { uses: 'tool:t', with: { n: '${item}' } } }
    const { definition, principal } = await h.seed(spec([map, call('after', ['m'])]))
    const runId = await one.start({ definition, principal, input: {} })
    const jobs = await h.queue.fetch(3)
    await Promise.all(jobs.map((job, i) => [one, two, three][i]!.perform(job)))
    await h.queue.complete(jobs.map(({ id }) => id))
    const next = await h.queue.fetch(3)
    expect(next.map((job) => job.data.stepId)).toEqual(['after'])
    await two.perform(next[0]!)
    await h.queue.complete([next[0]!.id])
    expect(await statusOf(runId)).toBe('succeeded')
    expect((await h.store.outputs(runId, ['m'])).get('m')).toEqual({ results: [{ n: 0 }, { n: 1 }, { n: 2 }], failed: [] })
  })

  race('an approval and a refusal: one is taken, the other hears that it is too late', async (turn) => {
    const { definition, principal, managerId } = await h.seed(spec([{ id: 'ask', uses: 'approve', after: [], role: 'manager' }]))
    const { managerId: otherId } = await h.seed(spec([call('a')]))
    await h.pool.query(`INSERT INTO role_grants (team_id, user_id, role) VALUES ($1, $2, 'manager')`, [definition.teamId, otherId])
    const runId = await one.start({ definition, principal, input: {} })
    const gateId = await gateOf(runId)
    const [yes, no] = await atOnce(
      turn,
      () => one.decideGate(gateId, { userId: managerId, decision: 'approve', channel: 'web' }),
      () => two.decideGate(gateId, { userId: otherId, decision: 'reject', channel: 'web' }),
    )
    expect([yes.ok, no.ok].sort()).toEqual([false, true])
    expect([(await h.store.gate(gateId))!.status, await statusOf(runId)]).toEqual(
      yes.ok ? ['approved', 'succeeded'] : ['rejected', 'rejected'],
    )
  })

  race('a decision and the deadline: the gate has one end', async (turn) => {
    const { definition, principal, managerId } = await h.seed(spec([{ id: 'ask', uses: 'approve', after: [], role: 'manager' }]))
    const runId = await one.start({ definition, principal, input: {} })
    const gateId = await gateOf(runId)
    await h.pool.query(`UPDATE gates SET expires_at = clock_timestamp() + interval '4 milliseconds' WHERE id = $1`, [gateId])
    const decide = () => one.decideGate(gateId, { userId: managerId, decision: 'approve', channel: 'web' })
    const [decision] = await atOnce(turn, decide, () => two.sweep())
    await eventually(
      async () => (await two.sweep(), (await h.store.gate(gateId))!.status === 'open' ? undefined : true),
      10,
      'the gate is settled',
    )
    const ended = decision.ok ? ['approved', 'succeeded'] : ['expired', 'rejected']
    expect([(await h.store.gate(gateId))!.status, await statusOf(runId)]).toEqual(ended)
  })

  race('a cancel and the last success: the run is one or the other, and nothing is left over', async (turn) => {
    const { definition, principal } = await h.seed(spec([call('a')]))
    const runId = await one.start({ definition, principal, input: {} })
    const [job] = await h.queue.fetch(1)
    const [cancelled] = await atOnce(
      turn,
      () => one.cancel(runId),
      () => two.perform(job!),
    )
    await h.queue.complete([job!.id])
    expect(await statusOf(runId)).toBe(cancelled.ok ? 'cancelled' : 'succeeded')
    for (const status of await rowsOf(runId)) expect(['succeeded', 'pending']).toContain(status)
    expect(await h.queue.fetch(5)).toEqual([])
  })

  race('a re-drive and a cancel: whoever comes first, the run is cancelled and nothing starts after that', async (turn) => {
    const { definition, principal, managerId } = await h.seed(spec([call('broken'), call('later', ['broken'])]))
    const failing = testEngine(h, () => Promise.reject(new Error('no')))
    const runId = await failing.start({ definition, principal, input: {} })
    await workOff(failing)
    expect(await statusOf(runId)).toBe('parked')
    const [redriven, cancelled] = await atOnce(
      turn,
      () => two.redrive(runId, { by: managerId, answers: {} }),
      () => three.cancel(runId),
    )
    expect([redriven, cancelled.ok]).toEqual([redriven.ok ? { ok: true } : { ok: false, reason: 'not_parked' }, true])
    await workOff(one)
    expect(await statusOf(runId)).toBe('cancelled')
    for (const status of await rowsOf(runId)) expect(['failed', 'pending']).toContain(status)
  })
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
