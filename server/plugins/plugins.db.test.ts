import { NOTHING_TO_SCRUB } from '@/server/engine/scrub'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Json } from '@/spec'
import type { Tools } from '@/server/engine/ports'
import { loadPlugins } from './loader'
import type { LoadResult } from './model'
import { createTools } from './registry'
import { pluginDatabase } from './testing/database'

/** The plugins that come with Clew, as a worker runs them. */
let database: Awaited<ReturnType<typeof pluginDatabase>>
let folder: string
let result: LoadResult
let tools: Tools
beforeAll(async () => {
  database = await pluginDatabase()
  // The template is not loaded where it is: a copy under a name of its own is what its README promises.
  folder = await mkdtemp(path.resolve('.tmp', 'plugins-'))
  await cp('plugins', folder, { recursive: true })
  await cp('plugins/_template', path.join(folder, 'my-notes'), { recursive: true })
  const manifest = path.join(folder, 'my-notes/plugin.json')
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('_template', 'my-notes'))
  result = await loadPlugins({ dir: folder, pool: database.ordinary })
  tools = createTools(result.loaded, { pool: database.ordinary })
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await database.close()
})

const [red, blue] = [randomUUID(), randomUUID()]

async function run(team: string, name: string, input: Json, idempotencyKey: string = randomUUID()): Promise<Record<string, Json>> {
  const tool = tools.find(name)
  if (!tool) throw new Error(`no tool ${name}`)
  expect(tool.check(input)).toEqual([])
  const principal = { userId: randomUUID(), teamId: team, locale: 'en' }
  const call = {
    runId: randomUUID(),
    stepId: 's',
    item: -1,
    attempt: 1,
    idempotencyKey,
    principal,
    signal: new AbortController().signal,
    scrub: NOTHING_TO_SCRUB,
  }
  const { output, flag } = await tool.run(call, input)
  expect(flag).toBeUndefined()
  return output as Record<string, Json>
}

test('all of them load, the template too once it is copied', () => {
  expect(result.failed).toEqual([])
  expect(result.loaded.map(({ id, workflows }) => [id, workflows.map(({ slug }) => slug)])).toEqual([
    ['core', []],
    ['expense-approval', ['expense-approval']],
    ['my-notes', ['take-a-note']],
  ])
})

test('the ledger writes one entry under one key, however often and however close together it is asked', async () => {
  const key = 'run-1:pay'
  const posts = await Promise.all(Array.from({ length: 5 }, () => run(red, 'ledger.post', { amount: 900.1, memo: 'Chairs' }, key)))
  expect(new Set(posts.map((post) => post.entry_id)).size).toBe(1)
  const { entries, balance } = await run(red, 'ledger.list', {})
  expect(entries).toEqual([{ entry_id: posts[0]?.entry_id, amount: 900.1, memo: 'Chairs', reverses: null, at: expect.any(String) }])
  expect(balance).toBe(900.1)
})

test('an entry is reversed once, whatever the key', async () => {
  const team = randomUUID()
  const { entry_id: entry } = await run(team, 'ledger.post', { amount: 20, memo: 'Lunch' })
  const reversals = await Promise.all(['k1', 'k1', 'k2'].map((key) => run(team, 'ledger.reverse', { entry: entry ?? null }, key)))
  expect(new Set(reversals.map((reversal) => reversal.entry_id)).size).toBe(1)
  const { entries, balance } = await run(team, 'ledger.list', {})
  expect(entries).toMatchObject([
    { amount: -20, memo: 'Reversal: Lunch', reverses: entry },
    { amount: 20, reverses: null },
  ])
  expect(balance).toBe(0)
})

test("two teams never meet in the ledger: same keys, each other's entries", async () => {
  const key = 'run-9:pay'
  const mine = await run(red, 'ledger.post', { amount: 1, memo: 'red' }, key)
  const theirs = await run(blue, 'ledger.post', { amount: 2, memo: 'blue' }, key)
  expect(mine.entry_id).not.toBe(theirs.entry_id)
  await expect(run(blue, 'ledger.reverse', { entry: mine.entry_id ?? null })).rejects.toMatchObject({
    name: 'FatalError',
    message: expect.stringContaining('There is no entry'),
  })
  expect((await run(blue, 'ledger.list', {})).entries).toMatchObject([{ memo: 'blue' }])
})

test('the notes of the template are added once under one key, and counted by team', async () => {
  expect(await run(red, 'note.add', { text: 'milk' }, 'k')).toEqual({ notes: 1 })
  expect(await run(red, 'note.add', { text: 'milk' }, 'k')).toEqual({ notes: 1 })
  expect(await run(red, 'note.add', { text: 'bread' }, 'l')).toEqual({ notes: 2 })
  expect(await run(blue, 'note.add', { text: 'milk' }, 'k')).toEqual({ notes: 1 })
})
