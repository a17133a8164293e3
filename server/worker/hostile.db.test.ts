import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ownServer } from '@/db/testing/server'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { startWorker, type WorkerProcess } from './testing/worker'

let server: Awaited<ReturnType<typeof ownServer>>
let h: Harness
let worker: WorkerProcess
let folder: string
let before = 0

beforeAll(async () => {
  server = await ownServer()
  folder = await fs.mkdtemp(path.join(os.tmpdir(), 'clew-hostile-'))
  h = await openHarness({ url: server.url, drop: async () => {} })
  worker = await startWorker(server.url)
}, 120_000)
afterAll(async () => {
  await worker?.stop()
  await h?.close()
  await server?.remove()
  await fs.rm(folder, { recursive: true })
})
beforeEach(() => {
  before = worker.said().length
})

const lines = () =>
  worker
    .said()
    .slice(before)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { level: number; msg: string; event?: string })
/** What the worker said that is no event. */
const messages = () => lines().flatMap(({ event, msg }) => (event === undefined ? [msg] : []))
const AWAY = 'the database does not answer as it should: waiting, and trying again until it does'
const BACK = 'the database answers again'
const says = (message: string) => eventually(async () => (messages().includes(message) ? true : undefined), 60, `it says "${message}"`)

/** A run whose handler has been called and holds until `go`. */
async function holdingRun() {
  const name = crypto.randomUUID()
  const [calls, until] = [path.join(folder, `${name}-calls`), path.join(folder, `${name}-go`)]
  const step = { id: 'hold', uses: 'tool:probe.hold', after: [], with: { calls, until } }
  const { definition, principal } = await h.seed(JSON.stringify({ spec: 1, slug: 'hold', title: 'Hold', steps: [step] }))
  await h.pool.query(`INSERT INTO memberships (team_id, user_id, level) VALUES ($1, $2, 'member')`, [principal.teamId, principal.userId])
  const runId = await testEngine(h).start({ definition, principal, input: {} })
  const called = async () => (await fs.readFile(calls, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  await eventually(async () => ((await called()).length > 0 ? true : undefined), 30, 'the handler is called')
  return {
    runId,
    go: () => fs.writeFile(until, ''),
    /** Resolves when the run has succeeded; its one step was called once, and its first attempt counts. */
    async succeedsAtFirst(): Promise<void> {
      type Row = { run: string; attempt: number; status: string }
      const row = await eventually(
        async () => {
          const { rows } = await h.pool
            .query<Row>(
              'SELECT r.status AS run, s.status, s.attempt FROM workflow_runs r JOIN workflow_steps s ON s.run_id = r.id WHERE r.id = $1',
              [runId],
            )
            .catch(() => ({ rows: [] }))
          return rows.find(({ run }) => run !== 'running')
        },
        60,
        'the run has ended',
      )
      expect(row).toEqual({ run: 'succeeded', status: 'succeeded', attempt: 1 })
      expect(await called()).toEqual([`${runId}:hold 1`])
    },
  }
}

/** What was said while it was away is one line, and one more when it was back. */
function saidOnce(): void {
  expect(messages().filter((message) => message !== AWAY && message !== BACK)).toEqual([])
  expect(messages().filter((message) => message === AWAY).length).toBeLessThanOrEqual(1)
}

it('keeps the result of a call over a kill -9 of the database, says once that it waits, and goes on by itself', async () => {
  const run = await holdingRun()
  await server.kill()
  await run.go()
  await says(AWAY)
  await server.start()
  await run.succeedsAtFirst()
  await says(BACK)
  saidOnce()
}, 120_000)

it('goes on when every connection is cut, and hears of new work at once again', async () => {
  const run = await holdingRun()
  await server.cut()
  await run.go()
  await run.succeedsAtFirst()
  await eventually(
    async () => {
      const { rows } = await h.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE application_name = 'clew queue worker' AND query LIKE 'LISTEN%'`,
      )
      return rows.length > 0 ? true : undefined
    },
    30,
    'it listens again',
  )
  saidOnce()
}, 120_000)

/** Transactions that failed so far. */
const failures = async () =>
  Number((await h.pool.query<{ n: string }>(`SELECT xact_rollback AS n FROM pg_stat_database WHERE datname = 'clew'`)).rows[0]?.n)

it('waits while a failover has left it on a server that takes no writes', async () => {
  const run = await holdingRun()
  await server.asAdministrator('ALTER DATABASE clew SET default_transaction_read_only = on')
  await server.cut()
  // Its connections stay read-only when the setting is gone: as those to a standby do.
  const earlier = await failures()
  await run.go()
  await eventually(async () => ((await failures()) > earlier ? true : undefined), 30, 'it has tried to write')
  await server.asAdministrator('ALTER DATABASE clew RESET default_transaction_read_only')
  await run.succeedsAtFirst()
  saidOnce()
  // The tests' own connections are named by nobody.
  await server.asAdministrator(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'clew' AND application_name = ''`)
}, 120_000)

it('keeps the result of a call while statements time out', async () => {
  const run = await holdingRun()
  await server.asAdministrator(`ALTER DATABASE clew SET statement_timeout = '300ms'`)
  await server.cut()
  const lock = await h.pool.connect()
  await lock.query('BEGIN')
  await lock.query('SELECT 1 FROM workflow_runs WHERE id = $1 FOR UPDATE', [run.runId])
  await run.go()
  await eventually(
    async () => ((await h.pool.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rows.length > 0 ? true : undefined),
    30,
    'it waits for the lock',
  )
  await eventually(
    async () =>
      (await h.pool.query(`SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).rows.length === 0 ? true : undefined,
    30,
    'its statement timed out',
  )
  await lock.query('ROLLBACK')
  lock.release()
  await run.succeedsAtFirst()
  await server.asAdministrator('ALTER DATABASE clew RESET statement_timeout')
  saidOnce()
}, 120_000)

it('goes on when there are free connections again', async () => {
  const run = await holdingRun()
  await server.asAdministrator('ALTER DATABASE clew CONNECTION LIMIT 0')
  await server.cut()
  await run.go()
  await eventually(async () => (/53300/.test(worker.said().slice(before)) ? true : undefined), 5, 'it says so').catch(() => {})
  await server.asAdministrator('ALTER DATABASE clew CONNECTION LIMIT -1')
  await run.succeedsAtFirst()
  saidOnce()
}, 120_000)
