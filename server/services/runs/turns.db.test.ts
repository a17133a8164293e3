import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ModelReply } from '@/server/engine/ports'
import { openWorld, type PersonName, type World } from '../../auth/testing/world'
import { createPostgresStore } from '../../store/postgres/store'
import { testEngine } from '../../store/postgres/testing/engine'
import { createTestQueue } from '../../store/postgres/testing/harness'
import type { Ctx } from '../context'
import { refusal } from '../testing/office'
import { publishWorkflow } from '../workflows/publish'
import { getRun } from './get'
import { listItems } from './items'
import { startRun } from './start'
import { listTurns } from './turns'

const team = 'finance'
const CANARY = 'canary-in-a-conversation'
const REPLIES: ModelReply[] = [
  {
    text: `${CANARY} thinks`,
    calls: [
      { tool: 'bank.read', input: { q: CANARY } },
      { tool: `bank.${CANARY}`, input: {} },
      { tool: 'bank.fail.read', input: {} },
    ],
  },
  { text: `${CANARY} answers`, calls: [] },
]

/** As much as a step may keep: exactly 1 MiB of JSON text. */
const LARGE = 'x'.repeat(1024 * 1024 - 2)

const spec = (slug: string, steps: object[]) => JSON.stringify({ spec: 1, slug, title: 'Flow', steps })
const AGENT = { uses: 'agent', goal: CANARY, tools: ['bank.read', 'bank.fail.read'] }

const reply = ({ about }: { about: { turn: number } }) => Promise.resolve(REPLIES[about.turn - 1]!)

let world: World
let queue: ReturnType<typeof createTestQueue>
let engine: Ctx['engine'] & Pick<ReturnType<typeof testEngine>, 'perform'>
const as = async (name: PersonName): Promise<Ctx> => ({ db: world.db, engine, principal: await world.as(name), channel: 'web' })

beforeAll(async () => {
  world = await openWorld()
  queue = createTestQueue(world.url)
  engine = testEngine(
    { store: createPostgresStore(world.db, queue), queue, newId: randomUUID },
    ({ stepId, item }, input) =>
      JSON.stringify(input) === '{}' || item === 1
        ? Promise.reject(Object.assign(new Error(CANARY), { name: 'FatalError' }))
        : Promise.resolve({ output: stepId === 'large' ? LARGE : { [stepId]: CANARY } }),
    { models: { reply } },
  )
})
afterAll(async () => {
  await queue.close()
  await world.close()
})

async function run(slug: string): Promise<string> {
  const { id } = await startRun(await as('tom'), { team, slug, input: {} })
  for (let jobs = await fetchAll(); jobs.length > 0; jobs = await fetchAll()) {
    for (const job of jobs) await engine.perform(job)
    await queue.complete(jobs.map((job) => job.id))
  }
  return id
}
const fetchAll = async () => [...(await queue.fetch(20)), ...(await queue.fetch(20, 'flow.agent'))]

it('shows what an agent said and called to the team, and to others of the org only how many turns and which tools of the document', async () => {
  await publishWorkflow(await as('eli'), { team, source: spec('talk', [{ id: 'talk', after: [], ...AGENT }]) })
  const id = await run('talk')
  const [tom, olga, sam] = [await as('tom'), await as('olga'), await as('sam')]
  expect((await getRun(tom, { team, id })).steps).toMatchObject([{ id: 'talk', status: 'succeeded', turns: 2 }])
  expect(await listTurns(tom, { team, id, stepId: 'talk', item: -1 })).toMatchObject({
    view: 'data',
    turns: [
      {
        turn: 1,
        text: `${CANARY} thinks`,
        calls: [
          { tool: 'bank.read', status: 'succeeded', input: { q: CANARY }, output: { talk: CANARY } },
          { tool: `bank.${CANARY}`, status: 'failed', errorCode: 'denied' },
          { tool: 'bank.fail.read', status: 'failed', errorMessage: CANARY },
        ],
      },
      { turn: 2, text: `${CANARY} answers`, calls: [] },
    ],
  })
  const shape = await listTurns(olga, { team, id, stepId: 'talk', item: -1 })
  expect(shape).toMatchObject({
    view: 'shape',
    turns: [
      {
        calls: [
          { tool: 'bank.read', status: 'succeeded' },
          { tool: null, status: 'failed' },
          { tool: 'bank.fail.read', status: 'failed' },
        ],
      },
      { calls: [] },
    ],
  })
  expect(JSON.stringify(shape)).not.toContain(CANARY)
  expect(await refusal(listTurns(sam, { team, id, stepId: 'talk', item: -1 }))).toMatchObject({ code: 'not_found' })
  expect(await refusal(listTurns(tom, { team, id, stepId: 'none', item: -1 }))).toMatchObject({ code: 'not_found' })
})

it('lists the items of a map with the runs that they started, page by page; others of the org see their shape', async () => {
  const step = { id: 'go', after: [], uses: 'tool:bank.write', with: { memo: CANARY } }
  await publishWorkflow(await as('eli'), { team, source: spec('small', [step]) })
  const each = { id: 'each', after: [], uses: 'map', over: [1, 2, 3], do: { uses: 'workflow:small' } }
  const call = { id: 'call', after: [], uses: 'map', over: [1, 2], tolerate: 1, do: { uses: 'tool:bank.write', with: { n: '${item}' } } }
  const talk = { id: 'talk', after: [], uses: 'map', over: [1], do: AGENT }
  await publishWorkflow(await as('eli'), { team, source: spec('many', [each, call, talk]) })
  const id = await run('many')
  const [tom, olga] = [await as('tom'), await as('olga')]
  const items = (ctx: Ctx, stepId: string, after = -1, limit = 2) => listItems(ctx, { team, id, stepId, after, limit })

  const first = await items(tom, 'each')
  expect(first.rows.map(({ item, child }) => [item, child?.status])).toEqual([
    [0, 'succeeded'],
    [1, 'succeeded'],
  ])
  expect((await items(tom, 'each', 1)).rows.map(({ item }) => item)).toEqual([2])
  expect(await getRun(tom, { team, id: first.rows[0]?.child?.id ?? '' })).toMatchObject({ parent: { id }, status: 'succeeded' })
  expect(await items(tom, 'call')).toMatchObject({
    view: 'data',
    rows: [
      { status: 'succeeded', input: { n: 1 }, output: { call: CANARY } },
      { status: 'failed', errorMessage: CANARY },
    ],
  })
  expect(await listTurns(tom, { team, id, stepId: 'talk', item: 0 })).toMatchObject({ view: 'data', turns: [{ turn: 1 }, { turn: 2 }] })
  for (const stepId of ['each', 'call', 'talk']) {
    const shape = await items(olga, stepId)
    expect(shape).toMatchObject({ view: 'shape', rows: [{ item: 0, status: 'succeeded' }, ...(stepId === 'talk' ? [] : [{ item: 1 }])] })
    expect(JSON.stringify(shape)).not.toContain(CANARY)
  }
  expect(await refusal(listItems(await as('sam'), { team, id, stepId: 'each', after: -1, limit: 2 }))).toMatchObject({ code: 'not_found' })
})

it('says of what is too large for an answer that it is left out, and how large it is, to whoever may read data', async () => {
  const call = { uses: 'tool:bank.write', with: { n: 1 } }
  const large = { id: 'large', after: [], ...call }
  const each = { id: 'each', after: [], uses: 'map', over: [1], do: call }
  await publishWorkflow(await as('eli'), { team, source: spec('heavy', [large, each, { id: 'talk', after: [], ...AGENT }]) })
  const id = await run('heavy')
  const size = LARGE.length + 2
  const enlarge = `UPDATE workflow_steps SET output = $2::json WHERE run_id = $1 AND (step_id = 'each' AND item = 0 OR call IN ('t1.1', 't2'))`
  await world.pool.query(enlarge, [id, JSON.stringify(LARGE)])

  const [tom, olga] = [await as('tom'), await as('olga')]
  const left = { output: null, outputOmitted: size, inputOmitted: null, input: { n: 1 } }
  const [step, map] = (await getRun(tom, { team, id })).steps
  expect(step).toMatchObject({ ...left, flag: null, status: 'succeeded' })
  expect(map).toMatchObject({ output: { failed: [] }, inputOmitted: null, outputOmitted: null })
  expect((await listItems(tom, { team, id, stepId: 'each', after: -1, limit: 1 })).rows).toMatchObject([left])
  expect((await listTurns(tom, { team, id, stepId: 'talk', item: -1 })).turns).toMatchObject([
    { omitted: null, calls: [{ ...left, input: { q: CANARY } }, { outputOmitted: null }, {}] },
    { text: null, omitted: size },
  ])
  expect(JSON.stringify(await getRun(olga, { team, id }))).not.toContain('mitted')
})
