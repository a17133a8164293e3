import { type SQL, sql } from 'drizzle-orm'
import { STEP_QUEUE } from '@/db/queue'
import type { EngineError, StepRef } from '@/server/engine/model'
import type { AttemptEnd, Claimed, Job, QueueName } from '@/server/engine/ports'
import { awaitsLost } from '@/server/engine/late'
import type { Executor, StepJobs } from '@/server/queue/pg-boss'
import { isSignal } from '@/server/engine/signals'
import type { Definitions } from './definitions'
import { type RawRun, RUN_COLUMNS, runRecord } from './runs'
import { place, queueColumn, row } from './steps'
import { doc, docOrNull, isRow, parseDoc, plainText, type RawStep, refOf, STEP_COLUMNS, STEP_KEY, stepRow } from './sql'

const LOST: EngineError = { code: 'worker_lost', message: 'The worker that ran this attempt ended before it could say how it went.' }

/**
 * One statement: whoever comes second finds the row changed and gets nothing. `limited`: the team has a quota, so the row was left as it is; undos, and
 * attempts that had started, are not asked about.
 */
export async function claim(db: Executor, definitions: Definitions, job: Job): Promise<Claimed | 'limited' | null> {
  if (isSignal(job.data)) return null
  const { runId } = job.data
  const ref = refOf(job.data)
  const claimable = job.redelivered ? sql`s.status IN ('queued', 'running')` : sql`s.status = 'queued'`
  const exempt = ref.call === 'undo' ? sql`` : sql`WHERE NOT found.limited OR found.status = 'running'`
  const { rows } = await db.execute<{ limited: boolean } & ((RawStep & RawRun & { taken_over: boolean }) | { step_id: null })>(sql`
    WITH found AS MATERIALIZED (
      SELECT s.status, s.attempt, s.attempt_started_at, s.plugin,
        EXISTS (SELECT 1 FROM workflow_runs r JOIN team_quotas q ON q.team_id = r.team_id WHERE r.id = s.run_id) AS limited
      FROM workflow_steps s WHERE ${isRow(runId, ref)} AND s.job_id = ${job.id} AND ${claimable} FOR UPDATE
    ), mine AS (
      SELECT * FROM found ${exempt}
    ), lost AS (
      ${recordAttempt(runId, ref, LOST, sql`mine WHERE mine.status = 'running'`)}
    ), claimed AS (
      UPDATE workflow_steps s SET status = 'running', attempt = mine.attempt + (mine.status = 'running')::int, not_before = NULL,
        deferred_until = NULL, deferred_for = NULL, ambiguous = s.ambiguous OR mine.status = 'running', plugin = NULL,
        started_at = COALESCE(s.started_at, clock_timestamp()), attempt_started_at = clock_timestamp()
      FROM mine WHERE ${isRow(runId, ref)}
      RETURNING s.*, mine.status = 'running' AS taken_over
    )
    SELECT ${STEP_COLUMNS}, s.taken_over, found.limited, ${RUN_COLUMNS}
    FROM found LEFT JOIN claimed s ON true LEFT JOIN workflow_runs r ON r.id = s.run_id`)
  const raw = rows[0]
  if (!raw) return null
  if (raw.step_id === null) return 'limited'
  const undoes = ref.call === 'undo' ? await row(db, runId, { ...ref, call: '' }) : null
  const limited = raw.limited && ref.call === ''
  return { run: await runRecord(db, definitions, raw), row: stepRow(raw), takenOver: raw.taken_over, undoes, limited }
}

/** Keeps an attempt's end in the history. After a rate limit the same number comes again: the history holds the last end of each. */
function recordAttempt(runId: string, ref: StepRef, error: EngineError, from: SQL): SQL {
  return sql`INSERT INTO step_attempts (${STEP_KEY}, attempt, plugin, started_at, finished_at, error)
    SELECT ${runId}::uuid, ${ref.stepId}, ${ref.item}::int, ${ref.call}, ${ref.epoch}::int, attempt, plugin, attempt_started_at, clock_timestamp(), ${doc(error)} FROM ${from}
    ON CONFLICT (${STEP_KEY}, attempt) DO UPDATE SET plugin = excluded.plugin, started_at = excluded.started_at, finished_at = excluded.finished_at, error = excluded.error`
}

export async function recordInput(
  db: Executor,
  runId: string,
  ref: StepRef,
  attempt: number,
  input: unknown,
  plugin: string | null,
): Promise<void> {
  await db.execute(
    sql`UPDATE workflow_steps s SET input = ${doc(input)}, plugin = ${plugin} WHERE ${isRow(runId, ref)} AND s.status = 'running' AND s.attempt = ${attempt}`,
  )
}

/**
 * False: the row is no longer this attempt's, and nothing was written. A success also counts where the sweep took its worker for lost and nobody has
 * claimed the next attempt.
 */
export async function endAttempt(
  tx: Executor,
  jobs: StepJobs,
  runId: string,
  ref: StepRef,
  attempt: number,
  jobId: string,
  end: AttemptEnd,
): Promise<boolean> {
  const mine = sql`${isRow(runId, ref)} AND s.status = 'running' AND s.attempt = ${attempt} AND s.job_id = ${jobId}`
  if (end.kind === 'succeeded') {
    const { rowCount } = await tx.execute(sql`UPDATE workflow_steps s SET ${succeeded(end)} WHERE ${mine}`)
    return rowCount === 1 || succeedLate(tx, jobs, runId, ref, attempt, jobId, end)
  }
  if (end.kind === 'interrupted') {
    const { rowCount } = await tx.execute(sql`
      UPDATE workflow_steps s SET status = 'pending', job_id = NULL, ambiguous = s.ambiguous OR ${end.ambiguous} WHERE ${mine}`)
    return rowCount === 1
  }
  if (end.kind === 'child') {
    const { rowCount } = await tx.execute(sql`
      UPDATE workflow_steps s SET status = 'waiting', job_id = NULL, error = NULL, child_run_id = ${end.runId}, child_face = 'busy' WHERE ${mine}`)
    return rowCount === 1
  }
  const [next] = end.kind === 'retry' ? await place(jobs, [end.job]) : []
  const change =
    end.kind === 'failed'
      ? sql`status = 'failed', error = ${doc(end.error)}, finished_at = clock_timestamp()`
      : sql`status = 'queued', attempt = ${end.attempt}, job_id = ${end.job.id}, queue = ${queueColumn(next?.queue)}, not_before = ${end.job.startAfter ?? null}, error = ${doc(end.error)}`
  const { rowCount } = await tx.execute(sql`
    WITH ended AS (UPDATE workflow_steps s SET ${change}, ambiguous = s.ambiguous OR ${end.ambiguous} WHERE ${mine}
        RETURNING ${attempt}::int AS attempt, s.plugin, s.attempt_started_at),
      recorded AS (${recordAttempt(runId, ref, end.error, sql`ended`)})
    SELECT 1 FROM ended`)
  if (rowCount !== 1) return false
  if (next) await jobs.insert(tx, [next])
  return true
}

/** See `RunTx.backToLost`. */
export async function backToLost(tx: Executor, runId: string, ref: StepRef, attempt: number, jobId: string): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    UPDATE workflow_steps s SET attempt = lost.attempt, plugin = lost.plugin, attempt_started_at = lost.started_at
    FROM (SELECT s.attempt, s.plugin, s.started_at FROM step_attempts s WHERE ${isRow(runId, ref)} AND s.attempt = ${attempt - 1}) lost
    WHERE ${isRow(runId, ref)} AND s.status = 'running' AND s.attempt = ${attempt} AND s.job_id = ${jobId}`)
  return rowCount === 1
}

type Success = Extract<AttemptEnd, { kind: 'succeeded' }>

const succeeded = ({ seq, undoable, result: { output, hint, compensation, flag } }: Success): SQL => sql`status = 'succeeded', seq = ${seq},
  output = ${docOrNull(output)}, hint = ${hint === undefined ? null : plainText(hint)}, compensation = ${doc(compensation)}, flag = ${flag ?? null},
  undoable = ${undoable}, error = NULL, finished_at = clock_timestamp()`

/**
 * The first success wins (engine.md §4): the queued attempt is taken back with its job, for it would repeat what has happened. The row's lock decides
 * between this and a claim, and each looks again at the row once it has it. The attempt was not lost, so the history forgets that it was.
 */
async function succeedLate(
  tx: Executor,
  jobs: StepJobs,
  runId: string,
  ref: StepRef,
  attempt: number,
  jobId: string,
  end: Success,
): Promise<boolean> {
  const { rows } = await tx.execute<Pick<RawStep, 'status' | 'attempt' | 'error'> & { job_id: string; queue: QueueName | null }>(sql`
    SELECT s.status, s.attempt, s.error, s.job_id, s.queue FROM workflow_steps s WHERE ${isRow(runId, ref)} AND s.status = 'queued' FOR UPDATE`)
  const next = rows[0]
  if (!next || !awaitsLost({ ...next, error: parseDoc<EngineError>(next.error) }, attempt)) return false
  await tx.execute(sql`
    WITH forgotten AS (DELETE FROM step_attempts s WHERE ${isRow(runId, ref)} AND s.attempt = ${attempt})
    UPDATE workflow_steps s SET ${succeeded(end)}, attempt = ${attempt}, job_id = ${jobId}, not_before = NULL, deferred_until = NULL, deferred_for = NULL
    WHERE ${isRow(runId, ref)}`)
  await jobs.remove(tx, [{ id: next.job_id, queue: next.queue ?? STEP_QUEUE }])
  return true
}
