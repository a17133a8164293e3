import { randomUUID } from 'node:crypto'
import { asc, eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Pool } from 'pg'
import { createDb, createPool, type Db } from '@/db/client'
import { orgs, teams, workflowDefs } from '@/db/schema'
import { testDatabase, type TestDatabase } from '@/db/testing/database'
import { publishCatalogue } from './catalogue'
import { materialise } from './materialise'

let database: TestDatabase
let pool: Pool
let db: Db
let team: string
beforeAll(async () => {
  database = await testDatabase()
  pool = createPool(database.url)
  db = createDb(pool)
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})
beforeEach(async () => {
  team = await newTeam()
})

async function newTeam(): Promise<string> {
  const [org, id] = [randomUUID(), randomUUID()]
  await db.insert(orgs).values({ id: org, slug: org, name: 'Org' })
  await db.insert(teams).values({ id, orgId: org, slug: id, name: 'Team' })
  return id
}

/** The plugins bring one workflow, with this content; null: none any more. */
const bring = (hash: string | null, pluginId = 'expense-approval') =>
  publishCatalogue(db, {
    plugins: [{ id: pluginId, title: 'P', version: '1', description: 'd', status: 'loaded' }],
    tools: [],
    jobs: [],
    workflows: hash === null ? [] : [{ pluginId, slug: 'expense', spec: `{"z":"${hash}","a":1}`, hash }],
  })

const own = (version: number) =>
  db.insert(workflowDefs).values({ id: randomUUID(), teamId: team, slug: 'expense', version, source: 'db', spec: '{}', hash: 'own' })

const stored = (teamId = team) =>
  db
    .select({
      version: workflowDefs.version,
      source: workflowDefs.source,
      hash: workflowDefs.hash,
      spec: workflowDefs.spec,
      status: workflowDefs.status,
    })
    .from(workflowDefs)
    .where(eq(workflowDefs.teamId, teamId))
    .orderBy(asc(workflowDefs.version))

const version = (version: number, hash: string, status = 'active') => ({
  version,
  source: 'plugin:expense-approval',
  hash,
  spec: `{"z":"${hash}","a":1}`,
  status,
})

test('the first look copies, byte for byte; the next ones find nothing to do', async () => {
  await bring('h1')
  expect(await materialise(db, team)).toEqual([{ slug: 'expense', version: 1 }])
  expect(await materialise(db, team)).toEqual([])
  expect(await stored()).toEqual([version(1, 'h1')])
})

test('a changed spec becomes a new version, and a change back one more', async () => {
  for (const hash of ['h1', 'h2', 'h1']) {
    await bring(hash)
    await materialise(db, team)
  }
  expect(await stored()).toEqual([version(1, 'h1'), version(2, 'h2'), version(3, 'h1')])
})

test("the team's own versions are counted and left alone", async () => {
  await bring('h1')
  await materialise(db, team)
  await own(2)
  expect(await materialise(db, team)).toEqual([])
  await bring('h2')
  expect(await materialise(db, team)).toEqual([{ slug: 'expense', version: 3 }])
  expect((await stored()).map(({ source }) => source)).toEqual(['plugin:expense-approval', 'db', 'plugin:expense-approval'])
})

test('looks at the same moment create no duplicates', async () => {
  for (const hash of ['h1', 'h2']) {
    await bring(hash)
    const added = await Promise.all(Array.from({ length: 8 }, () => materialise(db, team)))
    expect(added.flat()).toHaveLength(1)
  }
  expect(await stored()).toEqual([version(1, 'h1'), version(2, 'h2')])
})

test('a look while somebody publishes the same number adds nothing, and the next one does', async () => {
  await bring('h1')
  const client = await pool.connect()
  await client.query('BEGIN')
  await createDb(client as unknown as Pool)
    .insert(workflowDefs)
    .values({ id: randomUUID(), teamId: team, slug: 'expense', version: 1, source: 'db', spec: '{}', hash: 'own' })
  const look = materialise(db, team)
  await client.query('COMMIT')
  client.release()
  await look
  await materialise(db, team)
  expect((await stored()).map(({ version, source }) => [version, source])).toEqual([
    [1, 'db'],
    [2, 'plugin:expense-approval'],
  ])
})

test('what the team archived stays archived', async () => {
  await bring('h1')
  await materialise(db, team)
  await db.update(workflowDefs).set({ status: 'archived' }).where(eq(workflowDefs.teamId, team))
  await bring('h2')
  await materialise(db, team)
  expect(await stored()).toEqual([version(1, 'h1', 'archived'), version(2, 'h2', 'archived')])
})

test('what a plugin no longer brings stays as it is; other teams get it when they look', async () => {
  await bring('h1')
  await materialise(db, team)
  const late = await newTeam()
  expect(await stored(late)).toEqual([])
  await materialise(db, late)
  await bring(null)
  expect(await materialise(db, team)).toEqual([])
  expect(await stored()).toEqual([version(1, 'h1')])
  expect(await stored(late)).toEqual([version(1, 'h1')])
})

test('a look that finds nothing new writes nothing: it works in a read-only transaction of one statement', async () => {
  await bring('h1')
  await materialise(db, team)
  const before = await db.execute(`SELECT count(*) FROM workflow_defs`)
  let statements = 0
  const counted = { execute: ((query: Parameters<Db['execute']>[0]) => ((statements += 1), db.execute(query))) as Db['execute'] }
  expect(await materialise(counted, team)).toEqual([])
  expect(statements).toBe(1)
  expect((await db.execute(`SELECT count(*) FROM workflow_defs`)).rows).toEqual(before.rows)
})
