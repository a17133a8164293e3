import { sql } from 'drizzle-orm'
import type { ChildCursor, EngineError, Face, StepRef } from '@/server/engine/model'
import type { Child, ChildRowEnd, ChildStart, RunTx } from '@/server/engine/ports'
import { serializeState } from '@/server/engine/serialize'
import type { Executor } from '@/server/queue/pg-boss'
import { announcement, pinsDoc } from './runs'
import { doc, docOrNull, isRow, parseDoc, plainText } from './sql'

const DESCENDANTS_MAX = 10_000

/** False: its root has as many descendants as it may have, and nothing was stored. Counting locks the root's row, which is never locked from above. */
export async function insertChild(tx: Executor, { run, state, stepsTotal }: ChildStart): Promise<boolean> {
  const { userId, teamId, locale } = run.principal
  const { parent, rootId, depth } = run.kin
  if (!parent) throw new Error(`run ${run.id} has no parent`)
  const { rowCount } = await tx.execute(sql`
    WITH counted AS (
      UPDATE workflow_runs SET descendants = descendants + 1 WHERE id = ${rootId} AND descendants < ${DESCENDANTS_MAX} RETURNING id AS root
    ), inserted AS (
      INSERT INTO workflow_runs (id, def_id, team_id, user_id, locale, status, title, input, secrets, cursor_json, steps_total, trace, pins,
        parent_run_id, parent_step_id, parent_item, parent_epoch, root_run_id, depth, face)
      SELECT ${run.id}::uuid, ${run.definition.id}::uuid, ${teamId}::uuid, ${userId}::uuid, ${locale}, ${state.status},
        ${run.title === null ? null : plainText(run.title)}, ${doc(run.input)}, ${doc(run.secrets ?? null)}, ${serializeState(state)}::json, ${stepsTotal}::int, ${run.trace ?? null}, ${pinsDoc(run.kin)},
        ${parent.runId}::uuid, ${parent.stepId}, ${parent.item}::int, ${parent.epoch}::int, counted.root, ${depth}::int, 'busy' FROM counted
      RETURNING id, team_id, version
    )
    SELECT ${announcement()} FROM inserted`)
  return rowCount === 1
}

const waits = (runId: string, ref: StepRef) => sql`${isRow(runId, ref)} AND s.status = 'waiting' AND s.child_run_id IS NOT NULL`

/** Reads the child without locking it: whatever it becomes after this, it says so once more. */
export async function childOf(tx: Executor, runId: string, ref: StepRef): Promise<Child | null> {
  const { rows } = await tx.execute<{ id: string; child_face: ChildCursor; face: Face; output: string | null; error: string | null }>(sql`
    SELECT c.id, s.child_face, c.face, c.output, c.error FROM workflow_steps s JOIN workflow_runs c ON c.id = s.child_run_id WHERE ${waits(runId, ref)}`)
  const raw = rows[0]
  return raw
    ? { runId: raw.id, was: raw.child_face, face: raw.face, output: parseDoc(raw.output), error: parseDoc<EngineError>(raw.error) }
    : null
}

export async function noteChild(tx: Executor, runId: string, ref: StepRef, face: ChildCursor): Promise<void> {
  one(await tx.execute(sql`UPDATE workflow_steps s SET child_face = ${face} WHERE ${waits(runId, ref)}`), ref)
}

export async function endChild(tx: Executor, runId: string, ref: StepRef, end: ChildRowEnd): Promise<void> {
  const change =
    end.kind === 'succeeded'
      ? sql`status = 'succeeded', seq = ${end.seq}, output = ${docOrNull(end.result.output)}, flag = ${end.result.flag ?? null}, undoable = ${end.undoable}`
      : end.kind === 'failed'
        ? sql`status = 'failed', error = ${doc(end.error)}`
        : sql`status = 'cancelled'`
  one(await tx.execute(sql`UPDATE workflow_steps s SET ${change}, finished_at = clock_timestamp() WHERE ${waits(runId, ref)}`), ref)
}

/** @throws {Error} when the row waited for no child */
function one({ rowCount }: { rowCount: number | null }, { stepId, item }: StepRef): void {
  if (rowCount !== 1) throw new Error(`${stepId}/${item} waits for no child`)
}

export async function children(tx: Executor, runId: string): ReturnType<RunTx['children']> {
  type Raw = { step_id: string; item: number; epoch: number; id: string; child_face: ChildCursor; face: Face }
  const { rows } = await tx.execute<Raw>(sql`
    SELECT s.step_id, s.item, s.epoch, c.id, s.child_face, c.face FROM workflow_steps s JOIN workflow_runs c ON c.id = s.child_run_id
    WHERE s.run_id = ${runId} AND s.status = 'waiting'`)
  return rows.map((raw) => ({
    ref: { stepId: raw.step_id, item: raw.item, call: '', epoch: raw.epoch },
    runId: raw.id,
    was: raw.child_face,
    face: raw.face,
  }))
}
