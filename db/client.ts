import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import * as schema from './schema'

// `json` comes back as the text that was stored: JSON.parse here would move digit keys first and round large numbers.
const JSON_OID = 114
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === JSON_OID ? (text: string) => text : (pg.types.getTypeParser(oid, format as 'text') as (text: string) => unknown),
} as pg.CustomTypesConfig

export type Db = NodePgDatabase<typeof schema>

/** A pool whose idle connections may break (a restart of the server) without taking the process down. */
export function createPool(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 10, connectionTimeoutMillis: 10_000, types, ...options })
  pool.on('error', () => {})
  return pool
}

export const createDb = (pool: pg.Pool): Db => drizzle(pool, { schema })
