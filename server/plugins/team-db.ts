import pg from 'pg'
import { FatalError, type PluginDb, TransientError } from '@/sdk'
import type { PluginTables } from './model'
import { enter } from './tables'
import { isTransient } from './transient'

/**
 * A plugin's tables as one team sees them. `tables` null: the plugin has none. Give plugins a pool of their own: what a statement leaves
 * in a session (`SET search_path …`) must not reach the application's queries.
 */
export function teamDb(pool: pg.Pool | undefined, tables: PluginTables | null, teamId: string, signal: AbortSignal): PluginDb {
  return {
    async query<T extends object>(sql: string, params: readonly unknown[] = []) {
      if (!pool || !tables)
        throw new FatalError('This plugin has no tables: add a migration to its folder migrations/', { code: 'no_tables' })
      signal.throwIfAborted()
      try {
        return await inTransaction<T>(pool, tables, teamId, sql, params)
      } catch (error) {
        if (isTransient(error))
          throw new TransientError('The database could not serve the plugin just now', { code: 'database_unavailable', cause: error })
        throw error
      }
    },
  }
}

async function inTransaction<T extends object>(
  pool: pg.Pool,
  tables: PluginTables,
  teamId: string,
  sql: string,
  params: readonly unknown[],
): Promise<T[]> {
  const client = await pool.connect()
  let failure: unknown
  try {
    await client.query('BEGIN')
    await enter(client, tables, teamId)
    // Extended: one statement only, so that none can end the transaction and go on outside. Types: `json` parsed, as authors expect.
    const query = { text: sql, values: [...params], queryMode: 'extended', types: pg.types }
    const { rows } = await client.query<T>(query as pg.QueryConfig)
    await client.query('COMMIT')
    return rows
  } catch (error) {
    failure = error
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    client.release(failure !== undefined && isTransient(failure))
  }
}
