import { eq, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { gates, workflowRuns } from '@/db/schema'
import type { EngineError } from '@/server/engine/model'
import { storeSuite } from '@/server/store/store.testsuite'
import type { Inspected } from '@/server/store/store.testsuite.harness'
import { parseDoc, type RawStep, STEP_COLUMNS, stepRow } from './sql'
import { openHarness } from './testing/harness'

storeSuite('PostgreSQL', async () => {
  const h = await openHarness()
  await h.queue.open(['suite'])
  return {
    ...h,
    inspect: (runId) => inspect(h.db, runId),
    descendants: async (runId) => {
      const { rows } = await h.pool.query<{ n: number }>('SELECT descendants AS n FROM workflow_runs WHERE id = $1', [runId])
      return rows[0]?.n ?? 0
    },
    setDescendants: async (runId, count) =>
      void (await h.pool.query('UPDATE workflow_runs SET descendants = $2 WHERE id = $1', [runId, count])),
  }
})

async function inspect(db: Db, runId: string): Promise<Inspected> {
  const [run] = await db.select().from(workflowRuns).where(eq(workflowRuns.id, runId))
  if (!run) throw new Error('no such run')
  const { rows } = await db.execute<RawStep & { error: string | null; flag: string | null }>(
    sql`SELECT ${STEP_COLUMNS}, s.error, s.flag FROM workflow_steps s WHERE s.run_id = ${runId}`,
  )
  const opened = await db.select().from(gates).where(eq(gates.runId, runId))
  return {
    status: run.status,
    version: run.version,
    output: run.output,
    error: run.error as EngineError | null,
    rows: rows.map((raw) => Object.assign(stepRow(raw), { error: parseDoc<EngineError>(raw.error), flag: raw.flag })),
    gates: opened.map(({ id, stepId, status }) => ({ id, stepId, status })),
  }
}
