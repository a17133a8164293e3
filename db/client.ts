import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { Pool, type PoolConfig, types } from 'pg'
import * as schema from './schema'

// `json` comes back as the text that was stored: JSON.parse here would move digit keys first and round large numbers.
// Set for the whole process, because the parsers of a pool are overruled by those that Drizzle gives with each query.
const JSON_OID = 114
types.setTypeParser(JSON_OID, (text: string) => text)

export type Db = NodePgDatabase<typeof schema>

/** A pool whose connections may break (a restart of the server), idle or within a transaction, without taking the process down. */
export function createPool(connectionString: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    // A process that froze within a transaction must not hold a run's lock for good.
    idle_in_transaction_session_timeout: 30_000,
    ...options,
  })
  pool.on('error', () => {})
  // While a connection is lent out the pool does not listen; whoever borrowed it learns of the loss from their query.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

export const createDb = (pool: Pool): Db => drizzle(pool, { schema })
