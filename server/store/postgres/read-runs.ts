import { type SQL, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { StoredError } from '@/db/schema'
import type { Json, RunStatus } from '@/spec'
import type { TeamId } from '@/server/auth/ids'
import { decodeCursor, encodeCursor } from './paging'
import { instant, instantOrNull, parseDoc } from './sql'

export type RunOverview = {
  id: string
  team: { id: TeamId; slug: string }
  /** `title`: the document's. */
  workflow: { slug: string; title: string; version: number }
  status: RunStatus
  stopping: boolean
  /** Raised with every transition. */
  revision: number
  /** Data: hidden from whoever may not read the team's data, and so is the message of `error`. */
  title: string | null
  error: StoredError | null
  startedBy: { id: string; name: string }
  /** The run of the same team that started this one as its child; null: a person or a program did. */
  parent: { id: string; title: string } | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
  stepsSettled: number
  stepsTotal: number
}

export type RunDetail = RunOverview & { spec: string; input: Record<string, Json>; output: Json | null }

type Raw = {
  id: string
  team_id: TeamId
  team_slug: string
  slug: string
  spec_title: string
  def_version: number
  status: RunStatus
  stopping_to: string | null
  version: number
  title: string | null
  error: string | null
  user_id: string
  user_name: string
  parent_run_id: string | null
  parent_title: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
  steps_settled: number
  steps_total: number
}

const COLUMNS =
  sql.raw(`r.id, r.team_id, t.slug AS team_slug, d.slug, d.spec ->> 'title' AS spec_title, d.version AS def_version, r.status, r.stopping_to,
  r.version, r.title, r.error, r.user_id, u.name AS user_name, r.parent_run_id,
  (SELECT pd.spec ->> 'title' FROM workflow_runs p JOIN workflow_defs pd ON pd.id = p.def_id WHERE p.id = r.parent_run_id) AS parent_title, r.created_at, r.started_at, r.finished_at, r.steps_settled, r.steps_total`)
const JOINS = sql.raw(`JOIN teams t ON t.id = r.team_id JOIN workflow_defs d ON d.id = r.def_id JOIN users u ON u.id = r.user_id`)

export type RunFilter = {
  statuses?: RunStatus[] | undefined
  slug?: string | undefined
  startedBy?: string | undefined
  cursor?: string | undefined
  limit: number
}

/** Runs of these teams, newest first. `next`: the cursor of the following page. @throws {ClewError} `invalid` for a cursor that is none of ours */
export async function listRuns(db: Db, teamIds: TeamId[], filter: RunFilter): Promise<{ rows: RunOverview[]; next: string | null }> {
  const { statuses, slug, startedBy, cursor, limit } = filter
  const conditions: SQL[] = [sql`r.team_id = mine.id`]
  if (statuses) conditions.push(sql`r.status = ANY(${sql.param(statuses)}::text[])`)
  // What a person started: not what those runs started in turn.
  if (startedBy) conditions.push(sql`r.user_id = ${startedBy} AND r.parent_run_id IS NULL`)
  if (slug) conditions.push(sql`r.def_id IN (SELECT id FROM workflow_defs WHERE team_id = mine.id AND slug = ${slug})`)
  if (cursor) {
    const after = decodeCursor(cursor)
    conditions.push(sql`(r.created_at, r.id) < (${after.at}::timestamptz, ${after.id}::uuid)`)
  }
  // Per team, so that each walks its own index only as far as the page goes.
  const { rows } = await db.execute<Raw>(sql`
    SELECT ${COLUMNS} FROM unnest(${sql.param(teamIds)}::uuid[]) AS mine(id)
    CROSS JOIN LATERAL (
      SELECT * FROM workflow_runs r WHERE ${sql.join(conditions, sql` AND `)} ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit + 1}
    ) r ${JOINS}
    ORDER BY r.created_at DESC, r.id DESC LIMIT ${limit + 1}`)
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  return { rows: page.map(overview), next: rows.length > limit && last ? encodeCursor({ at: last.created_at, id: last.id }) : null }
}

/** Null: this team has no such run. */
export async function getRun(db: Db, teamId: TeamId, runId: string): Promise<RunDetail | null> {
  const { rows } = await db.execute<Raw & { spec: string; input: string; output: string | null }>(sql`
    SELECT ${COLUMNS}, d.spec, r.input, r.output FROM workflow_runs r ${JOINS} WHERE r.id = ${runId} AND r.team_id = ${teamId}`)
  const raw = rows[0]
  if (!raw) return null
  return { ...overview(raw), spec: raw.spec, input: JSON.parse(raw.input) as Record<string, Json>, output: parseDoc(raw.output) }
}

const overview = (raw: Raw): RunOverview => ({
  id: raw.id,
  team: { id: raw.team_id, slug: raw.team_slug },
  workflow: { slug: raw.slug, title: raw.spec_title, version: raw.def_version },
  status: raw.status,
  stopping: raw.stopping_to !== null,
  revision: raw.version,
  title: raw.title,
  error: parseDoc<StoredError>(raw.error),
  startedBy: { id: raw.user_id, name: raw.user_name },
  parent: raw.parent_run_id === null ? null : { id: raw.parent_run_id, title: raw.parent_title ?? '' },
  createdAt: instant(raw.created_at),
  startedAt: instantOrNull(raw.started_at),
  finishedAt: instantOrNull(raw.finished_at),
  stepsSettled: raw.steps_settled,
  stepsTotal: raw.steps_total,
})
