import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Child } from '@/db/child'
import { killWhenBlocked } from '@/db/heartbeat'
import { manifest, pluginsFolder, toolsSource } from '@/server/plugins/testing/folder'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { killWorker, startWorker } from './testing/worker'

type Probe = Awaited<ReturnType<typeof openProbe>>

/** A database, the worker processes on it, and a run whose one step holds until `go`. */
async function openProbe() {
  const h = await openHarness()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'clew-worker-'))
  const at = (name: string) => path.join(folder, name)
  const calls = async () => (await fs.readFile(at('calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const workers: Child[] = []
  const stepsOf = async (runId: string) => {
    type Row = { run: string; status: string; attempt: number; output: string | null }
    const { rows } = await h.pool.query<Row>(
      'SELECT r.status AS run, s.status, s.attempt, s.output FROM workflow_runs r JOIN workflow_steps s ON s.run_id = r.id WHERE r.id = $1',
      [runId],
    )
    return rows
  }
  return {
    h,
    calls,
    stepsOf,
    startRun: (uses?: string) => startRun(h, { calls: at('calls'), until: at('go') }, uses),
    go: () => fs.writeFile(at('go'), ''),
    called: (times: number) => eventually(async () => ((await calls()).length === times ? true : undefined), 60, `${times} calls`),
    ended: (runId: string, status: string) =>
      eventually(async () => (await stepsOf(runId)).find((row) => row.run === status), 60, `the run is ${status}`),
    async worker(): Promise<Child> {
      const started = await startWorker(h.url)
      workers.push(started)
      return started
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.stop()))
      await h.close()
      await fs.rm(folder, { recursive: true })
    },
  }
}

async function startRun(h: Harness, files: { calls: string; until: string }, uses = 'tool:probe.hold'): Promise<string> {
  const step = { id: 'pay', uses, after: [], with: files, retry: { base_seconds: 0.01 } }
  const { definition, principal } = await h.seed(JSON.stringify({ spec: 1, slug: 'hold', title: 'Hold', steps: [step] }))
  await h.pool.query(`INSERT INTO memberships (team_id, user_id, level) VALUES ($1, $2, 'member')`, [principal.teamId, principal.userId])
  return testEngine(h).start({ definition, principal, input: {} })
}

/** These tests mostly wait, each with a database of its own: they run at the same time. */
function promise(name: string, check: (probe: Probe) => Promise<void>): void {
  it.concurrent(
    name,
    async () => {
      const probe = await openProbe()
      try {
        await check(probe)
      } finally {
        await probe.close()
      }
    },
    180_000,
  )
}

promise('runs a step again under the same key after kill -9 of its worker, and records one success', async (probe) => {
  const { h, worker, startRun, called, ended, go } = probe
  const first = await worker()
  const runId = await startRun()
  await called(1)
  await killWorker(first)
  await worker()
  await called(2)
  await go()
  expect(await ended(runId, 'succeeded')).toMatchObject({ status: 'succeeded', attempt: 2, output: '{"attempt":2}' })
  expect(await probe.calls()).toEqual([`${runId}:pay 1`, `${runId}:pay 2`])
  expect(await probe.stepsOf(runId)).toHaveLength(1)
  const { rows } = await h.pool.query(`SELECT attempt, error ->> 'code' AS code FROM step_attempts WHERE run_id = $1`, [runId])
  expect(rows).toEqual([{ attempt: 1, code: 'worker_lost' }])
})

promise('runs a job again under the same key after kill -9 of its worker, beside a step that goes by', async (probe) => {
  const { worker, startRun, called, ended, go } = probe
  const first = await worker()
  const runId = await startRun('job:probe.hold')
  await called(1)
  await killWorker(first)
  await worker()
  await called(2)
  await go()
  expect(await ended(runId, 'succeeded')).toMatchObject({ status: 'succeeded', attempt: 2 })
  expect(await probe.calls()).toEqual([`${runId}:pay 1`, `${runId}:pay 2`])
})

promise('does not do a job twice that must not be, though its worker was killed: the run parks', async (probe) => {
  const { worker, startRun, called, ended } = probe
  const first = await worker()
  const runId = await startRun('job:probe.once')
  await called(1)
  await killWorker(first)
  await worker()
  await ended(runId, 'parked')
  expect(await probe.calls()).toHaveLength(1)
})

promise(
  'kills a worker whose event loop a handler holds up, and what it held runs elsewhere',
  async ({ worker, startRun, called, ended }) => {
    const first = await worker()
    const blocked = killWhenBlocked(first, 6_000)
    const runId = await startRun('tool:probe.block')
    await called(1)
    expect(await blocked).toBe(true)
    await worker()
    expect(await ended(runId, 'succeeded')).toMatchObject({ status: 'succeeded', attempt: 2 })
  },
)

promise(
  'lets a worker live that only waits, and keep what it holds beyond its lease',
  async ({ worker, startRun, called, calls, ended, go }) => {
    const first = await worker()
    const blocked = killWhenBlocked(first, 6_000)
    const runId = await startRun()
    await called(1)
    // The lease of a job is 10 s, and what has lost it is found within two more.
    await sleep(12_500)
    expect(await calls()).toHaveLength(1)
    await go()
    expect(await ended(runId, 'succeeded')).toMatchObject({ attempt: 1 })
    await first.stop()
    expect(await blocked).toBe(false)
  },
)

promise(
  'hands back what it holds when it is asked to stop, and ends within 5 s with 0',
  async ({ worker, startRun, called, ended, go }) => {
    const first = await worker()
    const runId = await startRun()
    await called(1)
    const asked = performance.now()
    process.kill(first.pid, 'SIGTERM')
    expect(await first.exited).toBe(0)
    expect(performance.now() - asked).toBeLessThan(5_000)
    await go()
    await worker()
    expect(await ended(runId, 'succeeded')).toMatchObject({ status: 'succeeded', attempt: 2 })
  },
)

promise('finishes what is about to end when it is asked to stop', async ({ worker, startRun, called, stepsOf, go }) => {
  const first = await worker()
  const runId = await startRun()
  await called(1)
  process.kill(first.pid, 'SIGTERM')
  await go()
  expect(await first.exited).toBe(0)
  expect(await stepsOf(runId)).toEqual([expect.objectContaining({ run: 'succeeded', attempt: 1 })])
})

promise(
  'tells a handler that its run was cancelled, also where another process took the cancel',
  async ({ h, worker, startRun, called, ended }) => {
    await worker()
    const runId = await startRun()
    await called(1)
    expect(await testEngine(h).cancel(runId)).toEqual({ ok: true })
    await ended(runId, 'cancelled')
  },
)

promise('starts although a plugin throws, and rejects, where nobody looks while it is loaded', async ({ h }) => {
  const careless = `void Promise.reject(new Error('nobody looks'))\nsetTimeout(() => { throw new Error('nor here') }, 0)`
  const plugins = await pluginsFolder({
    'a/plugin.json': manifest('a'),
    'a/index.ts': `${careless}\n${toolsSource('a.tool')}`,
    'b/plugin.json': manifest('b'),
    'b/index.ts': toolsSource('b.tool'),
  })
  const worker = await startWorker(h.url, plugins.dir)
  try {
    expect((await h.pool.query('SELECT id, status FROM plugins ORDER BY id')).rows).toEqual([
      { id: 'a', status: 'loaded' },
      { id: 'b', status: 'loaded' },
    ])
  } finally {
    await worker.stop()
    await plugins.remove()
  }
})

promise(
  'lets a timer fire at the next start that came due while every worker was down, and one that is set later at its time',
  async (probe) => {
    const { h, worker, ended } = probe
    const steps = [
      { id: 'missed', uses: 'wait', after: [], seconds: 1 },
      { id: 'short', uses: 'wait', after: ['missed'], seconds: 2 },
    ]
    const { definition, principal } = await h.seed(JSON.stringify({ spec: 1, slug: 'wait', title: 'Wait', steps }))
    const runId = await testEngine(h).start({ definition, principal, input: {} })
    await h.pool.query(`UPDATE workflow_timers SET due_at = clock_timestamp() - interval '1 hour' WHERE run_id = $1`, [runId])
    await worker()
    await ended(runId, 'succeeded')
    const { rows } = await h.pool.query<{ seconds: number }>(
      `SELECT extract(epoch FROM max(finished_at) - min(finished_at))::float AS seconds FROM workflow_steps WHERE run_id = $1`,
      [runId],
    )
    // A sweep alone would come after 30 s.
    expect(rows[0]?.seconds).toBeLessThan(20)
  },
)
