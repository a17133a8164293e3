import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import { Pool, type PoolClient, type PoolConfig, types } from 'pg'
import * as schema from './schema'

// `json` comes back as the text that was stored: JSON.parse here would move digit keys first and round large numbers.
// Set for the whole process, because the parsers of a pool are overruled by those that Drizzle gives with each query.
const JSON_OID = 114
types.setTypeParser(JSON_OID, (text: string) => text)

/** SQLSTATE read_only_sql_transaction. */
const READ_ONLY = '25006'

export type Db = NodePgDatabase<typeof schema>

/** A pool whose connections may break (a restart of the server), idle or within a transaction, without taking the process down. */
export function createPool(connectionString: string, options: PoolConfig = {}): Pool {
  const pool = new Pool({
    connectionString,
    max: 10,
    connectionTimeoutMillis: 10_000,
    // A server that vanished without a word (a failover) is noticed by the system after minutes, not never.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // A process that froze within a transaction must not hold a run's lock for good.
    idle_in_transaction_session_timeout: 30_000,
    ...options,
  })
  pool.on('error', () => {})
  // While a connection is lent out the pool does not listen; whoever borrowed it learns of the loss from their query.
  const readOnly = new WeakSet<PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => {})
    client.connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (code === READ_ONLY) readOnly.add(client)
    })
  })
  // After a failover a connection may sit on a server that takes no writes; given back, it would fail whoever gets it next, for good.
  pool.on('release', (_error, client) => {
    if (readOnly.has(client)) void client.end().catch(() => {})
  })
  return pool
}

/** Drizzle on this pool. Its own `transaction` keeps a connection for ever whose BEGIN fails, until none is left: here every one is given back. */
export function createDb(pool: Pool): Db {
  const db = drizzle(pool, { schema })
  db.transaction = async (work, config) => {
    const client = await pool.connect()
    let failed = true
    try {
      const result = await drizzle(client, { schema }).transaction(work, config)
      failed = false
      return result
    } finally {
      client.release(failed)
    }
  }
  return db
}
