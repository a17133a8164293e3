import { createDb, createPool } from '@/db/client'
import { env } from '@/server/env'
import { publishCatalogue } from '@/server/store/postgres/catalogue'
import { catalogueOf, PUBLISHED } from './catalogue'
import { loadPlugins } from './loader'

/**
 * A process that tells the web pages which plugins there are, before the first worker does, and ends. It is one of its own because the
 * code of plugins may end it, or keep it busy for ever. What they say is not shown: the worker loads them again, and logs.
 */
const { DATABASE_URL, CLEW_PLUGINS_DIR } = env()
process.on('unhandledRejection', () => {})
process.on('uncaughtException', () => {})
const pool = createPool(DATABASE_URL, { max: 4, application_name: 'clew plugins' })
const code = await loadPlugins({ dir: CLEW_PLUGINS_DIR, pool })
  .then((plugins) => publishCatalogue(createDb(pool), catalogueOf(plugins)))
  .then(
    () => PUBLISHED,
    () => 1,
  )
// At once: a plugin may have left something that keeps the process going.
process.exit(code)
