import { sql } from 'drizzle-orm'
import { STEP_QUEUE } from '@/db/queue'
import type { Json } from '@/spec'
import type { EngineError, StepRef, WorkRef } from '@/server/engine/model'
import { referenceOutput } from '@/server/engine/outputs'
import type { NewJob, QueueName, RunTx, StepRow } from '@/server/engine/ports'
import { type Executor, jobIsAlive, type StepJobs } from '@/server/queue/pg-boss'
import { doc, docOrNull, isRow, parseDoc, type RawStep, STEP_COLUMNS, STEP_KEY, stepRow } from './sql'

export async function outputs(db: Executor, runId: string, stepIds: string[]): Promise<Map<string, Json>> {
  if (stepIds.length === 0) return new Map()
  const { rows } = await db.execute<{ step_id: string; status: string; output: string | null; error: string | null }>(sql`
    SELECT DISTINCT ON (step_id) step_id, status, output, error FROM workflow_steps
    WHERE run_id = ${runId} AND step_id = ANY(${sql.param(stepIds)}::text[]) AND item = -1 AND call = ''
    ORDER BY step_id, epoch DESC`)
  const seen = new Map<string, Json>()
  for (const row of rows) {
    const output = row.output === null ? undefined : parseDoc(row.output)
    const visible = referenceOutput({ status: row.status, output, error: parseDoc<EngineError>(row.error) })
    if (visible !== undefined) seen.set(row.step_id, visible)
  }
  return seen
}

/** @throws {Error} when a row is not free: it has ended, or its job is alive. Nothing may run twice, so nothing is enqueued then. */
export async function enqueue(tx: Executor, jobs: StepJobs, runId: string, added: NewJob[]): Promise<void> {
  if (added.length === 0) return
  const placed = await place(jobs, added)
  const column = <T>(pick: (job: NewJob) => T) => sql.param(placed.map(pick))
  const { rowCount } = await tx.execute(sql`
    INSERT INTO workflow_steps AS s (${STEP_KEY}, status, job_id, queue, not_before)
    SELECT ${runId}::uuid, x.step_id, x.item, x.call, x.epoch, 'queued', x.job_id, x.queue, x.not_before
    FROM unnest(${column((j) => j.data.stepId)}::text[], ${column((j) => j.data.item)}::int[], ${column((j) => j.data.call)}::text[],
      ${column((j) => j.data.epoch)}::int[], ${column((j) => j.id)}::uuid[],
      ${column((j) => queueColumn(j.queue))}::text[], ${column((j) => j.startAfter?.toISOString() ?? null)}::timestamptz[])
      AS x(step_id, item, call, epoch, job_id, queue, not_before)
    ON CONFLICT (${STEP_KEY}) DO UPDATE SET status = 'queued', job_id = excluded.job_id, queue = excluded.queue, not_before = excluded.not_before,
        deferred_until = NULL, deferred_for = NULL
      WHERE s.status = 'pending' OR (s.status IN ('queued', 'running') AND NOT ${jobIsAlive})`)
  if (rowCount !== added.length)
    throw new Error(`run ${runId}: ${added.length - (rowCount ?? 0)} of ${added.length} steps to enqueue were not free`)
  await jobs.insert(tx, placed)
}

/** In queues that are there. */
export async function place(jobs: StepJobs, added: NewJob[]): Promise<NewJob[]> {
  const places = new Map<QueueName, QueueName>()
  for (const { queue } of added) if (queue && !places.has(queue)) places.set(queue, await jobs.available(queue))
  return added.map((job) => (job.queue ? { ...job, queue: places.get(job.queue) ?? job.queue } : job))
}

/** Nearly every row is of the queue of steps: it is the one that need not be named. */
export const queueColumn = (queue: QueueName | undefined) => (queue === STEP_QUEUE ? null : (queue ?? null))

/** What the row does not say anew it keeps: a compensated success still shows its output and when it was. */
export async function settleStep(
  tx: Executor,
  runId: string,
  ref: StepRef,
  status: Parameters<RunTx['settleStep']>[1],
  written: Parameters<RunTx['settleStep']>[2],
): Promise<void> {
  const started = status === 'skipped' || status === 'cancelled' ? sql`NULL::timestamptz` : sql`clock_timestamp()`
  const finished = status === 'waiting' ? sql`NULL::timestamptz` : sql`clock_timestamp()`
  await tx.execute(sql`
    INSERT INTO workflow_steps AS s (${STEP_KEY}, status, input, output, error, started_at, finished_at)
    VALUES (${runId}, ${ref.stepId}, ${ref.item}, ${ref.call}, ${ref.epoch}, ${status}, ${docOrNull(written.input)},
      ${docOrNull(written.output)}, ${doc(written.error)}, ${started}, ${finished})
    ON CONFLICT (${STEP_KEY}) DO UPDATE SET status = excluded.status, input = COALESCE(excluded.input, s.input),
      output = COALESCE(excluded.output, s.output), error = COALESCE(excluded.error, s.error),
      started_at = COALESCE(s.started_at, excluded.started_at), finished_at = COALESCE(s.finished_at, excluded.finished_at)`)
}

/**
 * A claim may be waiting for one of these rows: it then finds it pending and drops its job. One that came first is on a worker and
 * stays there.
 */
export async function recall(tx: Executor, jobs: StepJobs, runId: string, stepId?: string): Promise<{ stepId: string; item: number }[]> {
  const which = stepId === undefined ? sql`` : sql`AND s.step_id = ${stepId} AND s.item >= 0`
  const gates = sql`, withdrawn AS (UPDATE gates SET status = 'withdrawn', settled_at = clock_timestamp() WHERE run_id = ${runId} AND status = 'open')`
  const timers = sql`, dropped AS (UPDATE workflow_timers SET status = 'dropped' WHERE run_id = ${runId} AND status = 'set')`
  const { rows } = await tx.execute<{ step_id: string; item: number; job_id: string | null; queue: QueueName | null }>(sql`
    WITH recalled AS MATERIALIZED (
      SELECT s.step_id, s.item, s.epoch, s.job_id, s.queue FROM workflow_steps s
      WHERE s.run_id = ${runId} AND s.call = '' AND s.status = 'queued' ${which} FOR UPDATE
    ), pending AS (
      UPDATE workflow_steps s SET status = 'pending', job_id = NULL, not_before = NULL, deferred_until = NULL, deferred_for = NULL FROM recalled r
      WHERE s.run_id = ${runId} AND s.step_id = r.step_id AND s.item = r.item AND s.call = '' AND s.epoch = r.epoch
    ) ${stepId === undefined ? sql`${gates} ${timers}` : sql``}
    SELECT step_id, item, job_id, queue FROM recalled`)
  await jobs.remove(
    tx,
    rows.flatMap(({ job_id: id, queue }) => (id === null ? [] : [{ id, queue: queue ?? STEP_QUEUE }])),
  )
  return rows.map((row) => ({ stepId: row.step_id, item: row.item }))
}

export async function nextUndo(tx: Executor, runId: string): Promise<WorkRef | null> {
  const { rows } = await tx.execute<WorkRef>(sql`
    SELECT s.step_id AS "stepId", s.item, s.epoch FROM workflow_steps s
    WHERE s.run_id = ${runId} AND s.call = '' AND s.status = 'succeeded' AND s.undoable AND NOT EXISTS (
      SELECT 1 FROM workflow_steps u
      WHERE u.run_id = s.run_id AND u.step_id = s.step_id AND u.item = s.item AND u.call = 'undo' AND u.epoch = s.epoch)
    ORDER BY s.seq DESC LIMIT 1`)
  return rows[0] ?? null
}

export async function row(db: Executor, runId: string, ref: StepRef): Promise<StepRow | null> {
  const { rows } = await db.execute<RawStep>(sql`SELECT ${STEP_COLUMNS} FROM workflow_steps s WHERE ${isRow(runId, ref)}`)
  return rows[0] ? stepRow(rows[0]) : null
}

export async function lostRows(tx: Executor, runId: string): Promise<StepRow[]> {
  const { rows } = await tx.execute<RawStep>(sql`
    SELECT ${STEP_COLUMNS} FROM workflow_steps s
    WHERE s.run_id = ${runId} AND s.status IN ('queued', 'running') AND s.call IN ('', 'undo') AND NOT ${jobIsAlive}`)
  return rows.map(stepRow)
}
