import { randomUUID } from 'node:crypto'
import { and, desc, eq, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { workflowDefs } from '@/db/schema'
import type { TeamId } from '@/server/auth/ids'

export type NewDefinition = { slug: string; spec: string; hash: string; createdBy: string }

/**
 * To be called in a transaction. Stores a spec as the team's own next version of its slug, unless it says what the current version says. Two publishers at once get
 * two versions, or, with the same content, one. Null: the database was too busy with this slug; nothing was stored.
 */
export async function insertVersion(
  db: Pick<Db, 'select' | 'insert' | 'execute'>,
  teamId: TeamId,
  definition: NewDefinition,
): Promise<{ version: number; created: boolean } | null> {
  const ofSlug = and(eq(workflowDefs.teamId, teamId), eq(workflowDefs.slug, definition.slug))
  // Publishers of one slug take turns: without it the second, having read before the first was done, would store the same content anew.
  await db.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`publish ${teamId} ${definition.slug}`}, 0))`)
  // A plugin's version may still come in between.
  for (let tries = 0; tries < 5; tries++) {
    const current = await db
      .select({ version: workflowDefs.version, hash: workflowDefs.hash })
      .from(workflowDefs)
      .where(and(ofSlug, eq(workflowDefs.status, 'active')))
      .orderBy(desc(sql`${workflowDefs.source} = 'db'`), desc(workflowDefs.version))
      .limit(1)
    if (current[0]?.hash === definition.hash) return { version: current[0].version, created: false }
    const next = sql`coalesce((select max(version) from workflow_defs where team_id = ${teamId} and slug = ${definition.slug}), 0) + 1`
    const made = await db
      .insert(workflowDefs)
      .values({ id: randomUUID(), teamId, source: 'db', version: next, ...definition })
      .onConflictDoNothing()
      .returning({ version: workflowDefs.version })
    if (made[0]) return { version: made[0].version, created: true }
  }
  return null
}
