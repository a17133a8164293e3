import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { RunStatus } from '@/spec'
import type { TeamId } from '@/server/auth/ids'
import { instant } from './sql'

/** One version of a workflow; `spec` is its canonical text. */
export type DefinitionDetail = {
  id: string
  slug: string
  version: number
  source: string
  spec: string
  hash: string
  status: 'active' | 'archived'
  createdAt: Date
}

export type DefinitionOverview = DefinitionDetail & {
  /** Of all versions, newest first, at most 10. */
  lastRuns: { id: string; status: RunStatus; createdAt: Date }[]
  /** Of the last 50 that succeeded. */
  medianSeconds: number | null
}

export type DefinitionVersion = {
  version: number
  source: string
  status: 'active' | 'archived'
  createdAt: Date
  createdBy: string | null
}

type Raw = {
  id: string
  slug: string
  version: number
  source: string
  spec: string
  hash: string
  status: 'active' | 'archived'
  created_at: string
}
type RawRuns = { last_runs: string | null; median_seconds: number | null }

const COLUMNS = sql.raw('d.id, d.slug, d.version, d.source, d.spec, d.hash, d.status, d.created_at')

/** A team's own version stands above whatever a plugin brings. */
const CURRENT_FIRST = sql.raw(`d.slug, (d.source = 'db') DESC, d.version DESC`)

/** The current version of each of the team's workflows that is not archived, by slug. */
export function listDefinitions(db: Db, teamId: TeamId): Promise<DefinitionOverview[]> {
  return overviews(db, teamId, null)
}

/** The current version of one workflow. Null: this team has none of that slug. */
export async function getOverview(db: Db, teamId: TeamId, slug: string): Promise<DefinitionOverview | null> {
  return (await overviews(db, teamId, slug))[0] ?? null
}

async function overviews(db: Db, teamId: TeamId, slug: string | null): Promise<DefinitionOverview[]> {
  const { rows } = await db.execute<Raw & RawRuns>(sql`
    WITH current AS (
      SELECT DISTINCT ON (d.slug) ${COLUMNS} FROM workflow_defs d
      WHERE d.team_id = ${teamId} AND d.status = 'active' ${slug === null ? sql`` : sql`AND d.slug = ${slug}`} ORDER BY ${CURRENT_FIRST}
    )
    SELECT ${COLUMNS}, last.runs AS last_runs, pace.median AS median_seconds FROM current d
    LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('id', id, 'status', status, 'createdAt', created_at) ORDER BY created_at DESC, id DESC) AS runs FROM (
        SELECT r.* FROM workflow_defs v CROSS JOIN LATERAL (
          SELECT id, status, created_at FROM workflow_runs WHERE def_id = v.id ORDER BY created_at DESC LIMIT 10) r
        WHERE v.team_id = ${teamId} AND v.slug = d.slug ORDER BY r.created_at DESC, r.id DESC LIMIT 10) newest
    ) last ON true
    LEFT JOIN LATERAL (
      SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(epoch FROM finished_at - started_at)) AS median FROM (
        SELECT r.* FROM workflow_defs v CROSS JOIN LATERAL (
          SELECT started_at, finished_at, created_at FROM workflow_runs WHERE def_id = v.id AND status = 'succeeded' ORDER BY created_at DESC LIMIT 50) r
        WHERE v.team_id = ${teamId} AND v.slug = d.slug ORDER BY r.created_at DESC LIMIT 50) ended
    ) pace ON true
    ORDER BY d.slug`)
  return rows.map((raw) => Object.assign(detail(raw), { lastRuns: lastRuns(raw.last_runs), medianSeconds: raw.median_seconds }))
}

/** That version, or the current one. Null: this team has none. An archived one is found only by its version. */
export async function getDefinition(db: Db, teamId: TeamId, slug: string, version?: number): Promise<DefinitionDetail | null> {
  const which = version === undefined ? sql`d.status = 'active'` : sql`d.version = ${version}`
  const { rows } = await db.execute<Raw>(sql`
    SELECT ${COLUMNS} FROM workflow_defs d WHERE d.team_id = ${teamId} AND d.slug = ${slug} AND ${which} ORDER BY ${CURRENT_FIRST} LIMIT 1`)
  return rows[0] ? detail(rows[0]) : null
}

/** All versions of one slug, newest first. */
export async function listVersions(db: Db, teamId: TeamId, slug: string): Promise<DefinitionVersion[]> {
  const { rows } = await db.execute<Omit<Raw, 'spec'> & { created_by: string | null }>(sql`
    SELECT d.version, d.source, d.status, d.created_at, u.name AS created_by FROM workflow_defs d LEFT JOIN users u ON u.id = d.created_by
    WHERE d.team_id = ${teamId} AND d.slug = ${slug} ORDER BY d.version DESC`)
  return rows.map((raw) => ({
    version: raw.version,
    source: raw.source,
    status: raw.status,
    createdAt: instant(raw.created_at),
    createdBy: raw.created_by,
  }))
}

const detail = (raw: Raw): DefinitionDetail => ({
  id: raw.id,
  slug: raw.slug,
  version: raw.version,
  source: raw.source,
  spec: raw.spec,
  hash: raw.hash,
  status: raw.status,
  createdAt: instant(raw.created_at),
})

function lastRuns(text: string | null): DefinitionOverview['lastRuns'] {
  const runs = JSON.parse(text ?? '[]') as { id: string; status: RunStatus; createdAt: string }[]
  return runs.map(({ id, status, createdAt }) => ({ id, status, createdAt: new Date(createdAt) }))
}
