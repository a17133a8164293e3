import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { STEP_QUEUE } from '@/db/queue'
import type { Job, NewJob, QueueName } from '@/server/engine/ports'
import type { Deferral, Standing } from '@/server/engine/quota'
import type { Executor, StepJobs } from '@/server/queue/pg-boss'
import { announcement } from './runs'
import { column } from './sql'

/** A queued step whose team has a quota, and what that knows of it. */
export type Place = {
  jobId: string
  teamId: string
  runId: string
  stepId: string
  item: number
  epoch: number
  queue: QueueName
  /** It was never started in this epoch. */
  first: boolean
  standing: Standing | null
  /** Its place in the order in which steps were first put off; null: it was not. */
  turn: string | null
}

const COLUMNS = sql.raw(`s.job_id AS "jobId", r.team_id AS "teamId", s.run_id AS "runId", s.step_id AS "stepId", s.item, s.epoch,
  COALESCE(s.queue, '${STEP_QUEUE}') AS queue, s.started_at IS NULL AS first, p.turn::text AS turn,
  CASE WHEN p.standing = 'called' THEN 'called' WHEN p.standing = 'waiting' AND p.reason = 'concurrent_steps' THEN 'waiting' END AS standing`)

/** The rows that are still queued for these jobs, in the jobs' order, locked; without those that somebody else has locked. */
export async function rowsOf(tx: Executor, jobs: Job[]): Promise<Place[]> {
  const { rows } = await tx.execute<Place>(sql`
    SELECT ${COLUMNS} FROM ${asked(jobs)}
    JOIN workflow_runs r ON r.id = s.run_id LEFT JOIN quota_places p ON p.job_id = s.job_id
    ORDER BY x.n FOR UPDATE OF s SKIP LOCKED`)
  return rows
}

/** The ids of those jobs for which a row is still queued. */
export async function stillQueued(db: Executor, jobs: Job[]): Promise<Set<string>> {
  if (jobs.length === 0) return new Set()
  const { rows } = await db.execute<{ id: string }>(sql`SELECT x.job_id AS id FROM ${asked(jobs)}`)
  return new Set(rows.map((row) => row.id))
}

const asked = (jobs: Job[]) => sql`unnest(${column(jobs, (j) => j.data.runId)}::uuid[], ${column(jobs, (j) => j.data.stepId)}::text[],
    ${column(jobs, (j) => j.data.item)}::int[], ${column(jobs, (j) => j.data.epoch)}::int[], ${column(jobs, (j) => j.id)}::uuid[])
    WITH ORDINALITY AS x(run_id, step_id, item, epoch, job_id, n)
  JOIN workflow_steps s ON s.run_id = x.run_id AND s.step_id = x.step_id AND s.item = x.item AND s.call = '' AND s.epoch = x.epoch
    AND s.job_id = x.job_id AND s.status = 'queued'`

const MINE = sql`s.run_id = p.run_id AND s.step_id = p.step_id AND s.item = p.item AND s.call = '' AND s.epoch = p.epoch AND s.job_id = p.job_id AND s.status = 'queued'`
const waitingIn = (teamId: string) => sql`p.team_id = ${teamId} AND p.standing = 'waiting'`

/** Of the steps that wait longest, those that were taken back meanwhile wait no more. */
export async function forgetGone(tx: Executor, teamId: string, lookThrough: number): Promise<void> {
  await tx.execute(sql`
    DELETE FROM quota_places gone USING (SELECT p.* FROM quota_places p WHERE ${waitingIn(teamId)} ORDER BY p.turn LIMIT ${lookThrough}) p
    WHERE gone.job_id = p.job_id AND NOT EXISTS (SELECT 1 FROM workflow_steps s WHERE ${MINE})`)
}

/** Steps of the team that are put off for this reason, who waits longest first, locked. `onlyStarted`: only those that were counted for their day before. */
export async function waitingOf(
  tx: Executor,
  teamId: string,
  { reason, limit, onlyStarted }: { reason: Deferral['reason']; limit: number; onlyStarted: boolean },
): Promise<Place[]> {
  const { rows } = await tx.execute<Place>(sql`
    SELECT ${COLUMNS} FROM quota_places p JOIN workflow_steps s ON ${MINE} JOIN workflow_runs r ON r.id = s.run_id
    WHERE ${waitingIn(teamId)} AND p.reason = ${reason} ${onlyStarted ? sql`AND s.started_at IS NOT NULL` : sql``}
    ORDER BY p.turn LIMIT ${limit} FOR UPDATE OF s SKIP LOCKED`)
  return rows
}

/** They run. */
export async function take(tx: Executor, places: Place[]): Promise<void> {
  if (places.length > 0)
    await stand(
      tx,
      places,
      'running',
      places.map(() => null),
    )
}

/** They need no place any more. */
export async function leave(tx: Executor, places: Place[]): Promise<void> {
  const jobIds = places.flatMap(({ jobId, turn }) => (turn === null ? [] : [jobId]))
  if (jobIds.length > 0) await tx.execute(sql`DELETE FROM quota_places WHERE job_id = ANY(${sql.param(jobIds)}::uuid[])`)
}

/** They stay queued, with other jobs that start later: the jobs that were fetched are over, as those of any attempt. */
export async function defer(tx: Executor, queue: StepJobs, places: (Place & Deferral)[]): Promise<void> {
  if (places.length === 0) return
  await leave(tx, places)
  const moved = places.map((place) => ({ ...place, jobId: randomUUID() }))
  await hand(tx, places, moved, (place) => place)
  await stand(
    tx,
    moved,
    'waiting',
    moved.map(({ reason }) => reason),
  )
  await queue.insert(tx, moved.map((place) => jobOf(place, place.until))) // prettier-ignore
}

/** They may start now, and a place is kept for each: jobs that start at once take the place of those that would later. Returns how many. */
export async function call(tx: Executor, queue: StepJobs, places: Place[]): Promise<number> {
  if (places.length === 0) return 0
  const moved = places.map((place) => ({ ...place, jobId: randomUUID() }))
  await queue.remove(tx, places.map(({ jobId: id, queue: of }) => ({ id, queue: of }))) // prettier-ignore
  await leave(tx, places)
  await hand(tx, places, moved, () => null)
  await stand(
    tx,
    moved,
    'called',
    moved.map(() => null),
  )
  await queue.insert(
    tx,
    moved.map((place) => jobOf(place)),
  )
  return places.length
}

const jobOf = ({ jobId: id, runId, stepId, item, epoch, queue, teamId }: Place, startAfter?: Date): NewJob => ({
  id,
  data: { runId, stepId, item, call: '', epoch },
  queue,
  teamId,
  ...(startAfter ? { startAfter } : {}),
})

/** Gives the rows other jobs, and says who is put off. Whoever looks at the runs is told. */
async function hand<T extends Place>(tx: Executor, from: Place[], to: T[], put: (place: T) => Deferral | null): Promise<void> {
  await tx.execute(sql`
    WITH handed AS (
      UPDATE workflow_steps s SET job_id = x.job_id, not_before = NULL, deferred_until = x.until, deferred_for = x.reason
      FROM unnest(${column(from, (p) => p.runId)}::uuid[], ${column(from, (p) => p.stepId)}::text[], ${column(from, (p) => p.item)}::int[],
        ${column(from, (p) => p.epoch)}::int[], ${column(to, (p) => p.jobId)}::uuid[],
        ${column(to, (p) => put(p)?.until.toISOString() ?? null)}::timestamptz[], ${column(to, (p) => put(p)?.reason ?? null)}::text[])
        AS x(run_id, step_id, item, epoch, job_id, until, reason)
      WHERE s.run_id = x.run_id AND s.step_id = x.step_id AND s.item = x.item AND s.call = '' AND s.epoch = x.epoch
      RETURNING s.run_id
    )
    SELECT ${announcement()} FROM workflow_runs WHERE id IN (SELECT run_id FROM handed)`)
}

async function stand(tx: Executor, places: Place[], standing: 'running' | 'waiting' | 'called', reasons: (string | null)[]): Promise<void> {
  await tx.execute(sql`
    INSERT INTO quota_places (job_id, team_id, run_id, step_id, item, epoch, standing, reason, turn)
    SELECT x.job_id, x.team_id, x.run_id, x.step_id, x.item, x.epoch, ${standing}, x.reason, COALESCE(x.turn, nextval(pg_get_serial_sequence('quota_places', 'turn')))
    FROM unnest(${column(places, (p) => p.jobId)}::uuid[], ${column(places, (p) => p.teamId)}::uuid[], ${column(places, (p) => p.runId)}::uuid[],
      ${column(places, (p) => p.stepId)}::text[], ${column(places, (p) => p.item)}::int[], ${column(places, (p) => p.epoch)}::int[],
      ${sql.param(reasons)}::text[], ${column(places, (p) => p.turn)}::bigint[])
      AS x(job_id, team_id, run_id, step_id, item, epoch, reason, turn)
    ON CONFLICT (job_id) DO UPDATE SET standing = excluded.standing, reason = excluded.reason`)
}
