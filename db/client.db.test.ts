import { sql } from 'drizzle-orm'
import type { Pool } from 'pg'
import { expect, it } from 'vitest'
import { createDb, createPool } from './client'
import { testDatabase } from './testing/database'

/** As in a transaction: the connection is given back whatever became of the statement. */
async function within<T extends object>(pool: Pool, statement: string): Promise<T[]> {
  const client = await pool.connect()
  try {
    return (await client.query<T>(statement)).rows
  } finally {
    client.release()
  }
}

it('does not keep a connection that sits on a server without writes', async () => {
  const database = await testDatabase()
  const pool = createPool(database.url, { max: 1 })
  try {
    await within(pool, 'SET default_transaction_read_only = on') // as every session on a standby is
    await expect(within(pool, 'CREATE TABLE t ()')).rejects.toMatchObject({ code: '25006' })
    await within(pool, 'CREATE TABLE t ()')
    const pid = await within(pool, 'SELECT pg_backend_pid() AS pid')
    await expect(within(pool, 'SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' })
    expect(await within(pool, 'SELECT pg_backend_pid() AS pid')).toEqual(pid)
  } finally {
    await pool.end()
    await database.drop()
  }
})

it('gives a connection back that was cut before its transaction began', async () => {
  const database = await testDatabase()
  const pool = createPool(database.url, { max: 1, connectionTimeoutMillis: 5_000 })
  const db = createDb(pool)
  try {
    pool.once('acquire', (client) => {
      const query = client.query.bind(client)
      const cut = () => {
        client.query = query
        return Promise.reject(new Error('Connection terminated'))
      }
      client.query = cut as unknown as typeof client.query
    })
    await expect(db.transaction((tx) => tx.execute(sql`SELECT 1`))).rejects.toThrow()
    expect((await db.transaction((tx) => tx.execute(sql`SELECT 1 AS one`))).rows).toEqual([{ one: 1 }])
  } finally {
    await pool.end()
    await database.drop()
  }
})
