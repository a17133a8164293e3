import { Pool } from 'pg'

/** The people of the demo organisations, by the part of their address before the @. */
export type Person = 'olga' | 'frida' | 'eli' | 'tom' | 'mia' | 'lena' | 'sam'

const LEDGER = 'plugin_expense_approval.entries'

/** What tests look up behind the pages: the truth that a page must agree with. */
export class Database {
  private readonly pool: Pool

  constructor(url: string) {
    this.pool = new Pool({ connectionString: url, max: 4 })
    // A test may take the database away while a connection is idle.
    this.pool.on('error', () => {})
  }

  close(): Promise<void> {
    return this.pool.end()
  }

  async personId(person: Person): Promise<string> {
    return this.one<string>('SELECT id AS value FROM users WHERE email = $1', [`${person}@demo.clew.local`])
  }

  /** The open gate of a run, or its last one. */
  async gateOf(runId: string): Promise<string> {
    return this.one<string>('SELECT id AS value FROM gates WHERE run_id = $1 ORDER BY opened_at DESC LIMIT 1', [runId])
  }

  async gatesOf(runId: string): Promise<number> {
    return this.one<number>('SELECT count(*)::int AS value FROM gates WHERE run_id = $1', [runId])
  }

  async statusOf(runId: string): Promise<string> {
    return this.one<string>('SELECT status AS value FROM workflow_runs WHERE id = $1', [runId])
  }

  /** The ledger's entries of a run's `pay`: what was really posted. */
  async postedBy(runId: string, team = 'finance'): Promise<{ amount: number; memo: string }[]> {
    const client = await this.pool.connect()
    try {
      // Row-level security binds this connection, too: it sees the rows of the team it names.
      await client.query(`SELECT set_config('clew.team_id', id::text, false) FROM teams WHERE slug = $1`, [team])
      const { rows } = await client.query<{ amount: number; memo: string }>(
        `SELECT amount::float8 AS amount, memo FROM ${LEDGER} WHERE idempotency_key LIKE $1 || ':pay%'`,
        [runId],
      )
      return rows
    } finally {
      client.release()
    }
  }

  /** Keeps everybody else from writing to the ledger until it is let go. */
  lockLedger(): Promise<Lock> {
    return this.lock(`LOCK TABLE ${LEDGER} IN SHARE ROW EXCLUSIVE MODE`)
  }

  /** Keeps the engine from recording anything about a run until it is let go. */
  lockRun(runId: string): Promise<Lock> {
    return this.lock('SELECT 1 FROM workflow_runs WHERE id = $1 FOR UPDATE', [runId])
  }

  private async lock(statement: string, values: string[] = []): Promise<Lock> {
    const client = await this.pool.connect()
    await client.query('BEGIN')
    await client.query(statement, values)
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    const pid = rows[0]?.pid ?? 0
    return {
      waiting: () => this.one<number>('SELECT count(*)::int AS value FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))', [pid]),
      release: async () => {
        await client.query('ROLLBACK')
        client.release()
      },
    }
  }

  private async one<T>(statement: string, values: unknown[]): Promise<T> {
    const { rows } = await this.pool.query<{ value: T }>(statement, values)
    const row = rows[0]
    if (row === undefined) throw new Error(`nothing found: ${statement}`)
    return row.value
  }
}

export interface Lock {
  /** How many connections wait for it now. */
  waiting(): Promise<number>
  release(): Promise<void>
}
