import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPool } from '@/db/client'
import { migratePlugin } from './migrations'
import type { PluginTables } from './model'
import { teamDb } from './team-db'
import { pluginDatabase } from './testing/database'

const SQL = `
CREATE TABLE notes (
  team_id uuid NOT NULL DEFAULT current_setting('clew.team_id')::uuid, id int NOT NULL, text text NOT NULL DEFAULT 'x', doc json, PRIMARY KEY (team_id, id)
);
CREATE TABLE parted (team_id uuid NOT NULL, id int NOT NULL) PARTITION BY RANGE (id);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (0) TO (100);
CREATE VIEW all_notes AS SELECT * FROM notes;
CREATE FUNCTION note_count() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM notes';
`

let database: Awaited<ReturnType<typeof pluginDatabase>>
beforeAll(async () => {
  database = await pluginDatabase()
})
afterAll(async () => await database.close())

const never = new AbortController().signal

describe.each(['ordinary', 'superuser'] as const)('with an application role that is %s', (kind) => {
  let pool: Pool
  let tables: PluginTables
  const [red, blue] = [randomUUID(), randomUUID()]
  const as = (team: string) => teamDb(pool, tables, team, never)

  beforeAll(async () => {
    pool = database[kind]
    tables = await migratePlugin(pool, `notes-${kind}`, [{ name: '001_notes.sql', sql: SQL, checksum: 'x' }])
    await as(red).query("INSERT INTO notes (id, text) VALUES (1, 'red one'), (2, 'red two')")
    await as(blue).query("INSERT INTO notes (id, text) VALUES (1, 'blue one')")
    await as(red).query('INSERT INTO parted (team_id, id) VALUES ($1, 1)', [red])
  })

  test('the role that owns the tables is bound by row-level security', async () => {
    const { rows } = await pool.query('SELECT rolsuper OR rolbypassrls AS free FROM pg_roles WHERE rolname = $1', [tables.role])
    expect(rows).toEqual([{ free: false }])
    expect(tables.role).toBe(kind === 'ordinary' ? 'clew' : 'clew_plugins')
  })

  test('a team reads its own rows and no others', async () => {
    expect(await as(red).query('SELECT text FROM notes ORDER BY id')).toEqual([{ text: 'red one' }, { text: 'red two' }])
    expect(await as(blue).query('SELECT text FROM notes')).toEqual([{ text: 'blue one' }])
    expect(await as(blue).query('SELECT text FROM notes WHERE team_id = $1', [red])).toEqual([])
    expect(await as(randomUUID()).query('SELECT * FROM notes')).toEqual([])
  })

  test('neither a view, a partition nor a function shows more', async () => {
    expect(await as(blue).query('SELECT text FROM all_notes')).toEqual([{ text: 'blue one' }])
    expect(await as(blue).query('SELECT note_count()::int AS n')).toEqual([{ n: 1 }])
    expect(await as(blue).query('SELECT id FROM parted UNION ALL SELECT id FROM parted_low')).toEqual([])
    expect(await as(red).query('SELECT id FROM parted_low')).toEqual([{ id: 1 }])
  })

  test("inserting with another team's id is refused", async () => {
    await expect(as(blue).query('INSERT INTO notes (team_id, id) VALUES ($1, 9)', [red])).rejects.toThrow(/row-level security/)
    await expect(as(blue).query('INSERT INTO parted_low (team_id, id) VALUES ($1, 9)', [red])).rejects.toThrow(/row-level security/)
  })

  test("updating reaches no other team's rows, and cannot give a row away", async () => {
    expect(await as(blue).query("UPDATE notes SET text = 'taken' WHERE team_id = $1 RETURNING id", [red])).toEqual([])
    await expect(as(blue).query('UPDATE notes SET team_id = $1', [red])).rejects.toThrow(/row-level security/)
    expect(await as(red).query('SELECT text FROM notes ORDER BY id')).toEqual([{ text: 'red one' }, { text: 'red two' }])
  })

  test("deleting reaches no other team's rows, and TRUNCATE none at all", async () => {
    const green = randomUUID()
    await as(green).query('INSERT INTO notes (id) VALUES (1)')
    expect(await as(green).query('DELETE FROM notes RETURNING id')).toEqual([{ id: 1 }])
    await expect(as(green).query('TRUNCATE notes')).rejects.toThrow(/permission denied/)
    expect(await as(red).query('SELECT count(*)::int AS n FROM notes')).toEqual([{ n: 2 }])
  })

  test('outside a call, without a team, there is nothing to see', async () => {
    const client = await pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`SET LOCAL ROLE ${tables.role}`)
      await expect(client.query(`SELECT * FROM ${tables.schema}.notes`)).rejects.toThrow(/clew.team_id|uuid/)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  test("the application's tables are out of reach by their names", async () => {
    await expect(as(red).query('SELECT * FROM users')).rejects.toThrow(/"users" does not exist/)
  })

  test('one statement a call: a second one, after a COMMIT, is refused', async () => {
    await expect(as(blue).query('COMMIT; SELECT * FROM notes')).rejects.toThrow(/multiple commands/)
  })

  test('what a statement leaves in the session does not reach the next call', async () => {
    const single = createPool(pool.options.connectionString ?? '', { max: 1 })
    const on = (team: string) => teamDb(single, tables, team, never)
    await on(blue).query(`SET SESSION clew.team_id = '${red}'`)
    await on(blue).query('SET SESSION search_path = public')
    await on(blue)
      .query('CREATE TEMP TABLE notes AS SELECT 1 AS id')
      .catch(() => {})
    expect(await on(blue).query('SELECT text FROM notes')).toEqual([{ text: 'blue one' }])
    await single.end()
  })

  test('a statement that fails leaves nothing, and the next one works', async () => {
    await expect(as(red).query('INSERT INTO notes (id) VALUES (5), (5)')).rejects.toThrow(/duplicate key/)
    expect(await as(red).query('SELECT id FROM notes WHERE id = 5')).toEqual([])
  })

  test('json comes back parsed', async () => {
    expect(await as(red).query('UPDATE notes SET doc = $1 WHERE id = 1 RETURNING doc', ['{"a":[1]}'])).toEqual([{ doc: { a: [1] } }])
  })
})

test('a schema stays with its owner when the application comes back as superuser', async () => {
  const files = [{ name: '001_notes.sql', sql: SQL, checksum: 'x' }]
  const before = await migratePlugin(database.ordinary, 'moved', files)
  const team = randomUUID()
  await teamDb(database.ordinary, before, team, never).query('INSERT INTO notes (id) VALUES (1)')
  const after = await migratePlugin(database.superuser, 'moved', files)
  expect(after).toEqual(before)
  expect(await teamDb(database.superuser, after, team, never).query('SELECT id FROM notes')).toEqual([{ id: 1 }])
  expect(await teamDb(database.superuser, after, randomUUID(), never).query('SELECT id FROM notes')).toEqual([])
})

test('a database that cannot be reached is a transient failure', async () => {
  const nowhere = createPool('postgres://nobody:x@127.0.0.1:1/none')
  const db = teamDb(nowhere, { schema: 'plugin_x', role: 'x' }, randomUUID(), never)
  await expect(db.query('SELECT 1')).rejects.toMatchObject({ name: 'TransientError' })
  await nowhere.end()
})

test('after an abort nothing is asked any more', async () => {
  const db = teamDb(database.ordinary, { schema: 'plugin_x', role: 'clew' }, randomUUID(), AbortSignal.abort())
  await expect(db.query('SELECT 1')).rejects.toMatchObject({ name: 'AbortError' })
})
