import { openSetup } from '@/server/auth/setup'
import { PUBLISHED } from '@/server/plugins/catalogue'
import { pluginFolders } from '@/server/plugins/folders'
import { isCatalogueEmpty } from '@/server/store/postgres/catalogue'
import { hasDemoPeople, hasNoPeople } from '@/server/store/postgres/people'
import { startChild } from './child'
import { createDb, createPool, type Db } from './client'
import { migrate } from './migrate'
import { knownDemoAccounts, seedDemo, type DemoAccount } from './seed'

type People = { demoAccounts: DemoAccount[]; setupToken: string | null; demoPresent: boolean }

/** `pluginsListed`: false where the plugins could not be loaded before the worker does. */
export type Prepared = People & { pluginsListed: boolean }

type Options = { databaseUrl: string; demo: boolean; secret: string; pluginsDir?: string; pluginsLimitMs?: number }

/**
 * Brings a database to where web and worker can start: migrated, plugins known, and somebody able to get in. In an empty database that
 * is the demo's people when `demo` (their passwords are returned now and never again), else whoever opens the one-time set-up link.
 * @throws {Problem} the folder of the plugins cannot be read; what a plugin does is never a reason
 */
export async function prepare(options: Options): Promise<Prepared> {
  const { pluginsDir = 'plugins' } = options
  await pluginFolders(pluginsDir)
  await migrate(options.databaseUrl)
  const pool = createPool(options.databaseUrl, { max: 4, application_name: 'clew prepare' })
  try {
    const db = createDb(pool)
    // An earlier start has listed them, and the worker lists them anew: waiting for it twice would only be slow.
    const listed = async () => !(await isCatalogueEmpty(db)) || listPlugins({ ...options, pluginsDir })
    const [people, pluginsListed] = await Promise.all([preparePeople(db, options), listed()])
    return { ...people, pluginsListed }
  } finally {
    await pool.end()
  }
}

async function preparePeople(db: Db, { demo, secret }: Options): Promise<People> {
  const seeded = demo && (await hasNoPeople(db)) ? await seedDemo(db) : null
  const demoPresent = await hasDemoPeople(db)
  return {
    demoAccounts: seeded ?? (demoPresent ? knownDemoAccounts() : []),
    setupToken: demo ? null : await openSetup(db, secret),
    demoPresent,
  }
}

/** Runs `server/plugins/publish.ts`, so that no code of a plugin runs in this process, which must not end. */
async function listPlugins({
  databaseUrl,
  secret,
  pluginsDir,
  pluginsLimitMs = 60_000,
}: Options & { pluginsDir: string }): Promise<boolean> {
  const child = startChild(process.execPath, ['--import', 'tsx', 'server/plugins/publish.ts'], {
    output: 'pipe',
    moreEnv: { DATABASE_URL: databaseUrl, CLEW_SECRET: secret, CLEW_PLUGINS_DIR: pluginsDir, NODE_ENV: 'production' },
  })
  // Nobody reads what they print, and a full pipe would hold them up.
  for (const stream of [child.process.stdout, child.process.stderr]) stream?.resume()
  const timer = setTimeout(() => void child.stop(), pluginsLimitMs)
  const code = await child.exited
  clearTimeout(timer)
  return code === PUBLISHED
}
