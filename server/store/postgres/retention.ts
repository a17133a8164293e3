import { sql } from 'drizzle-orm'
import type { Executor } from '@/server/queue/pg-boss'

/** How many rows one statement deletes: it holds no lock for long, and what else happens goes on between two of them. */
const ROWS = 5_000
const TREES = 50

/**
 * What belongs to a run and is kept by its id, many rows of it: also the places that steps had in a quota, which may have been left behind. Gates
 * and timers are few, and go with the run itself.
 */
const LARGE = ['workflow_steps', 'step_attempts', 'quota_places'] as const

const OVER = sql`status IN ('succeeded', 'rejected', 'cancelled') AND NOT moving`

type Candidate = { id: string; finished_at: string }

/**
 * Deletes runs that ended more than `days` ago, each with all runs that it started and once all of those are over; returns how many. Definitions
 * and the audit log stay, and so do parked runs, which wait for a person. Every statement is a transaction of its own; one that is broken off
 * is taken up again by the next call, for a run goes last of all that is its own.
 */
export async function deleteFinishedRuns(db: Executor, days: number, rows = ROWS): Promise<number> {
  let deleted = 0
  let after: Candidate | undefined
  for (;;) {
    const found: Candidate[] = await candidates(db, days, after)
    for (const { id } of found) deleted += await deleteTree(db, id, rows)
    after = found.at(-1)
    if (found.length < TREES) return deleted
  }
}

/** Finished runs that no other run started, or whose parent is gone. */
async function candidates(db: Executor, days: number, after: Candidate | undefined): Promise<Candidate[]> {
  const beyond = after ? sql`AND (r.finished_at, r.id) > (${after.finished_at}::timestamptz, ${after.id}::uuid)` : sql``
  const { rows } = await db.execute<Candidate>(sql`
    SELECT r.id, r.finished_at::text AS finished_at FROM workflow_runs r
    WHERE ${OVER} AND r.finished_at < clock_timestamp() - make_interval(days => ${days}) ${beyond}
      AND NOT EXISTS (SELECT 1 FROM workflow_runs p WHERE p.id = r.parent_run_id)
    ORDER BY r.finished_at, r.id LIMIT ${TREES}`)
  return rows
}

/** The run and those below it, the lowest first. Nothing where one of them still goes on or waits for somebody. */
async function deleteTree(db: Executor, rootId: string, rows: number): Promise<number> {
  const { rows: tree } = await db.execute<{ id: string; over: boolean }>(sql`
    WITH RECURSIVE tree AS (
      SELECT id, 0 AS depth FROM workflow_runs WHERE id = ${rootId}
      UNION ALL SELECT c.id, tree.depth + 1 FROM workflow_runs c JOIN tree ON c.parent_run_id = tree.id
    )
    SELECT r.id, ${OVER} AS over FROM tree JOIN workflow_runs r ON r.id = tree.id ORDER BY tree.depth DESC`)
  if (!tree.every((run) => run.over)) return 0
  for (const { id } of tree) await deleteRun(db, id, rows)
  return tree.length
}

async function deleteRun(db: Executor, runId: string, rows: number): Promise<void> {
  for (const table of LARGE) {
    const name = sql.raw(table)
    let gone: number
    do {
      const { rowCount } = await db.execute(
        sql`DELETE FROM ${name} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${name} WHERE run_id = ${runId} LIMIT ${rows}))`,
      )
      gone = rowCount ?? 0
    } while (gone === rows)
  }
  await db.execute(sql`DELETE FROM workflow_timers WHERE run_id = ${runId}`)
  await db.execute(sql`DELETE FROM gate_decisions WHERE gate_id IN (SELECT id FROM gates WHERE run_id = ${runId})`)
  await db.execute(sql`DELETE FROM gates WHERE run_id = ${runId}`)
  await db.execute(sql`DELETE FROM workflow_runs WHERE id = ${runId} AND ${OVER}`)
}
