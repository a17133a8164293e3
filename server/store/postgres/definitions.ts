import { sql } from 'drizzle-orm'
import type { Definition } from '@/server/engine/ports'
import type { Executor } from '@/server/queue/pg-boss'

const KEPT = 500

/** The version named, or the current one: a team's own stands above a plugin's. Null: the team has none, or it is archived. */
export async function findDefinition(db: Executor, teamId: string, slug: string, version: number | null): Promise<Definition | null> {
  const { rows } = await db.execute<{ id: string; version: number; spec: string }>(sql`
    SELECT id, version, spec FROM workflow_defs
    WHERE team_id = ${teamId} AND slug = ${slug} AND status = 'active' ${version === null ? sql`` : sql`AND version = ${version}`}
    ORDER BY (source = 'db') DESC, version DESC LIMIT 1`)
  return rows[0] ? { ...rows[0], teamId, slug } : null
}

/** Definitions never change once stored, so each process reads a version once. */
export class Definitions {
  readonly #known = new Map<string, Definition>()

  async get(db: Executor, defId: string): Promise<Definition | null> {
    const known = this.#known.get(defId)
    if (known) return known
    const { rows } = await db.execute<{ id: string; team_id: string; slug: string; version: number; spec: string }>(
      sql`SELECT id, team_id, slug, version, spec FROM workflow_defs WHERE id = ${defId}`,
    )
    const row = rows[0]
    if (!row) return null
    const definition = { id: row.id, teamId: row.team_id, slug: row.slug, version: row.version, spec: row.spec }
    const oldest = this.#known.keys().next()
    if (this.#known.size >= KEPT && !oldest.done) this.#known.delete(oldest.value)
    this.#known.set(defId, definition)
    return definition
  }
}
