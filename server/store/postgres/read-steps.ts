import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { StoredError } from '@/db/schema'
import type { Json, RunStatus, StepStatus } from '@/spec'
import type { TeamId } from '@/server/auth/ids'
import type { StepRef } from '@/server/engine/model'
import type { Deferral, DeferralReason } from '@/server/engine/quota'
import { deferral, instant, instantOrNull, parseDoc } from './sql'

/** A document for people to read. Above `SHOWN_BYTES` it is left out: `value` is null, and `omitted` says how many bytes of JSON text it has. */
type ShownDoc = { value: Json; omitted: number | null }

export type StepDetail = {
  stepId: string
  item: number
  /** `undo`: the compensation of the step or item. */
  call: '' | 'undo'
  /** Raised by each re-drive. */
  epoch: number
  status: StepStatus
  attempt: number
  input: ShownDoc
  output: ShownDoc
  error: StoredError | null
  hint: string | null
  flag: string | null
  /** When the next attempt may start, or until when a wait lasts. */
  notBefore: Date | null
  /** Of a queued row: its team's quota puts it off. */
  deferred: Deferral | null
  startedAt: Date | null
  finishedAt: Date | null
  /** The run that it started. */
  child: { id: string; status: RunStatus } | null
}

/** `deferred`: the team's quota puts off all that are active. */
export type MapCounts = { total: number; succeeded: number; failed: number; active: number; deferred: Deferral | null }

export type EndedAttempt = {
  stepId: string
  item: number
  call: '' | 'undo'
  attempt: number
  /** The plugin that was called, and its version. */
  plugin: string | null
  startedAt: Date | null
  finishedAt: Date
  error: StoredError
}

const SHOWN_BYTES = 256 * 1024

/** A document's column, or instead how long its text is where that is above `limit` bytes. */
export const shownUpTo = (limit: number, column: 'input' | 'output'): SQL =>
  sql.raw(
    `CASE WHEN octet_length(s.${column}::text) <= ${limit} THEN s.${column} END AS ${column}, CASE WHEN octet_length(s.${column}::text) > ${limit} THEN octet_length(s.${column}::text) END AS ${column}_omitted`,
  )
type Raw = {
  step_id: string
  item: number
  call: '' | 'undo'
  epoch: number
  status: StepStatus
  attempt: number
  input: string | null
  input_omitted: number | null
  output: string | null
  output_omitted: number | null
  error: string | null
  hint: string | null
  flag: string | null
  not_before: string | null
  deferred_until: string | null
  deferred_for: DeferralReason | null
  started_at: string | null
  finished_at: string | null
  child_run_id: string | null
  child_status: RunStatus | null
}

const COLUMNS = sql`s.step_id, s.item, s.call, s.epoch, s.status, s.attempt, ${shownUpTo(SHOWN_BYTES, 'input')}, ${shownUpTo(SHOWN_BYTES, 'output')}, s.error, s.hint, s.flag, COALESCE(s.not_before, (
    SELECT t.due_at FROM workflow_timers t WHERE t.run_id = s.run_id AND t.step_id = s.step_id AND t.epoch = s.epoch AND t.status = 'set' AND s.item = -1)) AS not_before,
  s.deferred_until, s.deferred_for, s.started_at, s.finished_at,
  s.child_run_id, (SELECT c.status FROM workflow_runs c WHERE c.id = s.child_run_id) AS child_status`

/** A run of another team has no rows here. */
export const ofRun = (alias: string, teamId: TeamId, runId: string): SQL =>
  sql`${sql.raw(alias)}.run_id = ${runId} AND EXISTS (SELECT 1 FROM workflow_runs r WHERE r.id = ${runId} AND r.team_id = ${teamId})`

/** A map that was opened anew may have fewer items than before: those beyond are none of it any more. */
const itemsOfMaps = (runId: string): SQL =>
  sql`workflow_steps s JOIN (SELECT DISTINCT ON (m.step_id) m.step_id, m.items FROM workflow_steps m
      WHERE m.run_id = ${runId} AND m.item = -1 AND m.call = '' AND m.items IS NOT NULL ORDER BY m.step_id, m.epoch DESC) m
    ON m.step_id = s.step_id AND s.item < m.items`

/** The latest row of every step that has one, and of its undo; items of maps are not among them. */
export async function listSteps(db: Db, teamId: TeamId, runId: string): Promise<StepDetail[]> {
  const { rows } = await db.execute<Raw>(sql`
    SELECT DISTINCT ON (s.step_id, s.call) ${COLUMNS} FROM workflow_steps s
    WHERE ${ofRun('s', teamId, runId)} AND s.item = -1 AND s.call IN ('', 'undo') ORDER BY s.step_id, s.call, s.epoch DESC`)
  return rows.map(detail)
}

/** Items of one map above `afterItem`, in their order, with the undo of an item after it. */
export async function listItems(
  db: Db,
  teamId: TeamId,
  runId: string,
  stepId: string,
  page: { afterItem: number; limit: number },
): Promise<StepDetail[]> {
  const { rows } = await db.execute<Raw>(sql`
    SELECT DISTINCT ON (s.item, s.call) ${COLUMNS} FROM ${itemsOfMaps(runId)}
    WHERE ${ofRun('s', teamId, runId)} AND s.step_id = ${stepId} AND s.item > ${Math.max(-1, page.afterItem)} AND s.item <= ${Math.max(-1, page.afterItem) + page.limit} AND s.call IN ('', 'undo')
    ORDER BY s.item, s.call, s.epoch DESC`)
  return rows.map(detail)
}

/** How the items of each map stand, by the id of the map's step. */
export async function mapCounts(db: Db, teamId: TeamId, runId: string): Promise<Map<string, MapCounts>> {
  type RawCounts = Omit<MapCounts, 'deferred'> & Pick<Raw, 'deferred_until' | 'deferred_for'> & { step_id: string }
  const { rows } = await db.execute<RawCounts>(sql`
    SELECT step_id, count(*)::int AS total, count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
      count(*) FILTER (WHERE status = 'failed')::int AS failed, count(*) FILTER (WHERE status IN ('queued', 'running'))::int AS active,
      CASE WHEN count(*) FILTER (WHERE status IN ('queued', 'running') AND deferred_until IS NULL) = 0 THEN max(deferred_until) END AS deferred_until,
      (array_agg(deferred_for ORDER BY deferred_until DESC NULLS LAST))[1] AS deferred_for
    FROM (SELECT DISTINCT ON (s.step_id, s.item) s.step_id, s.status, s.deferred_until, s.deferred_for FROM ${itemsOfMaps(runId)}
      WHERE ${ofRun('s', teamId, runId)} AND s.item >= 0 AND s.call = '' ORDER BY s.step_id, s.item, s.epoch DESC) items
    GROUP BY step_id`)
  return new Map(
    rows.map(({ step_id, deferred_until, deferred_for, ...counts }) => [
      step_id,
      { ...counts, deferred: deferral({ deferred_until, deferred_for }) },
    ]),
  )
}

/** `calls`: of an agent, which of its calls (`t2.1`) it is. */
export type UnknownOutcome = { stepId: string; item: number; epoch: number; keyEpoch: number; calls: StepRef['call'][] }

const isUnknown = (alias: string): SQL => sql.raw(`${alias}.status = 'failed' AND (${alias}.error -> 'code')::text = '"outcome_unknown"'`)

/** Calls of this run that ended and nobody knows how, as they are now. A map that failed by such a call has its code, and is none itself. */
export async function unknownOutcomes(db: Db, teamId: TeamId, runId: string): Promise<UnknownOutcome[]> {
  const { rows } = await db.execute<UnknownOutcome>(sql`
    SELECT s.step_id AS "stepId", s.item, s.epoch, s.key_epoch AS "keyEpoch", ARRAY(SELECT c.call FROM workflow_steps c
      WHERE c.run_id = s.run_id AND c.step_id = s.step_id AND c.item = s.item AND c.epoch = s.epoch AND c.call LIKE 't%.%' AND ${isUnknown('c')} ORDER BY c.call) AS calls
    FROM workflow_steps s
    WHERE ${ofRun('s', teamId, runId)} AND s.call = '' AND s.items IS NULL AND ${isUnknown('s')}
      AND NOT EXISTS (SELECT 1 FROM workflow_steps n
        WHERE n.run_id = s.run_id AND n.step_id = s.step_id AND n.item = s.item AND n.call = '' AND n.epoch > s.epoch)
    ORDER BY s.step_id, s.item`)
  return rows
}

/** Attempts that ended without a success, the earliest first; of one step or item where given, else of all steps but no items. */
export async function stepAttempts(db: Db, teamId: TeamId, runId: string, of?: { stepId: string; item: number }): Promise<EndedAttempt[]> {
  type RawAttempt = {
    step_id: string
    item: number
    call: '' | 'undo'
    attempt: number
    plugin: string | null
    started_at: string | null
    finished_at: string
    error: string
  }
  const which = of ? sql`a.step_id = ${of.stepId} AND a.item = ${of.item}` : sql`a.item = -1`
  const { rows } = await db.execute<RawAttempt>(sql`
    SELECT a.step_id, a.item, a.call, a.attempt, a.plugin, a.started_at, a.finished_at, a.error FROM step_attempts a
    WHERE ${ofRun('a', teamId, runId)} AND ${which} ORDER BY a.finished_at, a.attempt`)
  return rows.map((raw) => ({
    stepId: raw.step_id,
    item: raw.item,
    call: raw.call,
    attempt: raw.attempt,
    plugin: raw.plugin,
    startedAt: instantOrNull(raw.started_at),
    finishedAt: instant(raw.finished_at),
    error: JSON.parse(raw.error) as StoredError,
  }))
}

const detail = (raw: Raw): StepDetail => ({
  stepId: raw.step_id,
  item: raw.item,
  call: raw.call,
  epoch: raw.epoch,
  status: raw.status,
  attempt: raw.attempt,
  input: { value: parseDoc(raw.input), omitted: raw.input_omitted },
  output: { value: parseDoc(raw.output), omitted: raw.output_omitted },
  error: parseDoc<StoredError>(raw.error),
  hint: raw.hint,
  flag: raw.flag,
  notBefore: instantOrNull(raw.not_before),
  deferred: deferral(raw),
  startedAt: instantOrNull(raw.started_at),
  finishedAt: instantOrNull(raw.finished_at),
  child: raw.child_run_id === null || raw.child_status === null ? null : { id: raw.child_run_id, status: raw.child_status },
})
