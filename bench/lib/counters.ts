import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Figures } from './report'

/** An idle backend tells the server's statistics what it did after 10 s at the latest. */
const STATISTICS_MS = 10_500

/** What this database did so far, as its administrator sees it. */
type Counters = { commits: number; statements: number; walBytes: number }

async function counters(): Promise<Counters> {
  const { BENCH_ADMIN_URL: adminUrl, DATABASE_URL: url = '' } = process.env
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  try {
    const { rows } = await client.query<{ commits: number; statements: number; wal: string }>(
      `SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = $1)::float8 AS commits,
        (SELECT COALESCE(sum(calls), 0) FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid WHERE d.datname = $1)::float8 AS statements,
        pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal`,
      [new URL(url).pathname.slice(1)],
    )
    const [row] = rows
    if (!row) throw new Error('the server said nothing')
    return { commits: row.commits, statements: row.statements, walBytes: Number(row.wal) }
  } finally {
    await client.end()
  }
}

/** Does the work and says what a step of it cost: seconds, and where `counting` also commits, statements and bytes of WAL. */
export async function measured(steps: number, counting: boolean, work: () => Promise<unknown>): Promise<Figures> {
  if (counting) await sleep(STATISTICS_MS)
  const before = counting ? await counters() : null
  const since = performance.now()
  await work()
  const seconds = (performance.now() - since) / 1000
  const figures = { seconds, stepsPerSecond: steps / seconds }
  if (!before) return figures
  await sleep(STATISTICS_MS)
  const after = await counters()
  return {
    ...figures,
    commitsPerStep: (after.commits - before.commits) / steps,
    statementsPerStep: (after.statements - before.statements) / steps,
    walBytesPerStep: (after.walBytes - before.walBytes) / steps,
  }
}
