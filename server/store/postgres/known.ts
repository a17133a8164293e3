import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { Json } from '@/spec'

type Callable = { title: string; effect: 'read' | 'write' | 'once'; input: Json; output: Json }

export type Known = {
  tools: Map<string, Callable>
  jobs: Map<string, Callable>
  /** The current versions of the team's workflows that are not archived: their canonical text by slug. */
  workflows: Map<string, { version: number; spec: string }>
  /** The roles that somebody who can sign in has in the team. */
  roles: Set<string>
}

type Rows = {
  tools: [name: string, callable: Callable][]
  jobs: [kind: string, callable: Callable][]
  workflows: [slug: string, current: { version: number; spec: string }][]
  roles: string[]
}

const CALLABLE = sql.raw(`json_build_object('title', title, 'effect', effect, 'input', input_schema, 'output', output_schema)`)

/** Everything that a document of this team may name, as it is now. */
export async function knownTo(db: Db, teamId: string): Promise<Known> {
  const { rows } = await db.execute<{ known: string }>(sql`
    SELECT json_build_object(
      'tools', (SELECT coalesce(json_agg(json_build_array(name, ${CALLABLE}) ORDER BY name), '[]') FROM plugin_tools),
      'jobs', (SELECT coalesce(json_agg(json_build_array(kind, ${CALLABLE}) ORDER BY kind), '[]') FROM plugin_jobs),
      'workflows', (SELECT coalesce(json_agg(json_build_array(slug, json_build_object('version', version, 'spec', spec::text)) ORDER BY slug), '[]') FROM (
        SELECT DISTINCT ON (slug) slug, version, spec FROM workflow_defs
        WHERE team_id = ${teamId}::uuid AND status = 'active' ORDER BY slug, (source = 'db') DESC, version DESC) current),
      'roles', (SELECT coalesce(json_agg(DISTINCT g.role), '[]') FROM role_grants g JOIN users u ON u.id = g.user_id
        WHERE g.team_id = ${teamId}::uuid AND u.disabled_at IS NULL)
    )::text AS known`)
  const { tools, jobs, workflows, roles } = JSON.parse(rows[0]?.known ?? '{}') as Rows
  return { tools: new Map(tools), jobs: new Map(jobs), workflows: new Map(workflows), roles: new Set(roles) }
}
