import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import * as schema from './schema'

// `json` comes back as the text that was stored: JSON.parse here would move digit keys first and round large numbers.
// Set for the whole process, because the parsers of a pool are overruled by those that Drizzle gives with each query.
const JSON_OID = 114
pg.types.setTypeParser(JSON_OID, (text: string) => text)

export type Db = NodePgDatabase<typeof schema>

/** A pool whose idle connections may break (a restart of the server) without taking the process down. */
export function createPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 10_000, ...options })
  pool.on('error', () => {})
  return pool
}

export const createDb = (pool: pg.Pool): Db => drizzle(pool, { schema })
