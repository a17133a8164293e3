import { sql } from 'drizzle-orm'
import type { Timer } from '@/server/engine/ports'
import type { Executor } from '@/server/queue/pg-boss'
import { instant, instantOrNull } from './sql'

/** A timer that was dropped when its run stopped is set again to the time it had. */
export async function setTimer(tx: Executor, runId: string, timer: { stepId: string; epoch: number; dueAt: Date }): Promise<Date> {
  const { rows } = await tx.execute<{ due_at: string }>(sql`
    INSERT INTO workflow_timers (run_id, step_id, epoch, due_at, status)
    VALUES (${runId}, ${timer.stepId}, ${timer.epoch}, ${timer.dueAt.toISOString()}::timestamptz, 'set')
    ON CONFLICT (run_id, step_id, epoch) DO UPDATE SET status = 'set' RETURNING due_at`)
  if (!rows[0]) throw new Error('the timer was not set')
  return instant(rows[0].due_at)
}

export async function timer(tx: Executor, runId: string, stepId: string, epoch: number): Promise<Timer | null> {
  const { rows } = await tx.execute<{ due_at: string; status: Timer['status'] }>(
    sql`SELECT due_at, status FROM workflow_timers WHERE run_id = ${runId} AND step_id = ${stepId} AND epoch = ${epoch}`,
  )
  const raw = rows[0]
  return raw ? { stepId, epoch, dueAt: instant(raw.due_at), status: raw.status } : null
}

export async function fireTimer(tx: Executor, runId: string, stepId: string, epoch: number): Promise<void> {
  const { rowCount } = await tx.execute(
    sql`UPDATE workflow_timers SET status = 'fired' WHERE run_id = ${runId} AND step_id = ${stepId} AND epoch = ${epoch} AND status = 'set'`,
  )
  if (rowCount !== 1) throw new Error(`the timer of ${stepId} is not set`)
}

export async function dueTimers(
  db: Executor,
  limit: number,
): Promise<{ due: { runId: string; stepId: string; epoch: number }[]; next: Date | null }> {
  const { rows } = await db.execute<{ runId: string; stepId: string; epoch: number }>(sql`
    SELECT run_id AS "runId", step_id AS "stepId", epoch FROM workflow_timers
    WHERE status = 'set' AND due_at <= clock_timestamp() ORDER BY due_at LIMIT ${limit}`)
  const next = await db.execute<{ next: string | null }>(
    sql`SELECT min(due_at) AS next FROM workflow_timers WHERE status = 'set' AND due_at > clock_timestamp()`,
  )
  return { due: rows, next: instantOrNull(next.rows[0]?.next ?? null) }
}
