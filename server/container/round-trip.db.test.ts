import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { throughBuilder, buildable } from '@/sdk/workflow/testing/rewrite'
import { compilePlan } from '@/server/engine/plan'
import { createTestEngine, testTool } from '@/server/engine/testing'
import { loadWorkflows } from '@/server/plugins/workflows'
import { openOffice, type Office } from '@/server/services/testing/office'
import { publishWorkflow } from '@/server/services/workflows/publish'
import { publishCatalogue } from '@/server/store/postgres/catalogue'
import { Definitions } from '@/server/store/postgres/definitions'
import { materialise } from '@/server/store/postgres/materialise'
import { toolOf, validateWorkflow, type Json, type WorkflowSpec } from '@/spec'
import { casesOf } from '@/spec/conformance/cases'
import { arbitrarySpec } from '@/spec/testing/arbitrary-spec'

/*
 * The gate of the contract: whichever way a document comes in (the API, a plugin's file, the builder), what is stored, loaded, compiled and
 * run is the document that its author wrote.
 */

let office: Office
beforeAll(async () => void (office = await openOffice()))
afterAll(() => office.close())

/** Every valid document of the kit, and random ones; each under a slug of its own. */
const kit = casesOf<{ document?: Json }>('valid').flatMap(({ document }) =>
  document === undefined ? [] : [document as unknown as WorkflowSpec],
)
const random = fc.sample(arbitrarySpec({ maxSteps: 20 }), 30)
const documents = [...kit, ...random].map((document, i) => buildable({ ...document, slug: `w-${i}` }))

type Loaded = { slug: string; version: number; spec: string; hash: string }

/** What the store gives for each document, by its place in `documents`. */
async function stored(teamId: string): Promise<Loaded[]> {
  const { rows } = await office.pool.query<{ id: string; hash: string }>(
    `SELECT id, hash FROM workflow_defs WHERE team_id = $1 AND slug ~ '^w-[0-9]+$' ORDER BY substr(slug, 3)::int, version`,
    [teamId],
  )
  const definitions = new Definitions()
  const loaded: Loaded[] = []
  for (const { id, hash } of rows) {
    const definition = await definitions.get(office.db, id)
    if (definition) loaded.push({ ...definition, hash })
  }
  return loaded
}

async function teamOf(slug: string): Promise<string> {
  const { rows } = await office.pool.query<{ id: string }>('SELECT id FROM teams WHERE slug = $1', [slug])
  return rows[0]?.id ?? ''
}

function expectUnchanged(loaded: Loaded[]): void {
  expect(loaded).toHaveLength(documents.length)
  for (const [i, document] of documents.entries()) {
    const written = validateWorkflow(document)
    if (!written.ok) throw new Error(`document ${i} is not valid`)
    const one = loaded[i]
    expect({ spec: one?.spec, hash: one?.hash }, `document ${i}`).toEqual({ spec: written.canonical, hash: written.hash })
    const [before, after] = [document, JSON.parse(one?.spec ?? '') as WorkflowSpec].map((spec) =>
      compilePlan({ id: '', spec: JSON.stringify(spec) }),
    )
    expect(after?.graph.entries, `the edges of document ${i}`).toEqual(before?.graph.entries)
    expect(after?.graph.ancestors, `the ancestors in document ${i}`).toEqual(before?.graph.ancestors)
  }
}

test('through the API', async () => {
  const eli = await office.as('eli')
  for (const document of documents) await publishWorkflow(eli, { team: 'finance', source: JSON.stringify(document, null, 2) })
  // The same once more, in another order of members and with other white space, is no new version.
  for (const document of documents) {
    const again = Object.fromEntries(Object.entries(document).toReversed())
    expect(await publishWorkflow(eli, { team: 'finance', source: JSON.stringify(again) })).toMatchObject({ version: 1, created: false })
  }
  expectUnchanged(await stored(await teamOf('finance')))
})

test('through the files of a plugin, and through the builder', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-round-trip-'))
  try {
    fs.mkdirSync(path.join(folder, 'workflows'))
    for (const document of documents)
      fs.writeFileSync(path.join(folder, 'workflows', `${document.slug}.json`), JSON.stringify(document, null, 2))
    const byFile = await loadWorkflows(folder, [])
    const built = await loadWorkflows(path.join(folder, 'none'), documents.map(throughBuilder))
    const order = (list: typeof built) => [...list].sort((a, b) => (a.slug < b.slug ? -1 : 1))
    expect(order(built)).toEqual(order(byFile))
    await publishCatalogue(office.db, {
      plugins: [{ id: 'gate', title: 'Gate', version: '1', description: 'd', status: 'loaded' }],
      tools: [],
      jobs: [],
      workflows: built.map(({ slug, spec, hash }) => ({ slug, spec, hash, pluginId: 'gate' })),
    })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
  const logistics = await teamOf('logistics')
  await materialise(office.db, logistics)
  expectUnchanged(await stored(logistics))
})

test('and it runs as what its author wrote does', async () => {
  const loaded = await stored(await teamOf('finance'))
  let finished = 0
  for (const [i, document] of documents.entries()) {
    const after = await play(JSON.parse(loaded[i]?.spec ?? '') as WorkflowSpec)
    expect(after, `document ${i}`).toEqual(await play(document))
    if (after.status === 'succeeded') finished++
  }
  // Were every document refused at its start, this would prove nothing.
  expect(finished).toBeGreaterThan(documents.length / 4)
})

/** A run in which every call answers with its input, everybody approves and no time is short. */
async function play(spec: WorkflowSpec) {
  const names = new Set([...JSON.stringify(spec).matchAll(/"uses":"(tool:[^"]+)"/g)].map((match) => toolOf({ uses: match[1] ?? '' })))
  const t = createTestEngine({ tools: [...names].map((name) => testTool(name, (input) => ({ x: [1, 2], input }))), workflows: [spec] })
  const input = Object.fromEntries(
    Object.entries(spec.input ?? {}).flatMap(([name, { type }]) => (type in VALUES ? [[name, VALUES[type]]] : [])),
  )
  const runId = await t.start(spec.slug, input as Record<string, Json>).catch((error: Error) => error.message)
  if (!/^[0-9a-f-]{36}$/.test(runId)) return { status: 'refused', why: runId }
  await t.settle()
  for (let gates = 0; gates < 600 && t.run(runId).gates.some(({ status }) => status === 'open'); gates++) {
    const answer = await t.resolveGate(runId, { decision: 'approve', ...(gates % 2 === 0 ? {} : { userId: randomUUID() }) })
    if (!answer.ok) await t.advanceTime(8_000_000_000)
  }
  const { status, output, error, steps } = t.run(runId)
  return { status, output, error, steps: [...steps].sort(([a], [b]) => (a < b ? -1 : 1)) }
}

const VALUES = { string: 'text', number: 7, integer: 7, boolean: true, array: [1, 2, 3], object: {} }
