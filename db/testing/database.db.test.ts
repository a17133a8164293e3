import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from './database'

let mine: TestDatabase
let other: TestDatabase
beforeAll(async () => {
  ;[mine, other] = await Promise.all([testDatabase(), testDatabase()])
})
afterAll(async () => {
  await Promise.all([mine.drop(), other.drop()])
})

async function query<Row extends object>(url: string, statement: string): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(statement)).rows
  } finally {
    await client.end()
  }
}

test('row-level security binds the role of the application: it is no superuser and may not bypass', async () => {
  const [role] = await query(mine.url, 'SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user')
  expect(role).toEqual({ rolsuper: false, rolbypassrls: false })
})

test('the database is migrated', async () => {
  const tables = await query<{ table_name: string }>(
    mine.url,
    "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'",
  )
  expect(tables.map((table) => table.table_name)).toContain('workflow_runs')
})

test('what one suite writes, no other sees', async () => {
  await query(mine.url, 'CREATE TABLE scratch (id int)')
  const tables = await query(other.url, "SELECT 1 FROM information_schema.tables WHERE table_name = 'scratch'")
  expect(tables).toEqual([])
})

test('dropping works while a connection is open', async () => {
  const third = await testDatabase()
  const client = new Client({ connectionString: third.url })
  client.on('error', () => {})
  await client.connect()
  await third.drop()
  await expect(query(third.url, 'SELECT 1')).rejects.toThrow(/does not exist/)
})
