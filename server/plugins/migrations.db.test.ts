import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createPool } from '@/db/client'
import { loadPlugins } from './loader'
import { pluginDatabase } from './testing/database'
import { manifest, pluginsFolder, toolsSource, writePlugin } from './testing/folder'

let database: Awaited<ReturnType<typeof pluginDatabase>>
beforeAll(async () => {
  database = await pluginDatabase()
})
afterAll(async () => await database.close())

let folder: Awaited<ReturnType<typeof pluginsFolder>> | undefined
let count = 0
let id = ''
afterEach(async () => await folder?.remove())

const TABLE = 'CREATE TABLE things (team_id uuid NOT NULL, id int)'

/** A plugin of a name of its own with these migrations, beside one that is good. */
async function plugin(migrations: Record<string, string>): Promise<void> {
  count += 1
  id = `test-${count}`
  const files = Object.fromEntries(Object.entries(migrations).map(([name, sql]) => [`${id}/migrations/${name}`, sql]))
  folder = await pluginsFolder({
    ...files,
    [`${id}/plugin.json`]: manifest(id),
    'zz-good/plugin.json': manifest('zz-good'),
    'zz-good/index.ts': toolsSource('good.tool'),
  })
}

const load = (pool = database.ordinary) => loadPlugins({ dir: folder?.dir ?? '', pool })

async function failure(): Promise<string | undefined> {
  const { loaded, failed } = await load()
  expect(loaded.map((plugin) => plugin.id)).toEqual(['zz-good'])
  return failed[0]?.error
}

const applied = async () =>
  (await database.ordinary.query('SELECT file FROM clew_plugins.migrations WHERE plugin_id = $1 ORDER BY file', [id])).rows.map(
    (row: { file: string }) => row.file,
  )
const schemas = async () =>
  (await database.ordinary.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [`plugin_${id.replace('-', '_')}`])).rowCount

test('each migration is applied once, in a schema of the plugin', async () => {
  await plugin({ '001_things.sql': TABLE, '002_row.sql': 'ALTER TABLE things ADD note text; CREATE INDEX ON things (team_id)' })
  const schema = `plugin_${id.replace('-', '_')}`
  expect((await load()).loaded.find((plugin) => plugin.id === id)?.tables).toEqual({ schema, role: 'clew' })
  await writePlugin(folder?.dir ?? '', `${id}/migrations/003_more.sql`, 'CREATE TABLE more (team_id uuid NOT NULL)')
  expect((await load()).failed).toEqual([])
  expect(await applied()).toEqual(['001_things.sql', '002_row.sql', '003_more.sql'])
  const { rows } = await database.ordinary.query(
    'SELECT relname, relrowsecurity AND relforcerowsecurity AS forced FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = $2 ORDER BY 1',
    [schema, 'r'],
  )
  expect(rows).toEqual([
    { relname: 'more', forced: true },
    { relname: 'things', forced: true },
  ])
})

test('workers that start at the same moment apply a migration once, and all come up', async () => {
  await plugin({ '001_things.sql': TABLE })
  const pools = Array.from({ length: 4 }, () => createPool(database.url, { max: 2 }))
  const results = await Promise.all(pools.map((pool) => load(pool)))
  await Promise.all(pools.map((pool) => pool.end()))
  expect(results.map(({ failed }) => failed)).toEqual([[], [], [], []])
  expect(await applied()).toEqual(['001_things.sql'])
})

test('a file that was changed after it had been applied is an error that names it; other line ends are no change', async () => {
  await plugin({ '001_things.sql': `${TABLE};\n-- end\n` })
  await load()
  await writePlugin(folder?.dir ?? '', `${id}/migrations/001_things.sql`, `${TABLE};\r\n-- end\r\n`)
  expect((await load()).failed).toEqual([])
  await writePlugin(folder?.dir ?? '', `${id}/migrations/001_things.sql`, `${TABLE};\n-- other\n`)
  expect(await failure()).toMatch(/^migrations\/001_things.sql was changed after/)
})

test('history cannot be rewritten: a file that is gone, or a new one before an applied one', async () => {
  await plugin({ '002_things.sql': TABLE })
  await load()
  await writePlugin(folder?.dir ?? '', `${id}/migrations/001_before.sql`, 'SELECT 1')
  expect(await failure()).toMatch(/^migrations\/001_before.sql is new but comes before 002_things.sql/)
  const sameId = id
  await folder?.remove()
  folder = await pluginsFolder({ [`${sameId}/plugin.json`]: manifest(sameId), [`${sameId}/migrations/001_before.sql`]: 'SELECT 1' })
  expect((await load()).failed[0]?.error).toMatch(/^migrations\/002_things.sql was applied to this database and is gone/)
})

test.each([
  ['without team_id', 'CREATE TABLE bare (id int)', /the table bare needs a column "team_id uuid NOT NULL"/],
  ['with a team_id that may be null', 'CREATE TABLE bare (team_id uuid)', /the table bare needs a column/],
  ['with a team_id of another type', 'CREATE TABLE bare (team_id text NOT NULL)', /the table bare needs a column/],
  ['with a policy of its own', `${TABLE}; CREATE POLICY all_rows ON things USING (true)`, /policies of its own \(all_rows\)/],
  ['as a materialized view', `${TABLE}; CREATE MATERIALIZED VIEW copy AS SELECT * FROM things`, /copy is a materialized view/],
])('a table %s is refused, and nothing of the plugin stays', async (_what, sql, reason) => {
  await plugin({ '001_a.sql': sql })
  expect(await failure()).toMatch(reason)
  expect(await applied()).toEqual([])
  expect(await schemas()).toBe(0)
})

test('a statement that fails is named with its file and line, and nothing before it stays', async () => {
  await plugin({ '001_things.sql': TABLE, '002_wrong.sql': 'SELECT 1;\n\nALTER TABLE nothing ADD x int' })
  expect(await failure()).toMatch(/^migrations\/002_wrong.sql.*nothing/)
  expect(await schemas()).toBe(0)
})

test('a syntax error is named with its line', async () => {
  await plugin({ '001_wrong.sql': 'SELECT 1;\n\nCREATE TABEL x ()' })
  expect(await failure()).toMatch(/^migrations\/001_wrong.sql:3: syntax error/)
})

test('a migration that ends its transaction is refused', async () => {
  await plugin({ '001_things.sql': `BEGIN; ${TABLE}; COMMIT` })
  expect(await failure()).toMatch(/^migrations\/001_things.sql ends its transaction/)
})

test("an unqualified name never reaches the application's tables", async () => {
  await plugin({ '001_things.sql': 'DROP TABLE workflow_runs' })
  expect(await failure()).toMatch(/"workflow_runs" does not exist/)
})

test("a database that cannot be reached is nobody's bad plugin", async () => {
  await plugin({ '001_things.sql': TABLE })
  const nowhere = createPool('postgres://nobody:x@127.0.0.1:1/none')
  await expect(load(nowhere)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  await nowhere.end()
})
