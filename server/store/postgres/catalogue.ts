import { notInArray, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { pluginJobs, plugins, pluginTools, pluginWorkflows } from '@/db/schema'
import { plainText } from './sql'

export type Catalogue = {
  plugins: (typeof plugins.$inferInsert)[]
  tools: (typeof pluginTools.$inferInsert)[]
  jobs: (typeof pluginJobs.$inferInsert)[]
  workflows: (typeof pluginWorkflows.$inferInsert)[]
}

const LOCK = 0x636c6563 // "clec": two workers that start together publish one after the other

const DESCRIPTION = ['pluginId', 'title', 'description', 'effect', 'inputSchema', 'outputSchema']

const excluded = (...columns: string[]) => Object.fromEntries(columns.map((column) => [column, sql.raw(`excluded.${snake(column)}`)]))
const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Plugins are checked where they are loaded; a text that got through all the same must not keep the others out of the catalogue. */
const storable = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, typeof value === 'string' ? plainText(value) : value])) as Row

/** Makes the catalogue say what a worker has just loaded, no more and no less, in one transaction. The last worker to publish wins. */
export async function publishCatalogue(db: Db, catalogue: Catalogue): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${LOCK})`)
    if (catalogue.plugins.length > 0)
      await tx
        .insert(plugins)
        .values(catalogue.plugins.map(storable))
        .onConflictDoUpdate({
          target: plugins.id,
          set: { ...excluded('title', 'version', 'description', 'status', 'error'), loadedAt: sql`now()` },
        })
    if (catalogue.tools.length > 0)
      await tx
        .insert(pluginTools)
        .values(catalogue.tools.map(storable))
        .onConflictDoUpdate({
          target: pluginTools.name,
          set: excluded(...DESCRIPTION),
        })
    if (catalogue.jobs.length > 0)
      await tx
        .insert(pluginJobs)
        .values(catalogue.jobs.map(storable))
        .onConflictDoUpdate({ target: pluginJobs.kind, set: excluded(...DESCRIPTION) })
    if (catalogue.workflows.length > 0)
      await tx
        .insert(pluginWorkflows)
        .values(catalogue.workflows)
        .onConflictDoUpdate({ target: [pluginWorkflows.pluginId, pluginWorkflows.slug], set: excluded('spec', 'hash') })
    const kept = catalogue.workflows.map(({ pluginId, slug }) => sql`(${pluginId}, ${slug})`)
    await tx.delete(pluginWorkflows).where(kept.length > 0 ? sql`(plugin_id, slug) NOT IN (${sql.join(kept, sql`, `)})` : undefined)
    await tx.delete(pluginTools).where(
      notInArray(
        pluginTools.name,
        catalogue.tools.map(({ name }) => name),
      ),
    )
    await tx.delete(pluginJobs).where(
      notInArray(
        pluginJobs.kind,
        catalogue.jobs.map(({ kind }) => kind),
      ),
    )
    await tx.delete(plugins).where(
      notInArray(
        plugins.id,
        catalogue.plugins.map(({ id }) => id),
      ),
    )
  })
}

/** Whether no worker has ever told of its plugins: then nothing can be started yet. */
export async function isCatalogueEmpty(db: Db): Promise<boolean> {
  return (await db.select({ id: plugins.id }).from(plugins).limit(1)).length === 0
}
