import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Pool } from 'pg'
import { createPool, type Db } from '@/db/client'
import { STEP_QUEUE } from '@/db/queue'
import type { Job, JobData, NewJob, Queue } from '@/server/engine/ports'

/** The database or a transaction of it. */
export type Executor = Pick<Db, 'execute'>

/** The store's side of the queue: jobs come and go in the transaction that changes the state they stand for. */
export interface StepJobs {
  insert(tx: Executor, jobs: NewJob[]): Promise<void>
  remove(tx: Executor, jobIds: string[]): Promise<void>
}

export type StepQueue = Queue & StepJobs & { close(): Promise<void> }

export type StepQueueOptions = {
  connectionString: string
  /** A worker fetches, and finds the jobs of workers that died; everybody else only inserts. */
  role: 'worker' | 'producer'
  /** Failures in the background: of the supervision, of the listening connection. Both go on by themselves. */
  onError: (message: string, cause: unknown) => void
  /** How many steps of one team run at the same time, across all workers. */
  teamConcurrency?: number
}

const TEAM_CONCURRENCY = 1_000

// pg-boss derives the channel of a queue with `notify` from the name of its schema (its notifyChannelSql).
const CHANNEL = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`

// A fetch must walk the index of jobs in their order. With statistics from when the table was nearly empty the planner prefers to read
// and sort every ready row; forbidding that costs nothing otherwise, but needs `jit` off: the raised costs would start the compiler.
const FETCH_SESSION = '-c jit=off -c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off'

/** True while the job of this id is waiting or on a worker. */
export const jobIsAlive = (jobId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM pgboss.job AS live WHERE live.name = ${sql.raw(`'${STEP_QUEUE}'`)} AND live.id = ${jobId} AND live.state < 'completed')`

/** The queue `flow.step`, which `migrate` has made. Opened with the first use; while the database is away a use fails and the next one tries again. */
export function createStepQueue(options: StepQueueOptions): StepQueue {
  return new PgBossQueue(options)
}

class PgBossQueue implements StepQueue {
  /**
   * Job id → which delivery of it is ours. It fences whatever we say about the job later: when the lease was lost and somebody else
   * holds the job now, our `complete` must not take it from them.
   */
  readonly #leases = new Map<string, number>()
  readonly #fetching: Pool
  #opened: Promise<PgBoss> | undefined

  constructor(private readonly options: StepQueueOptions) {
    this.#fetching = createPool(options.connectionString, { max: 1, application_name: 'clew fetch', options: FETCH_SESSION })
  }

  #boss(): Promise<PgBoss> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #open(): Promise<PgBoss> {
    const { connectionString, role, onError } = this.options
    const works = role === 'worker'
    const boss = new PgBoss({
      connectionString,
      application_name: `clew queue ${role}`,
      max: works ? 4 : 1,
      migrate: false,
      schedule: false,
      registerInstance: false,
      openTelemetry: { enabled: false },
      supervise: works,
      superviseIntervalSeconds: 1,
      monitorIntervalSeconds: 1,
      maintenanceIntervalSeconds: 60,
      // One map alone may have 10,000 items waiting.
      warningQueueSize: 1_000_000,
    })
    boss.on('error', (error) => onError('the queue', error))
    boss.on('warning', (warning) => onError(`the queue: ${warning.message}`, null))
    await boss.start().catch(async (error: unknown) => {
      await boss.stop({ graceful: false }).catch(() => {})
      throw error
    })
    return boss
  }

  async insert(tx: Executor, jobs: NewJob[]): Promise<void> {
    if (jobs.length === 0) return
    const rows = jobs.map((job) => ({ id: job.id, data: job.data, group: { id: job.teamId }, startAfter: job.startAfter?.toISOString() }))
    await (await this.#boss()).insert(STEP_QUEUE, rows, { db: fromDrizzle(tx, sql) })
  }

  async remove(tx: Executor, jobIds: string[]): Promise<void> {
    if (jobIds.length > 0) await (await this.#boss()).deleteJob(STEP_QUEUE, jobIds, { db: fromDrizzle(tx, sql) })
  }

  async fetch(limit: number): Promise<Job[]> {
    const db = { executeSql: (text: string, values?: unknown[]) => this.#fetching.query(text, values) }
    const rows = await (
      await this.#boss()
    ).fetch<JobData>(STEP_QUEUE, { batchSize: limit, groupConcurrency: this.options.teamConcurrency ?? TEAM_CONCURRENCY, db })
    for (const row of rows) this.#leases.set(row.id, row.retryCount)
    return rows.map((row) => ({ id: row.id, data: row.data, redelivered: row.retryCount > 0 }))
  }

  async complete(jobIds: string[]): Promise<void> {
    const held = this.#held(jobIds)
    if (held.length === 0) return
    await (await this.#boss()).deleteJob(STEP_QUEUE, held)
    this.#forget(held)
  }

  async release(jobIds: string[]): Promise<void> {
    const held = this.#held(jobIds)
    if (held.length === 0) return
    await (await this.#boss()).fail(STEP_QUEUE, held)
    this.#forget(held)
    await (await this.#boss()).getDb().executeSql('SELECT pg_notify($1, $2)', [CHANNEL, STEP_QUEUE])
  }

  async touch(jobIds: string[]): Promise<void> {
    const held = this.#held(jobIds)
    if (held.length > 0) await (await this.#boss()).touch(STEP_QUEUE, held)
  }

  async listen(wake: () => void): Promise<() => Promise<void>> {
    const listener = await (await this.#boss()).getDb().listen?.(CHANNEL, wake, wake)
    return async () => listener?.close()
  }

  async close(): Promise<void> {
    const boss = await this.#opened?.catch(() => undefined)
    await boss?.stop({ graceful: false })
    await this.#fetching.end()
  }

  #held(jobIds: string[]): { id: string; retryCount: number }[] {
    return jobIds.flatMap((id) => {
      const retryCount = this.#leases.get(id)
      return retryCount === undefined ? [] : [{ id, retryCount }]
    })
  }

  #forget(held: { id: string; retryCount: number }[]): void {
    for (const { id, retryCount } of held) if (this.#leases.get(id) === retryCount) this.#leases.delete(id)
  }
}
