import type { Pool } from 'pg'
import { expect, it } from 'vitest'
import { createPool } from './client'
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
