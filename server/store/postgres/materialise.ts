import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'

/**
 * Copies the workflows of loaded plugins into a team's `workflow_defs` (source `plugin:<id>`): the next version of the slug where the
 * latest one of that source differs. Gives what it added: nothing, mostly.
 *
 * One statement, and a look that finds nothing new writes nothing. Two looks at once compute the same version number, so that the second
 * one meets the first one's row and adds nothing; if it was somebody's own new version instead, the next look tries again.
 * What a team archived stays archived when the plugin changes it.
 */
export async function materialise(db: Pick<Db, 'execute'>, teamId: string): Promise<{ slug: string; version: number }[]> {
  const { rows } = await db.execute<{ slug: string; version: number }>(sql`
    INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash, status)
    SELECT gen_random_uuid(), ${teamId}::uuid, w.slug, coalesce(newest.version, 0) + 1, 'plugin:' || w.plugin_id, w.spec, w.hash,
      coalesce(own.status, 'active')
    FROM plugin_workflows w
    LEFT JOIN LATERAL (
      SELECT d.hash, d.status FROM workflow_defs d
      WHERE d.team_id = ${teamId}::uuid AND d.slug = w.slug AND d.source = 'plugin:' || w.plugin_id ORDER BY d.version DESC LIMIT 1
    ) own ON true
    LEFT JOIN LATERAL (
      SELECT d.version FROM workflow_defs d WHERE d.team_id = ${teamId}::uuid AND d.slug = w.slug ORDER BY d.version DESC LIMIT 1
    ) newest ON true
    WHERE own.hash IS DISTINCT FROM w.hash
    ON CONFLICT (team_id, slug, version) DO NOTHING
    RETURNING slug, version`)
  return rows
}
