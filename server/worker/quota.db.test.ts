import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDb, createPool } from '@/db/client'
import type { TeamId } from '@/server/auth/ids'
import type { WorkflowEngine } from '@/server/engine/engine'
import type { Quota } from '@/server/engine/quota'
import { Definitions } from '@/server/store/postgres/definitions'
import { admit } from '@/server/store/postgres/quotas'
import { mapCounts } from '@/server/store/postgres/read-steps'
import { createPostgresStore } from '@/server/store/postgres/store'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { createTestQueue, type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { installTurnedClock, turnClock } from '@/server/store/postgres/testing/turned-clock'
import { Dispatcher } from './dispatcher'

let h: Harness
beforeAll(async () => {
  h = await openHarness()
})
afterAll(() => h.close())

type Run = NonNullable<Parameters<typeof testEngine>[1]>
type Row = { run: string; step_id: string; status: string; attempt: number; job_id: string | null; reason: string | null }
const call = (id: string, after: string[] = []) => ({ id, uses: 'tool:t', after })
const mapOf = (items: number) => ({
  id: 'm',
  uses: 'map',
  after: [],
  over: Array.from({ length: items }, (_, i) => i),
  concurrency: 100,
  do: { uses: 'tool:t' },
})

/** As so many processes: each with connections, a store and a queue of its own. `work` is given the engine of one of them. */
async function withWorkers(count: number, run: Run, work: (engine: WorkflowEngine) => Promise<void>, on = h): Promise<void> {
  const workers = Array.from({ length: count }, () => {
    const queue = createTestQueue(on.url)
    const pool = createPool(on.url, { max: 5 })
    const engine = testEngine({ store: createPostgresStore(createDb(pool), queue), queue, newId: on.newId }, run)
    const dispatcher = new Dispatcher({
      queue,
      perform: (job) => engine.perform(job),
      log: { error: () => {} },
      concurrency: 10,
      pollMs: 200,
    })
    return { queue, pool, engine, dispatcher }
  })
  await Promise.all(workers.map(({ dispatcher }) => dispatcher.start()))
  try {
    await work(workers[0]!.engine)
  } finally {
    await Promise.all(workers.map(({ dispatcher }) => dispatcher.stop(1_000)))
    await Promise.all(workers.flatMap(({ queue, pool }) => [queue.close(), pool.end()]))
  }
}

/** A team of its own with such a quota, and how to start its workflow of these steps. */
async function team(steps: object[], quota: Quota | null, on = h) {
  const { definition, principal } = await on.seed(JSON.stringify({ spec: 1, slug: 'suite', title: 'Suite', steps }))
  const limit = (to: Quota | null) => on.setQuota(principal.teamId, to)
  await limit(quota)
  return { teamId: principal.teamId, limit, start: (engine: WorkflowEngine) => engine.start({ definition, principal, input: {} }) }
}

async function rowsOf(runId: string, on = h): Promise<Row[]> {
  const { rows } = await on.pool.query<Row>(
    `SELECT r.status AS run, s.step_id, s.status, s.attempt, s.job_id, s.deferred_for AS reason
      FROM workflow_runs r JOIN workflow_steps s ON s.run_id = r.id WHERE r.id = $1 ORDER BY s.step_id, s.item`,
    [runId],
  )
  return rows
}
const became = (runId: string, status: string, on = h) =>
  eventually(async () => ((await rowsOf(runId, on))[0]?.run === status ? true : undefined), 60, `the run is ${status}`)
const deferred = (runId: string, reason: string, on = h) =>
  eventually(async () => (await rowsOf(runId, on)).find((row) => row.reason === reason), 30, `a step is put off: ${reason}`)
const daily = (stepsPerDay: number): Quota => ({ stepsPerDay, concurrentSteps: null })
const atOnce = (concurrentSteps: number): Quota => ({ stepsPerDay: null, concurrentSteps })
const nothing: Run = () => Promise.resolve({ output: null })

it('goes on when the limit of the day is raised, under the first attempt', async () => {
  const { start, limit } = await team([call('a'), call('b', ['a'])], daily(1))
  await withWorkers(2, nothing, async (engine) => {
    const runId = await start(engine)
    expect(await deferred(runId, 'steps_per_day')).toMatchObject({ run: 'running', step_id: 'b', status: 'queued', attempt: 1 })
    await engine.sweep()
    expect(await deferred(runId, 'steps_per_day')).toMatchObject({ step_id: 'b' })
    await limit(daily(2))
    await engine.sweep()
    await became(runId, 'succeeded')
    expect(await rowsOf(runId)).toMatchObject([
      { attempt: 1, reason: null },
      { attempt: 1, reason: null },
    ])
  })
})

it('goes on at the next UTC midnight, by the clock of the database', async () => {
  const own = await openHarness()
  try {
    await installTurnedClock(own.url)
    await turnClock(own.pool, new Date('2030-01-01T22:00:00Z'))
    const { start } = await team([call('a'), call('b', ['a'])], daily(1), own)
    await withWorkers(
      1,
      nothing,
      async (engine) => {
        const runId = await start(engine)
        await deferred(runId, 'steps_per_day', own)
        const { rows } = await own.pool.query(`SELECT deferred_until AS at FROM workflow_steps WHERE step_id = 'b'`)
        expect(rows).toEqual([{ at: new Date('2030-01-02T00:00:00Z') }])
        await turnClock(own.pool, new Date('2030-01-02T00:00:00Z'))
        await became(runId, 'succeeded', own)
        expect(await rowsOf(runId, own)).toMatchObject([{ attempt: 1 }, { attempt: 1 }])
      },
      own,
    )
  } finally {
    await own.close()
  }
})

it('cancels a run whose step is put off: nothing starts afterwards, and no job is left', async () => {
  const calls: string[] = []
  const { start, limit, teamId } = await team([call('a'), call('b', ['a'])], daily(1))
  const noting: Run = async ({ stepId }) => {
    calls.push(stepId)
    return { output: null }
  }
  await withWorkers(2, noting, async (engine) => {
    const runId = await start(engine)
    await deferred(runId, 'steps_per_day')
    expect(await engine.cancel(runId)).toEqual({ ok: true })
    expect((await rowsOf(runId))[1]).toMatchObject({ run: 'cancelled', status: 'pending', job_id: null, reason: null })
    await limit(null)
    await engine.sweep()
    await eventually(
      async () => {
        const { rows } = await h.pool.query(`SELECT 1 FROM pgboss.job WHERE state < 'completed' AND group_id = $1`, [teamId])
        return rows.length === 0 ? true : undefined
      },
      10,
      'no job is left',
    )
  })
  expect(calls).toEqual(['a'])
})

it('says of a map that it is put off once no item of it is at work', async () => {
  const { start, limit, teamId } = await team([mapOf(3)], daily(0))
  await withWorkers(1, nothing, async (engine) => {
    const runId = await start(engine)
    const counts = async () => (await mapCounts(h.db, teamId as TeamId, runId)).get('m')
    await eventually(async () => ((await counts())?.deferred ? true : undefined), 30, 'all items are put off')
    expect(await counts()).toMatchObject({ active: 3, deferred: { reason: 'steps_per_day' } })
    await limit(null)
    await engine.sweep()
    await became(runId, 'succeeded')
    expect(await counts()).toEqual({ total: 3, succeeded: 3, failed: 0, active: 0, deferred: null })
  })
})

it('gives a job once that is asked for twice at the same time', async () => {
  const { start } = await team([call('a')], atOnce(5))
  await start(testEngine(h))
  const jobs = await h.queue.fetch(1)
  const admissions = await admit(h.db, h.queue, new Definitions(), [...jobs, ...jobs])
  expect(admissions).toMatchObject([{ row: { stepId: 'a', status: 'running' } }, null])
  await h.queue.complete(jobs.map(({ id }) => id))
})

it('counts the steps of a team in one batch at a time: workers that claim in the same instant let in no more', async () => {
  const { teamId, start } = await team([mapOf(8)], atOnce(3))
  const runId = await start(testEngine(h))
  const jobs = await h.queue.fetch(8)
  const counting = await h.pool.connect()
  await counting.query('BEGIN')
  await counting.query('SELECT 1 FROM team_quotas WHERE team_id = $1 FOR UPDATE', [teamId])
  const admissions = Promise.all([jobs.slice(0, 4), jobs.slice(4)].map((half) => admit(h.db, h.queue, new Definitions(), half)))
  await eventually(
    async () => {
      const { rows } = await h.pool.query(`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`)
      return rows.length === 2 ? true : undefined
    },
    10,
    'both wait for their turn',
  )
  await counting.query('COMMIT')
  counting.release()
  expect((await admissions).flat().filter((claim) => claim !== null)).toHaveLength(3)
  await testEngine(h).cancel(runId)
  await h.queue.complete(jobs.map(({ id }) => id))
})

it('lets no more steps of a team run at the same time than it may, on two workers together, and every one in the end', async () => {
  let [running, most, calls] = [0, 0, 0]
  const full = Promise.withResolvers<void>()
  const counting: Run = async () => {
    most = Math.max(most, ++running)
    calls++
    if (running === 3) full.resolve()
    await full.promise // all places are taken at least once
    await sleep(5)
    running--
    return { output: null }
  }
  const { start } = await team([mapOf(30)], atOnce(3))
  await withWorkers(2, counting, async (engine) => {
    const runId = await start(engine)
    await became(runId, 'succeeded')
    expect((await rowsOf(runId)).every((row) => row.attempt === 1 && row.reason === null)).toBe(true)
  })
  expect(most).toBe(3)
  expect(calls).toBe(30)
}, 90_000)

it('starts the step of a team while another team has thousands before it, though no quota is set', async () => {
  let done = 0
  let before: number | undefined
  const busy = await team([mapOf(2_000)], null)
  const small = await team([call('a')], null)
  const run: Run = async ({ principal }) => {
    if (principal.teamId === small.teamId) before = done
    else done++
    return { output: null }
  }
  await withWorkers(2, run, async (engine) => {
    const first = await busy.start(engine)
    await became(await small.start(engine), 'succeeded')
    expect(before).toBeLessThan(1_000)
    await engine.cancel(first)
    await became(first, 'cancelled')
  })
}, 90_000)

it('starts the step of a team while another one holds all that it may hold, for as long as it likes', async () => {
  const over = Promise.withResolvers<void>()
  const busy = await team([mapOf(2_000)], atOnce(4))
  const small = await team([call('a')], null)
  const holding: Run = async ({ principal }) => {
    if (principal.teamId === busy.teamId) await over.promise
    return { output: null }
  }
  await withWorkers(2, holding, async (engine) => {
    const first = await busy.start(engine)
    await deferred(first, 'concurrent_steps')
    await became(await small.start(engine), 'succeeded')
    const held = (await rowsOf(first)).filter((row) => row.status === 'running')
    expect(held).toHaveLength(4)
    await engine.cancel(first)
    over.resolve()
    await became(first, 'cancelled')
  })
}, 90_000)
