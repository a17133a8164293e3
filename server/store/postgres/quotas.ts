import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { Claimed, Job } from '@/server/engine/ports'
import { admitted, type Deferral, freePlaces, type Quota, type QuotaUse } from '@/server/engine/quota'
import type { Executor, StepJobs } from '@/server/queue/pg-boss'
import type { Definitions } from './definitions'
import { type RawRun, RUN_COLUMNS, runRecord } from './runs'
import { call, defer, forgetGone, leave, type Place, rowsOf, stillQueued, take, waitingOf } from './quota-places'
import { column, instant, type RawStep, STEP_COLUMNS, stepRow } from './sql'

/** How many steps are called in one transaction, and looked through for those that wait no more. */
const CALLED_MAX = 500
const UNLIMITED: Quota = { stepsPerDay: null, concurrentSteps: null }

/** `busy`: somebody else is writing the row just now, so it has to be asked for again. */
type Admission = Claimed | null | 'busy'

/**
 * Claims the queued rows of these jobs that their teams' quotas let in, and puts the others off, with jobs that start when they may. A team's steps are
 * counted by one transaction at a time, under the lock of its quota, so the count is exact. Rows are taken without waiting for them: a
 * transition that holds some of them may be waiting for others.
 */
export async function admit(db: Db, queue: StepJobs, definitions: Definitions, asked: Job[]): Promise<Admission[]> {
  // A job that is asked for twice is given once.
  const jobs = [...new Map(asked.map((job) => [job.id, job])).values()]
  const overtaken: string[] = []
  const claims = await db.transaction(async (tx) => {
    const runIds = column(jobs, (job) => job.data.runId)
    const quotas = await lockQuotas(tx, sql`SELECT team_id FROM workflow_runs WHERE id = ANY(${runIds}::uuid[])`)
    const [started, putOff]: [Place[], (Place & Deferral)[]] = [[], []]
    for (const [teamId, places] of Map.groupBy(await rowsOf(tx, jobs), (place) => place.teamId)) {
      const quota = quotas.get(teamId) ?? UNLIMITED
      const use = await useOf(tx, teamId, quota)
      const deferrals = admitted(quota, use, places)
      places.forEach((place, i) => (deferrals[i] ? putOff.push({ ...place, ...deferrals[i] }) : started.push(place)))
      if (deferrals.some((deferral) => deferral?.reason === 'concurrent_steps') && freePlaces(quota, use) > 0) overtaken.push(teamId)
    }
    const limited = (place: Place) => (quotas.get(place.teamId) ?? UNLIMITED).concurrentSteps !== null
    await count(
      tx,
      started.filter((place) => place.first),
    )
    await take(tx, started.filter(limited))
    await leave(
      tx,
      started.filter((place) => !limited(place)),
    )
    await defer(tx, queue, putOff)
    return start(tx, definitions, started, limited, db)
  })
  // Steps came new while others waited, and there is room: those are called first.
  for (const teamId of overtaken) await readmit(db, queue, teamId)
  const busy = await stillQueued(
    db,
    jobs.filter(({ id }) => !claims.has(id)),
  )
  return asked.map(({ id }) => {
    const claim = claims.get(id) ?? (busy.has(id) ? 'busy' : null)
    claims.delete(id)
    return claim
  })
}

/** See `Store.readmit`. */
export async function readmit(db: Db, queue: StepJobs, teamId: string): Promise<void> {
  for (let called = CALLED_MAX; called === CALLED_MAX;) {
    called = await db.transaction(async (tx) => {
      const quota = (await lockQuotas(tx, sql`${teamId}::uuid`)).get(teamId) ?? UNLIMITED
      if (!(await isWaiting(tx, teamId))) return 0
      const use = await useOf(tx, teamId, quota)
      const room = Math.min(CALLED_MAX, freePlaces(quota, use))
      if (room === 0) return 0
      await forgetGone(tx, teamId, CALLED_MAX)
      let left = room
      let spent = quota.stepsPerDay !== null && use.today >= quota.stepsPerDay
      const next = async (reason: Deferral['reason']) => {
        const waiting = await waitingOf(tx, teamId, { reason, limit: left, onlyStarted: spent })
        const deferrals = admitted(quota, use, waiting)
        spent ||= deferrals.some((deferral) => deferral?.reason === 'steps_per_day')
        left -= await call(tx, queue, waiting.filter((_, i) => deferrals[i] === null)) // prettier-ignore
      }
      const before = spent
      await next('concurrent_steps')
      // Behind those that the day has no steps for stand some that were counted already.
      if (spent && !before && left > 0) await next('concurrent_steps')
      if (!spent && left > 0) await next('steps_per_day')
      return room - left
    })
  }
}

export async function deferredTeams(db: Executor): Promise<string[]> {
  const { rows } = await db.execute<{ team_id: string }>(sql`SELECT DISTINCT team_id FROM quota_places WHERE standing = 'waiting'`)
  return rows.map((row) => row.team_id)
}

async function isWaiting(tx: Executor, teamId: string): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`SELECT 1 FROM quota_places WHERE team_id = ${teamId} AND standing = 'waiting' LIMIT 1`)
  return rowCount === 1
}

/** One batch waits for another where they share a team; in the order of their ids, so that no two wait for each other. */
async function lockQuotas(tx: Executor, teamIds: ReturnType<typeof sql>): Promise<Map<string, Quota>> {
  const { rows } = await tx.execute<{ team_id: string; steps_per_day: number | null; concurrent_steps: number | null }>(sql`
    SELECT q.team_id, q.steps_per_day, q.concurrent_steps FROM team_quotas q WHERE q.team_id IN (${teamIds}) ORDER BY q.team_id FOR NO KEY UPDATE`)
  return new Map(rows.map((row) => [row.team_id, { stepsPerDay: row.steps_per_day, concurrentSteps: row.concurrent_steps }]))
}

/** As it is now that the quota's lock is held. Places whose step has ended are given up here. */
async function useOf(tx: Executor, teamId: string, { concurrentSteps }: Quota): Promise<QuotaUse> {
  await tx.execute(sql`
    DELETE FROM quota_places p WHERE p.team_id = ${teamId} AND p.standing <> 'waiting' AND NOT EXISTS (
      SELECT 1 FROM workflow_steps s WHERE s.run_id = p.run_id AND s.step_id = p.step_id AND s.item = p.item AND s.call = '' AND s.epoch = p.epoch
        AND s.job_id = p.job_id AND s.status = CASE p.standing WHEN 'running' THEN 'running' ELSE 'queued' END)`)
  const { rows } = await tx.execute<{ now: string; midnight: string; today: number; taken: number; waiting: number }>(sql`
    WITH clock AS MATERIALIZED (SELECT clock_timestamp() AS now), days AS (SELECT now, (now AT TIME ZONE 'UTC')::date AS day FROM clock)
    SELECT now, (day + 1)::timestamp AT TIME ZONE 'UTC' AS midnight,
      COALESCE((SELECT u.steps FROM team_usage u WHERE u.team_id = ${teamId} AND u.day = days.day), 0) AS today,
      (SELECT count(*)::int FROM quota_places p WHERE p.team_id = ${teamId} AND p.standing <> 'waiting') AS taken,
      (SELECT count(*)::int FROM (SELECT 1 FROM quota_places p JOIN workflow_steps s ON s.run_id = p.run_id AND s.step_id = p.step_id AND s.item = p.item
          AND s.call = '' AND s.epoch = p.epoch AND s.job_id = p.job_id AND s.status = 'queued'
        WHERE p.team_id = ${teamId} AND p.standing = 'waiting' AND p.reason = 'concurrent_steps' LIMIT ${concurrentSteps ?? 0}) few) AS waiting
    FROM days`)
  const raw = rows[0]
  if (!raw) throw new Error('the database tells no time')
  return { now: instant(raw.now), midnight: instant(raw.midnight), today: raw.today, taken: raw.taken, waiting: raw.waiting }
}

async function count(tx: Executor, started: Place[]): Promise<void> {
  if (started.length === 0) return
  await tx.execute(sql`
    INSERT INTO team_usage AS u (team_id, day, steps)
    SELECT team_id, (clock_timestamp() AT TIME ZONE 'UTC')::date, count(*) FROM unnest(${column(started, (p) => p.teamId)}::uuid[]) AS x(team_id) GROUP BY team_id
    ON CONFLICT (team_id, day) DO UPDATE SET steps = u.steps + excluded.steps`)
}

/** By their jobs. */
async function start(
  tx: Executor,
  definitions: Definitions,
  started: Place[],
  limited: (place: Place) => boolean,
  later: Executor,
): Promise<Map<string, Claimed>> {
  if (started.length === 0) return new Map()
  const { rows } = await tx.execute<RawStep & RawRun>(sql`
    WITH claimed AS (
      UPDATE workflow_steps s SET status = 'running', not_before = NULL, deferred_until = NULL, deferred_for = NULL, plugin = NULL,
        started_at = COALESCE(s.started_at, clock_timestamp()), attempt_started_at = clock_timestamp()
      FROM unnest(${column(started, (p) => p.runId)}::uuid[], ${column(started, (p) => p.stepId)}::text[], ${column(started, (p) => p.item)}::int[],
        ${column(started, (p) => p.epoch)}::int[]) AS x(run_id, step_id, item, epoch)
      WHERE s.run_id = x.run_id AND s.step_id = x.step_id AND s.item = x.item AND s.call = '' AND s.epoch = x.epoch
      RETURNING s.*
    )
    SELECT ${STEP_COLUMNS}, ${RUN_COLUMNS} FROM claimed s JOIN workflow_runs r ON r.id = s.run_id`)
  const places = new Map(started.map((place) => [place.jobId, place]))
  const claims = new Map<string, Claimed>()
  for (const raw of rows) {
    const row = stepRow(raw)
    const place = row.jobId === null ? undefined : places.get(row.jobId)
    if (!place) throw new Error(`run ${raw.id}: a step was claimed for no job`)
    const run = await runRecord(tx, definitions, raw, later)
    claims.set(place.jobId, { run, row, takenOver: false, undoes: null, limited: limited(place) })
  }
  return claims
}
