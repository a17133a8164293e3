import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Pool } from 'pg'
import { createDb, createPool, type Db } from '@/db/client'
import { pluginJobs, plugins, pluginTools, pluginWorkflows } from '@/db/schema'
import { testDatabase, type TestDatabase } from '@/db/testing/database'
import { type Catalogue, publishCatalogue } from './catalogue'

let database: TestDatabase
let pool: Pool
let db: Db
beforeAll(async () => {
  database = await testDatabase()
  pool = createPool(database.url)
  db = createDb(pool)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(async () => await publishCatalogue(db, { plugins: [], tools: [], jobs: [], workflows: [] }))

const plugin = (id: string, error: string | null = null) => ({
  id,
  title: id,
  version: '1',
  description: 'd',
  status: error === null ? ('loaded' as const) : ('failed' as const),
  error,
})
const tool = (pluginId: string, name: string, title = name) => ({
  name,
  pluginId,
  title,
  description: 'd',
  effect: 'read' as const,
  inputSchema: { type: 'object', z: 1, a: 2 },
  outputSchema: {},
})
const job = (pluginId: string, kind: string, title = kind) => {
  const { name: _, ...rest } = tool(pluginId, kind, title)
  return { kind, ...rest }
}
const workflow = (pluginId: string, slug: string, hash = 'h') => ({ pluginId, slug, spec: '{"z":1,"a":2}', hash })

async function stored(): Promise<Catalogue> {
  const found = await db.select().from(plugins).orderBy(plugins.id)
  return {
    plugins: found.map(({ id, title, version, description, status, error }) => ({ id, title, version, description, status, error })),
    tools: await db.select().from(pluginTools).orderBy(pluginTools.name),
    jobs: await db.select().from(pluginJobs).orderBy(pluginJobs.kind),
    workflows: await db.select().from(pluginWorkflows).orderBy(pluginWorkflows.slug),
  }
}

const FULL: Catalogue = {
  plugins: [plugin('a'), plugin('b'), plugin('c', 'no licence')],
  tools: [tool('a', 'a.one'), tool('b', 'b.one')],
  jobs: [job('a', 'a.one'), job('b', 'b.one')],
  workflows: [workflow('a', 'first'), workflow('b', 'second')],
}

test('what was loaded is what is stored, however often it is published', async () => {
  await publishCatalogue(db, FULL)
  await publishCatalogue(db, FULL)
  expect(await stored()).toEqual(FULL)
  expect(JSON.stringify((await stored()).tools[0]?.inputSchema)).toBe('{"type":"object","z":1,"a":2}')
})

test('what changed is changed, what vanished is gone, and a tool or a job may move to another plugin', async () => {
  await publishCatalogue(db, FULL)
  const next: Catalogue = {
    plugins: [plugin('b'), plugin('c')],
    tools: [tool('c', 'a.one', 'Moved')],
    jobs: [job('b', 'a.one', 'Moved')],
    workflows: [workflow('b', 'second', 'other'), workflow('c', 'third')],
  }
  await publishCatalogue(db, next)
  expect(await stored()).toEqual(next)
})

test('a plugin that fails now has no tools and no jobs any more', async () => {
  await publishCatalogue(db, FULL)
  const next = { plugins: [plugin('a', 'broke\u0000'), plugin('b')], tools: [tool('b', 'b.one')], jobs: [job('b', 'b.one')], workflows: [] }
  await publishCatalogue(db, next)
  expect(await stored()).toEqual({ ...next, plugins: [plugin('a', 'broke\uFFFD'), plugin('b')] })
})

const odd = (end: string): Catalogue => ({
  plugins: [{ ...plugin('a'), title: `A${end}`, version: `1${end}`, description: `d${end}` }, plugin('b')],
  tools: [{ ...tool('a', 'a.one'), title: `One${end}`, description: `d${end}` }],
  jobs: [{ ...job('a', 'a.one'), title: `One${end}`, description: `d${end}` }],
  workflows: [],
})

test('no text of a plugin keeps the others out of the catalogue', async () => {
  await publishCatalogue(db, odd('\u0000'))
  expect(await stored()).toEqual(odd('\uFFFD'))
})

test('many workers that publish at the same moment do not disturb each other', async () => {
  const other: Catalogue = { plugins: [plugin('z')], tools: [tool('z', 'a.one')], jobs: [job('z', 'a.one')], workflows: [] }
  await Promise.all([FULL, other, FULL, other, FULL, FULL].map((catalogue) => publishCatalogue(db, catalogue)))
  expect([FULL, other]).toContainEqual(await stored())
})
