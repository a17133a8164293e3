import { type SQL, sql } from 'drizzle-orm'
import type { LaidOutMap, StepRef } from '@/server/engine/model'
import type { RecordedOutcome } from '@/server/engine/ports'
import type { Executor } from '@/server/queue/pg-boss'
import { doc, docOrNull, isRow, STEP_KEY } from './sql'

/*
 * What a re-drive and a recorded outcome do to rows. The row of an earlier epoch stays as it ended: it is the history, and the undo of what
 * it did names it.
 */

/** The latest row of each step and item. `known`: whatever it was, it has an end, so making the call again is another call. */
export const lastOfSteps = (runId: string, which: SQL): SQL => sql`
  SELECT DISTINCT ON (s.step_id, s.item) s.*, s.status IN ('succeeded', 'compensated') OR (s.status = 'failed' AND NOT s.ambiguous) AS known
  FROM workflow_steps s WHERE s.run_id = ${runId} AND s.call = '' AND ${which} ORDER BY s.step_id, s.item, s.epoch DESC`

const pendingAgain = (epoch: number, from: SQL): SQL => sql`
  INSERT INTO workflow_steps (${STEP_KEY}, status, item_value, items, key_epoch, ambiguous)
  SELECT run_id, step_id, item, call, ${epoch}::int, 'pending', item_value, items, key_epoch + known::int, ambiguous AND NOT known FROM ${from}`

export async function reopen(tx: Executor, runId: string, stepIds: string[], epoch: number): Promise<void> {
  if (stepIds.length === 0) return
  const last = lastOfSteps(runId, sql`s.item = -1 AND s.step_id = ANY(${sql.param(stepIds)}::text[])`)
  await tx.execute(sql`WITH last AS (${last}) ${pendingAgain(epoch, sql`last`)}`)
}

export async function keepDeadlines(tx: Executor, runId: string, stepIds: string[], epoch: number): Promise<void> {
  if (stepIds.length === 0) return
  await tx.execute(sql`
    INSERT INTO workflow_timers (run_id, step_id, epoch, due_at, status)
    SELECT DISTINCT ON (step_id) run_id, step_id, ${epoch}::int, due_at, status FROM workflow_timers
    WHERE run_id = ${runId} AND step_id = ANY(${sql.param(stepIds)}::text[]) AND status = 'dropped' ORDER BY step_id, epoch DESC`)
}

export async function reopenMap(tx: Executor, runId: string, ref: StepRef): Promise<{ total: number; succeeded: number }> {
  const { rows } = await tx.execute<{ total: number; succeeded: number }>(sql`
    WITH own AS (
      UPDATE workflow_steps s SET status = 'waiting', started_at = COALESCE(s.started_at, clock_timestamp()) WHERE ${isRow(runId, ref)} RETURNING items
    ), last AS MATERIALIZED (${lastOfSteps(runId, sql`s.step_id = ${ref.stepId} AND s.item >= 0`)}),
    mine AS (SELECT last.* FROM last, own WHERE last.item < own.items),
    again AS (${pendingAgain(ref.epoch, sql`mine WHERE status <> 'succeeded'`)})
    SELECT own.items AS total, (SELECT count(*)::int FROM mine WHERE status = 'succeeded') AS succeeded FROM own WHERE own.items IS NOT NULL`)
  if (!rows[0]) throw new Error(`map '${ref.stepId}' was never laid out`)
  return rows[0]
}

export async function pendingItems(tx: Executor, runId: string, ref: StepRef, from: number, limit: number): Promise<number[]> {
  const { rows } = await tx.execute<{ item: number }>(sql`
    SELECT item FROM workflow_steps
    WHERE run_id = ${runId} AND step_id = ${ref.stepId} AND item >= ${from} AND call = '' AND epoch = ${ref.epoch} AND status = 'pending'
    ORDER BY item LIMIT ${limit}`)
  return rows.map(({ item }) => item)
}

export async function laidOutMaps(tx: Executor, runId: string): Promise<LaidOutMap[]> {
  const { rows } = await tx.execute<LaidOutMap>(sql`
    WITH own AS (SELECT DISTINCT ON (step_id) step_id, items FROM workflow_steps
      WHERE run_id = ${runId} AND item = -1 AND call = '' AND items > 0 ORDER BY step_id, epoch DESC)
    SELECT own.step_id AS "stepId", EXISTS (
      SELECT 1 FROM (${lastOfSteps(runId, sql`s.step_id = own.step_id AND s.item >= 0 AND s.item < own.items`)}) last WHERE last.status = 'succeeded'
    ) AS standing FROM own ORDER BY own.step_id`)
  return rows
}

export async function recordOutcome(tx: Executor, runId: string, ref: StepRef, outcome: RecordedOutcome): Promise<boolean> {
  const written = outcome.happened
    ? sql`status = 'succeeded', output = ${docOrNull(outcome.output)}, seq = ${outcome.seq}, undoable = ${outcome.undoable}, error = NULL`
    : sql`error = ${doc(outcome.error)}`
  const { rowCount } = await tx.execute(sql`
    UPDATE workflow_steps s SET ${written}, flag = 'recorded_by_hand', finished_at = clock_timestamp()
    WHERE ${isRow(runId, ref)} AND s.status = 'failed' AND (s.error -> 'code')::text = '"outcome_unknown"'`)
  return rowCount === 1
}
