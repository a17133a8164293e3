import { openSetup } from '@/server/auth/setup'
import { catalogueOf } from '@/server/plugins/catalogue'
import { loadPlugins } from '@/server/plugins/loader'
import { publishCatalogue } from '@/server/store/postgres/catalogue'
import { hasDemoPeople, hasNoPeople } from '@/server/store/postgres/people'
import { createDb, createPool } from './client'
import { migrate } from './migrate'
import { knownDemoAccounts, seedDemo, type DemoAccount } from './seed'

export type Prepared = { demoAccounts: DemoAccount[]; setupToken: string | null; demoPresent: boolean }

/**
 * Brings a database to where web and worker can start: migrated, plugins known, and somebody able to get in. In an empty database that
 * is the demo's people when `demo` (their passwords are returned now and never again), else whoever opens the one-time set-up link.
 */
export async function prepare(options: { databaseUrl: string; demo: boolean; secret: string; pluginsDir?: string }): Promise<Prepared> {
  await migrate(options.databaseUrl)
  const pool = createPool(options.databaseUrl, { max: 4, application_name: 'clew prepare' })
  try {
    const db = createDb(pool)
    await publishCatalogue(db, catalogueOf(await loadPlugins({ dir: options.pluginsDir ?? 'plugins', pool })))
    const seeded = options.demo && (await hasNoPeople(db)) ? await seedDemo(db) : null
    const demoPresent = await hasDemoPeople(db)
    return {
      demoAccounts: seeded ?? (demoPresent ? knownDemoAccounts() : []),
      setupToken: options.demo ? null : await openSetup(db, options.secret),
      demoPresent,
    }
  } finally {
    await pool.end()
  }
}
