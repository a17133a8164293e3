import { sql } from 'drizzle-orm'
import type { StepRef } from '@/server/engine/model'
import type { RunTx, StepRow } from '@/server/engine/ports'
import type { Executor } from '@/server/queue/pg-boss'
import { docOrNull, isRow, type RawStep, STEP_COLUMNS, STEP_KEY, stepRow } from './sql'

/* An agent's replies and calls: rows beside its own, which a worker that lost them leaves to the next. */

export async function conversation(db: Executor, runId: string, agent: Pick<StepRef, 'stepId' | 'item' | 'epoch'>): Promise<StepRow[]> {
  const { rows } = await db.execute<RawStep>(sql`
    SELECT ${STEP_COLUMNS} FROM workflow_steps s
    WHERE s.run_id = ${runId} AND s.step_id = ${agent.stepId} AND s.item = ${agent.item} AND s.call LIKE 't%' AND s.epoch = ${agent.epoch}`)
  return rows.map(stepRow)
}

/** Locks the row: nobody takes it over before this transaction ends. */
export async function holds(tx: Executor, runId: string, ref: StepRef, attempt: number, jobId: string): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    SELECT 1 FROM workflow_steps s WHERE ${isRow(runId, ref)} AND s.status = 'running' AND s.attempt = ${attempt} AND s.job_id = ${jobId} FOR SHARE`)
  return rows.length === 1
}

export async function startCall(tx: Executor, runId: string, ref: StepRef, call: Parameters<RunTx['startCall']>[1]): Promise<void> {
  const { rowCount } = await tx.execute(sql`
    INSERT INTO workflow_steps AS s (${STEP_KEY}, status, attempt, key_epoch, job_id, input, plugin, started_at, attempt_started_at)
    VALUES (${runId}, ${ref.stepId}, ${ref.item}, ${ref.call}, ${ref.epoch}, 'running', ${call.attempt}, ${ref.epoch}, ${call.jobId},
      ${docOrNull(call.input)}, ${call.plugin}, clock_timestamp(), clock_timestamp())
    ON CONFLICT (${STEP_KEY}) DO UPDATE SET status = 'running', attempt = excluded.attempt, job_id = excluded.job_id, input = excluded.input,
      plugin = excluded.plugin, error = NULL, finished_at = NULL, attempt_started_at = clock_timestamp() WHERE s.status <> 'succeeded'`)
  if (rowCount !== 1) throw new Error(`run ${runId}: the call ${ref.call} of ${ref.stepId} has succeeded`)
}
