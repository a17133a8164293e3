import { setTimeout as sleep } from 'node:timers/promises'
import type { PgBoss } from 'pg-boss'

/** The connection by which each worker that fetches is known to the others. */
export const FETCH_NAME = 'clew fetch'

const EVERY_MS = 1_000
/** Between two answers of the database no more than this passes, unless it or this process stood still. */
const STILL_MS = 5_000

export type SupervisionOptions = {
  boss: Pick<PgBoss, 'getDb' | 'supervise'>
  /** A heartbeat's length and a renewal's: within it every worker that lives has renewed its leases once the database is back. */
  graceMs: number
  onError: (error: unknown) => void
}

/**
 * Finds the jobs of workers that died, every second. Not right after the database was away: then nobody has renewed a lease for a while, and
 * the first worker to be back would take from all others what they are still at, so that it is called twice. A lost job waits a little longer.
 */
export class Supervision {
  /** The workers that fetched from this database a moment ago, as far as this one knows. */
  workers = 1
  #notBefore = 0
  #reached = Date.now()
  readonly #stopped = new AbortController()
  readonly #loop: Promise<void>

  constructor(private readonly options: SupervisionOptions) {
    this.#loop = this.#run()
  }

  /** The database could not be reached, or not in time. */
  unreached(): void {
    this.#notBefore = Date.now() + this.options.graceMs
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await this.#once().catch((error: unknown) => {
        this.unreached()
        if (!signal.aborted) this.options.onError(error)
      })
      await sleep(EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async #once(): Promise<void> {
    const { boss, graceMs } = this.options
    const { rows } = await boss.getDb().executeSql(
      `SELECT extract(epoch FROM now() - pg_postmaster_start_time())::float8 * 1000 AS "upMs",
        (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1) AS workers`,
      [FETCH_NAME],
    )
    const { upMs, workers } = rows[0] as { upMs: number; workers: number }
    this.workers = Math.max(1, workers)
    if (Date.now() - this.#reached > STILL_MS) this.unreached()
    this.#reached = Date.now()
    if (upMs < graceMs || this.#reached < this.#notBefore || this.#stopped.signal.aborted) return
    await boss.supervise()
    this.#reached = Date.now()
  }
}
