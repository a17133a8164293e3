import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import type { Pool, PoolClient } from 'pg'
import { createPool, type Db } from '@/db/client'
import { AGENT_QUEUE, JOB_QUEUES, QUEUE_OPTIONS, SET_EXPIRY, STEP_QUEUE, UPKEEP_QUEUE } from '@/db/queue'
import type { Job, JobData, NewJob, NewSignal, Queue, QueueName } from '@/server/engine/ports'
import { FETCH_NAME, Supervision } from './supervision'

/** The database or a transaction of it. */
export type Executor = Pick<Db, 'execute'>

/** The store's side of the queue: jobs come and go in the transaction that changes the state they stand for. */
export interface StepJobs {
  /** This queue; or that of the steps where no worker has ever known this kind of job: there it fails, instead of waiting for ever. */
  available(queue: QueueName): Promise<QueueName>
  /** Jobs of available queues. */
  insert(tx: Executor, jobs: (NewJob | NewSignal)[]): Promise<void>
  remove(tx: Executor, jobs: { id: string; queue: QueueName }[]): Promise<void>
}

export type StepQueue = Queue &
  StepJobs & {
    /** Makes the queues of these kinds of jobs where they are missing. */
    open(kinds: string[]): Promise<void>
    /** Does the work now and then once in so many seconds, as a job: of all workers that ask for it one does it each time. */
    every(seconds: number, work: () => Promise<void>): Promise<void>
    close(): Promise<void>
  }

export type StepQueueOptions = {
  connectionString: string
  /** A worker fetches, and finds the jobs of workers that died; everybody else only inserts. */
  role: 'worker' | 'producer'
  /** Failures in the background: of the supervision, of the listening connection. Both go on by themselves. */
  onError: (message: string, cause: unknown) => void
  /** How many jobs of one team run at the same time, across all workers, of each queue. Absent: about nine tenths of all slots there are. */
  teamConcurrency?: number | undefined
  /** After the database was away no job is taken for lost for so long, in milliseconds: a heartbeat and a renewal of leases, unless given. */
  graceMs?: number
}

const GRACE_MS = QUEUE_OPTIONS.heartbeatSeconds * 1_000 + 2_500

/** The most that one team takes with a fetch of somebody whose slots are not known. */
const TEAM_CONCURRENCY = 1_000
/** Under it a worker counts what a team has under way, and takes more, while no other does. */
const FETCH_LOCK = 0x66657463 // "fetc"

// pg-boss derives the channel of a queue with `notify` from the name of its schema (its notifyChannelSql).
const CHANNEL = `pgboss_${createHash('sha224').update('pgboss').digest('hex').slice(0, 24)}`

// A fetch must walk the index of jobs in their order. With statistics from when the table was nearly empty the planner prefers to read
// and sort every ready row; forbidding that costs nothing otherwise, but needs `jit` off: the raised costs would start the compiler.
const FETCH_SESSION = '-c jit=off -c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off'

/** True while the job of the step row `s` is waiting or on a worker. */
export const jobIsAlive: SQL = sql.raw(
  `EXISTS (SELECT 1 FROM pgboss.job AS live WHERE live.name = COALESCE(s.queue, '${STEP_QUEUE}') AND live.id = s.job_id AND live.state < 'completed')`,
)

/** The queues that `migrate` and `open` have made. Opened with the first use; while the database is away a use fails and the next one tries again. */
export function createStepQueue(options: StepQueueOptions): StepQueue {
  return new PgBossQueue(options)
}

/** For pg-boss's own pool: a connection that a failover left on a read-only server is not kept for long. */
const POOL: object = { maxLifetimeSeconds: 30, connectionTimeoutMillis: 10_000 }

class PgBossQueue implements StepQueue {
  /**
   * Job id → which delivery of it is ours. It fences whatever we say about the job later: when the lease was lost and somebody else
   * holds the job now, our `complete` must not take it from them.
   */
  readonly #leases = new Map<string, { queue: QueueName; retryCount: number }>()
  /** Queues that are there; none ever goes. */
  readonly #known = new Set<QueueName>([STEP_QUEUE])
  readonly #listeners = new Set<{ to: QueueName; wake: () => void }>()
  #listening: Promise<{ close(): Promise<void> } | undefined> | undefined
  readonly #asking: NodeJS.Timeout[] = []
  readonly #fetching: Pool
  #opened: Promise<PgBoss> | undefined
  #supervision: Supervision | undefined

  constructor(private readonly options: StepQueueOptions) {
    this.#fetching = createPool(options.connectionString, {
      max: 1,
      idleTimeoutMillis: 0, // by it the others know that this worker is there, also while all its slots are taken
      application_name: FETCH_NAME,
      options: FETCH_SESSION,
    })
  }

  #boss(): Promise<PgBoss> {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #open(): Promise<PgBoss> {
    const { connectionString, role, onError, graceMs = GRACE_MS } = this.options
    const works = role === 'worker'
    const boss = new PgBoss({
      connectionString,
      application_name: `clew queue ${role}`,
      max: works ? 4 : 1,
      migrate: false,
      schedule: false,
      registerInstance: false,
      openTelemetry: { enabled: false },
      supervise: false, // it is ours to call
      monitorIntervalSeconds: 1,
      maintenanceIntervalSeconds: 60,
      // One map alone may have 10,000 items waiting.
      warningQueueSize: 1_000_000,
      ...POOL,
    })
    boss.on('error', (error) => onError('the queue', error))
    boss.on('warning', (warning) => onError(`the queue: ${warning.message}`, null))
    await boss.start().catch(async (error: unknown) => {
      await boss.stop({ graceful: false }).catch(() => {})
      throw error
    })
    if (works) this.#supervision = new Supervision({ boss, graceMs, onError: (error) => onError('the queue', error) })
    return boss
  }

  async open(kinds: string[]): Promise<void> {
    const boss = await this.#boss()
    for (const kind of kinds) await boss.createQueue(`${JOB_QUEUES}${kind}`, QUEUE_OPTIONS)
    await boss.getDb().executeSql(SET_EXPIRY)
  }

  async every(seconds: number, work: () => Promise<void>): Promise<void> {
    const boss = await this.#boss()
    const ask = () =>
      boss.send(UPKEEP_QUEUE, null, { singletonKey: 'upkeep', singletonSeconds: seconds }).catch((error: unknown) => {
        this.options.onError('the upkeep', error)
      })
    await ask() // before looking, so that the first is done at once
    this.#asking.push(setInterval(() => void ask(), Math.min(60_000, seconds * 1_000)))
    await boss.work(UPKEEP_QUEUE, { pollingIntervalSeconds: 5 }, async () => {
      await work().catch((error: unknown) => this.options.onError('the upkeep', error))
    })
  }

  async names(): Promise<QueueName[]> {
    const { rows } = await (await this.#boss()).getDb().executeSql('SELECT name FROM pgboss.queue ORDER BY name')
    const names = (rows as { name: string }[]).flatMap(({ name }) => (isOurs(name) ? [name] : []))
    for (const name of names) this.#known.add(name)
    return names
  }

  async available(queue: QueueName): Promise<QueueName> {
    if (this.#known.has(queue) || (await this.names()).includes(queue)) return queue
    return STEP_QUEUE
  }

  async insert(tx: Executor, jobs: (NewJob | NewSignal)[]): Promise<void> {
    for (const [queue, added] of byQueue(jobs)) {
      const rows = added.map((job) => ({
        id: job.id,
        data: job.data,
        group: { id: job.teamId },
        startAfter: job.startAfter?.toISOString(),
      }))
      await (await this.#boss()).insert(queue, rows, { db: fromDrizzle(tx, sql) })
    }
  }

  async remove(tx: Executor, jobs: { id: string; queue: QueueName }[]): Promise<void> {
    for (const [queue, gone] of byQueue(jobs))
      await (await this.#boss()).deleteJob(queue, gone.map(({ id }) => id), { db: fromDrizzle(tx, sql) }) // prettier-ignore
  }

  async fetch(limit: number, from: QueueName = STEP_QUEUE, slots?: number): Promise<Job[]> {
    const { teamConcurrency } = this.options
    const boss = await this.#boss()
    const take = (client: Pick<Pool, 'query'>) =>
      boss.fetch<JobData>(from, {
        batchSize: limit,
        groupConcurrency: teamConcurrency ?? this.#fairShare(slots),
        db: { executeSql: (text, values) => client.query(text, values) },
      })
    const rows = await (teamConcurrency === undefined ? take(this.#fetching) : locked(this.#fetching, FETCH_LOCK, take))
    for (const row of rows) this.#leases.set(row.id, { queue: from, retryCount: row.retryCount })
    return rows.map((row) => ({ id: row.id, data: row.data, redelivered: row.retryCount > 0 }))
  }

  /** All slots of all workers but a tenth: there the steps of other teams start while one team's fan-out takes the rest. */
  #fairShare(slots: number | undefined): number {
    if (slots === undefined) return TEAM_CONCURRENCY
    const all = slots * (this.#supervision?.workers ?? 1)
    return all - Math.max(slots > 1 ? 1 : 0, Math.floor(all / 10))
  }

  async complete(jobIds: string[]): Promise<void> {
    for (const [queue, held] of byQueue(this.#held(jobIds))) {
      await (await this.#boss()).deleteJob(queue, held)
      this.#forget(held)
    }
  }

  async release(jobIds: string[]): Promise<void> {
    for (const [queue, held] of byQueue(this.#held(jobIds))) {
      await (await this.#boss()).fail(queue, held)
      this.#forget(held)
      await (await this.#boss()).getDb().executeSql('SELECT pg_notify($1, $2)', [CHANNEL, queue])
    }
  }

  async touch(jobIds: string[]): Promise<void> {
    try {
      for (const [queue, held] of byQueue(this.#held(jobIds))) await (await this.#boss()).touch(queue, held)
    } catch (error) {
      this.#supervision?.unreached()
      throw error
    }
  }

  /** All who listen share one connection. After it was cut everybody is woken: something may have been missed. */
  async listen(wake: () => void, to: QueueName = STEP_QUEUE): Promise<() => Promise<void>> {
    const listener = { to, wake }
    this.#listeners.add(listener)
    const heard = (queue?: string) => {
      for (const one of this.#listeners) if (queue === undefined || one.to === queue) one.wake()
    }
    const first = this.#listening === undefined
    this.#listening ??= this.#boss().then((boss) => boss.getDb().listen?.(CHANNEL, heard, () => heard()))
    try {
      await this.#listening
    } catch (error) {
      this.#listeners.delete(listener)
      this.#listening = undefined
      throw error
    }
    if (!first) wake()
    return async () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      const listening = this.#listening
      this.#listening = undefined
      await (await listening)?.close()
    }
  }

  async close(): Promise<void> {
    this.#asking.forEach(clearInterval)
    const boss = await this.#opened?.catch(() => undefined)
    await Promise.all([this.#supervision?.stop(), boss?.stop({ graceful: false })])
    await this.#fetching.end()
  }

  #held(jobIds: string[]): Held[] {
    return jobIds.flatMap((id) => {
      const lease = this.#leases.get(id)
      return lease ? [{ id, ...lease }] : []
    })
  }

  #forget(held: Held[]): void {
    for (const { id, retryCount } of held) if (this.#leases.get(id)?.retryCount === retryCount) this.#leases.delete(id)
  }
}

/** In a transaction of its own that holds this lock to its end: whoever comes next sees what it did. */
async function locked<T>(pool: Pool, lock: number, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let failure: unknown
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [lock])
    const done = await work(client)
    await client.query('COMMIT')
    return done
  } catch (error) {
    failure = error
    throw error
  } finally {
    // A connection that failed in the middle is thrown away, and its transaction and lock with it.
    client.release(failure !== undefined)
  }
}

type Held = { id: string; queue: QueueName; retryCount: number }

const isOurs = (name: string): name is QueueName => name === STEP_QUEUE || name === AGENT_QUEUE || name.startsWith(JOB_QUEUES)

function byQueue<T extends { queue?: QueueName }>(jobs: T[]): Map<QueueName, T[]> {
  return Map.groupBy(jobs, (job) => job.queue ?? STEP_QUEUE)
}
