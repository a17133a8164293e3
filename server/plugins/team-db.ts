import { type QueryConfig, type Pool, types } from 'pg'
import { FatalError, type PluginDb, TransientError } from '@/sdk'
import type { PluginTables } from './model'
import { enter } from './tables'
import { isTransient } from './transient'

/** Clew itself reads `json` as the text it is (db/client.ts); authors of plugins expect it parsed. */
const parsed: QueryConfig['types'] = {
  getTypeParser: (oid: number, format?: string) =>
    oid === types.builtins.JSON ? JSON.parse : (types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
} as QueryConfig['types']

/**
 * A plugin's tables as one team sees them. `tables` null: the plugin has none. Give plugins a pool of their own: what a statement leaves
 * in a session (`SET search_path …`) must not reach the application's queries.
 */
export function teamDb(pool: Pool | undefined, tables: PluginTables | null, teamId: string, signal: AbortSignal): PluginDb {
  return {
    async query<T extends object>(sql: string, params: readonly unknown[] = []) {
      if (!pool || !tables) throw new FatalError('This plugin has no tables: add a migration to its folder migrations/')
      signal.throwIfAborted()
      try {
        return await inTransaction<T>(pool, tables, teamId, sql, params)
      } catch (error) {
        if (isTransient(error)) throw new TransientError('The database could not serve the plugin just now', { cause: error })
        throw error
      }
    },
  }
}

async function inTransaction<T extends object>(
  pool: Pool,
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
    const query = { text: sql, values: [...params], queryMode: 'extended', types: parsed }
    const { rows } = await client.query<T>(query as QueryConfig)
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
