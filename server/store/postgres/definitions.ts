import { sql } from 'drizzle-orm'
import type { Definition } from '@/server/engine/ports'
import type { Executor } from '@/server/queue/pg-boss'

const KEPT = 500

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
