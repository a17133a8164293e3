import { sql } from 'drizzle-orm'
import type { RunState } from '@/server/engine/model'
import type { Given, Kin, NewRun, RunEnd, RunRecord } from '@/server/engine/ports'
import { faceOf, isUnderWay } from '@/server/engine/face'
import { parseState, serializeState, settledCount } from '@/server/engine/serialize'
import { type Executor, jobIsAlive } from '@/server/queue/pg-boss'
import type { Definitions } from './definitions'
import { doc, instant, parseDoc, plainText } from './sql'

/** Ids and a number only: whoever listens reads what changed under their own rights. */
export const RUNS_CHANNEL = 'clew_runs'

export type RawRun = {
  id: string
  def_id: string
  team_id: string
  user_id: string
  locale: string
  version: number
  /** Null: not small, so that it was left where it is, with the secrets. */
  input: string | null
  secrets: string | null
  cursor_json: string
  trace: string | null
  created_at: string
  parent_run_id: string | null
  parent_step_id: string | null
  parent_item: number | null
  parent_epoch: number | null
  root_run_id: string | null
  depth: number
  pins: string | null
}

/** So much of what a run was given comes with its row, in bytes. What is larger is asked for: it may be a list of 10,000 items, whose map reads the row for each. */
const WITH_THE_ROW = 2_048
/** Told by what the row itself holds, without a look at a value that lies outside it or is compressed. */
const isSmall = `pg_column_compression(r.input) IS NULL AND pg_column_compression(r.secrets) IS NULL
  AND pg_column_size(r.input) + COALESCE(pg_column_size(r.secrets), 0) <= ${WITH_THE_ROW}`

/** The columns that `runRecord` reads, of the alias `r`. */
export const RUN_COLUMNS = sql.raw(
  `r.id, r.def_id, r.team_id, r.user_id, r.locale, r.version, CASE WHEN ${isSmall} THEN r.input END AS input,
  CASE WHEN ${isSmall} THEN r.secrets END AS secrets, r.cursor_json, r.trace, r.created_at,
  r.parent_run_id, r.parent_step_id, r.parent_item, r.parent_epoch, r.root_run_id, r.depth, r.pins`,
)

/** `later`: what reads the rest once this transaction is over, if it is one. */
export async function runRecord(db: Executor, definitions: Definitions, raw: RawRun, later = db): Promise<RunRecord> {
  const definition = await definitions.get(db, raw.def_id)
  if (!definition) throw new Error(`run ${raw.id} has no definition`)
  return {
    id: raw.id,
    definition,
    principal: { userId: raw.user_id, teamId: raw.team_id, locale: raw.locale },
    state: parseState(raw.cursor_json),
    version: raw.version,
    given: () => given(later, raw),
    createdAt: instant(raw.created_at),
    trace: raw.trace,
    kin: kinOf(raw),
  }
}

async function given(db: Executor, raw: Pick<RawRun, 'id' | 'input' | 'secrets'>): Promise<Given> {
  const read = () =>
    db.execute<{ input: string; secrets: string | null }>(sql`SELECT input, secrets FROM workflow_runs WHERE id = ${raw.id}`)
  const { input, secrets } = raw.input === null ? ((await read()).rows[0] ?? raw) : raw
  if (input === null) throw new Error(`run ${raw.id} is gone`)
  return { input: JSON.parse(input) as Given['input'], secrets: parseDoc<Record<string, string>>(secrets) }
}

function kinOf(raw: RawRun): Kin {
  const { parent_run_id: runId, parent_step_id: stepId, parent_item: item, parent_epoch: epoch } = raw
  const hasParent = runId !== null && stepId !== null && item !== null && epoch !== null
  return {
    parent: hasParent ? { runId, stepId, item, call: '', epoch } : null,
    rootId: raw.root_run_id ?? raw.id,
    depth: raw.depth,
    pins: parseDoc<Record<string, string>>(raw.pins) ?? {},
  }
}

export async function insertRun(db: Executor, run: NewRun, state: RunState, stepsTotal: number): Promise<void> {
  const { userId, teamId, locale } = run.principal
  await db.execute(sql`
    WITH inserted AS (
      INSERT INTO workflow_runs (id, def_id, team_id, user_id, locale, status, title, input, secrets, cursor_json, steps_total, trace, pins)
      VALUES (${run.id}, ${run.definition.id}, ${teamId}, ${userId}, ${locale}, ${state.status}, ${run.title === null ? null : plainText(run.title)},
        ${doc(run.input)}, ${doc(run.secrets ?? null)}, ${serializeState(state)}::json, ${stepsTotal}, ${run.trace ?? null}, ${pinsDoc(run.kin)})
      RETURNING id, team_id, version
    )
    SELECT ${announcement()} FROM inserted`)
}

/** None is null: most runs start no other. */
export const pinsDoc = (kin: Kin | undefined) => doc(kin && Object.keys(kin.pins).length > 0 ? kin.pins : null)

/** Locks the run. The clock is read in a statement level above the lock, so after it is held, however long that took. */
export async function lockRun(tx: Executor, definitions: Definitions, runId: string): Promise<{ run: RunRecord; now: Date } | null> {
  const { rows } = await tx.execute<RawRun & { now: string }>(sql`
    WITH locked AS MATERIALIZED (
      SELECT ${RUN_COLUMNS} FROM workflow_runs r WHERE r.id = ${runId} FOR UPDATE
    )
    SELECT locked.*, clock_timestamp() AS now FROM locked`)
  const raw = rows[0]
  return raw ? { run: await runRecord(tx, definitions, raw), now: instant(raw.now) } : null
}

/** @throws {Error} when somebody else wrote this run since it was read, which the lock excludes */
export async function saveRun(
  tx: Executor,
  before: RunRecord,
  version: number,
  state: RunState,
  enqueued: number,
  finish?: RunEnd,
): Promise<void> {
  const ended = finish
    ? sql`, output = ${doc(finish.output)}, error = ${finish.error === undefined ? sql`error` : doc(finish.error)}, finished_at = ${state.status === 'running' || state.status === 'awaiting_approval' ? sql`NULL` : sql`clock_timestamp()`}`
    : sql``
  const { rowCount } = await tx.execute(sql`
    WITH saved AS (
      UPDATE workflow_runs SET status = ${state.status}, stopping_to = ${state.stopping?.to ?? null}, version = version + 1, moving = ${isUnderWay(state)},
        face = ${before.kin.parent ? faceOf(state) : null},
        cursor_json = ${serializeState(state)}::json, steps_settled = ${settledCount(state)}, steps_used = steps_used + ${enqueued},
        initiators = ${sql.param(state.initiators ?? [])}::uuid[],
        started_at = CASE WHEN ${state.status} = 'queued' THEN started_at ELSE COALESCE(started_at, clock_timestamp()) END ${ended}
      WHERE id = ${before.id} AND version = ${version}
      RETURNING id, team_id, version
    )
    SELECT ${announcement()} FROM saved`)
  if (rowCount !== 1) throw new Error(`run ${before.id} was changed by somebody else while it was locked`)
}

export const announcement = () => sql`pg_notify(${RUNS_CHANNEL}, json_build_object('run', id, 'team', team_id, 'version', version)::text)`

export async function stalledRuns(db: Executor, limit: number, after: string | null): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    SELECT r.id FROM workflow_runs r
    WHERE r.moving ${after === null ? sql`` : sql`AND r.id > ${after}`} AND (r.status = 'queued' OR EXISTS (
      SELECT 1 FROM workflow_steps s WHERE s.run_id = r.id AND s.status IN ('queued', 'running') AND s.call IN ('', 'undo') AND NOT ${jobIsAlive})
      OR EXISTS (SELECT 1 FROM workflow_steps s JOIN workflow_runs c ON c.id = s.child_run_id WHERE s.run_id = r.id AND s.status = 'waiting'
        AND (c.face <> s.child_face OR COALESCE(r.stopping_to, r.status) IN ('cancelled', 'rejected'))))
    ORDER BY r.id LIMIT ${limit}`)
  return rows.map((row) => row.id)
}

/** Which of these runs are being cancelled: their handlers are to be told, wherever they run. */
export async function runsBeingCancelled(db: Executor, runIds: string[]): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(
    sql`SELECT id FROM workflow_runs WHERE id = ANY(${sql.param(runIds)}::uuid[]) AND stopping_to = 'cancelled'`,
  )
  return rows.map((row) => row.id)
}
