import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { FatalError } from '@/sdk'
import { createAccess } from '../../auth/access'
import { openWorld, type PersonName, type World } from '../../auth/testing/world'
import { createPostgresStore } from '../../store/postgres/store'
import { testEngine } from '../../store/postgres/testing/engine'
import { createTestQueue } from '../../store/postgres/testing/harness'
import type { Ctx } from '../context'
import { refusal } from '../testing/office'
import { publishWorkflow } from '../workflows/publish'
import { getRun } from './get'
import { listItems } from './items'
import { listRuns } from './list'
import { startRun } from './start'

const team = 'finance'
const CANARY = 'canary words'
let world: World
let queue: ReturnType<typeof createTestQueue>
let engine: Ctx['engine'] & Pick<ReturnType<typeof testEngine>, 'perform'>
const as = async (name: PersonName): Promise<Ctx> => ({ db: world.db, engine, principal: await world.as(name), channel: 'web' })

const publish = async (slug: string, steps: object[]) =>
  publishWorkflow(await as('eli'), { team, source: JSON.stringify({ spec: 1, slug, title: `Flow ${slug}`, steps }) })

beforeAll(async () => {
  world = await openWorld()
  queue = createTestQueue(world.url)
  const { mayStart } = createAccess(world.db)
  const access = { admit: async () => ({ ok: true as const }), mayStart }
  engine = testEngine(
    { store: createPostgresStore(world.db, queue), queue, newId: randomUUID },
    (_, input) =>
      JSON.stringify(input) === '{"fails":true}' ? Promise.reject(new FatalError('no')) : Promise.resolve({ output: { said: CANARY } }),
    { access },
  )
  await publish('small', [{ id: 'work', uses: 'tool:bank.write', after: [] }])
  await publish('large', [
    { id: 'before', uses: 'tool:bank.write', after: [] },
    { id: 'sub', uses: 'workflow:small', after: ['before'] },
    { id: 'tell', uses: 'tool:bank.write', after: ['sub.failed'] },
  ])
  await publish('strict', [{ id: 'sub', uses: 'workflow:small', after: [] }])
})
afterAll(async () => {
  await queue.close()
  await world.close()
})

async function work(): Promise<void> {
  for (let jobs = await queue.fetch(20); jobs.length > 0; jobs = await queue.fetch(20)) {
    for (const job of jobs) await engine.perform(job)
    await queue.complete(jobs.map(({ id }) => id))
  }
}
const start = async (name: PersonName, slug: string) => (await startRun(await as(name), { team, slug, input: {} })).id
const step = async (ctx: Ctx, id: string, stepId: string) => (await getRun(ctx, { team, id })).steps.find((one) => one.id === stepId)
const membership = (change: string, ...given: string[]) => world.pool.query(change, given)

it('leads from a run to the one it started, and back, for the team; another team and another organisation know of neither', async () => {
  const id = await start('tom', 'large')
  await work()
  const tom = await as('tom')
  const child = (await step(tom, id, 'sub'))?.child?.id ?? ''
  expect(await step(tom, id, 'sub')).toMatchObject({ status: 'succeeded', child: { id: child, status: 'succeeded' } })
  for (const name of ['tom', 'eli', 'mia'] as const) {
    const seen = await getRun(await as(name), { team, id: child })
    expect(seen).toMatchObject({ view: 'data', parent: { id, title: 'Flow large' }, startedBy: { id: world.ids.tom } })
  }
  expect(JSON.stringify(await getRun(tom, { team, id: child }))).toContain(CANARY)
  for (const name of ['lena', 'sam'] as const) {
    const other = await as(name)
    for (const one of [id, child]) {
      expect(await refusal(getRun(other, { team, id: one }))).toMatchObject({ code: 'not_found' })
      for (const own of ['logistics', 'studio'] as const)
        expect(await refusal(getRun(other, { team: own, id: one }))).toMatchObject({ code: 'not_found' })
    }
    expect(JSON.stringify(await listRuns(other, { limit: 100 }))).not.toContain(child)
  }
})

it('shows the organisation’s admin only the shape of a child, with the same way back', async () => {
  const id = await start('tom', 'large')
  await work()
  const olga = await as('olga')
  const child = (await step(olga, id, 'sub'))?.child?.id ?? ''
  const seen = await getRun(olga, { team, id: child })
  expect(seen).toMatchObject({ view: 'shape', status: 'succeeded', parent: { id } })
  expect(JSON.stringify([seen, await getRun(olga, { team, id })])).not.toContain(CANARY)
})

it('asks again when the child starts: who lost the right meanwhile starts none, and the failure takes its way or parks', async () => {
  const followed = await start('mia', 'large')
  const parks = await start('mia', 'strict')
  await membership('DELETE FROM memberships WHERE user_id = $1 AND team_id = $2', world.ids.mia, world.teamIds.finance)
  await work()
  await membership(`INSERT INTO memberships (user_id, team_id, level) VALUES ($1, $2, 'member')`, world.ids.mia, world.teamIds.finance)
  const eli = await as('eli')
  expect(await step(eli, followed, 'sub')).toMatchObject({ status: 'failed', errorCode: 'child_not_started', child: null })
  expect(await getRun(eli, { team, id: followed })).toMatchObject({ status: 'succeeded' })
  expect(await getRun(eli, { team, id: parks })).toMatchObject({ status: 'parked', errorCode: 'child_not_started', errorStep: 'sub' })
  const { rows } = await world.pool.query('SELECT 1 FROM workflow_runs WHERE parent_run_id = ANY($1)', [[followed, parks]])
  expect(rows, 'no child was stored').toEqual([])
  const refused = await world.pool.query(`SELECT details FROM audit_log WHERE action = 'access.refused' AND actor_id = $1`, [world.ids.mia])
  expect(refused.rows).toHaveLength(2)
})

it('puts a child on record as started by who started its parent', async () => {
  const id = await start('tom', 'strict')
  await work()
  const child = (await step(await as('tom'), id, 'sub'))?.child?.id ?? ''
  const { rows } = await world.pool.query<{ actor_id: string; details: string }>(
    `SELECT actor_id, details FROM audit_log WHERE action = 'run.started' AND object_id = $1`,
    [child],
  )
  expect(rows.map(({ actor_id: by, details }) => [by, JSON.parse(details) as unknown])).toEqual([
    [world.ids.tom, { workflow: 'small', version: 1, parent: id }],
  ])
})

it('says of every run above one that stopped, however far, and of a map, which run that is; the organisation’s admin sees it too', async () => {
  await publish('leaf', [{ id: 'fail', uses: 'tool:bank.write', after: [], with: { fails: true } }])
  await publish('lower', [{ id: 'sub', uses: 'workflow:leaf', after: [] }])
  await publish('each', [{ id: 'map', uses: 'map', over: [1, 2], after: [], do: { uses: 'workflow:lower' } }])
  await publish('top', [
    { id: 'sub', uses: 'workflow:each', after: [] },
    { id: 'fine', uses: 'workflow:small', after: [] },
  ])
  const id = await start('tom', 'top')
  await work()
  const tom = await as('tom')
  const each = (await step(tom, id, 'sub'))?.child?.id ?? ''
  const { rows: items } = await listItems(tom, { team, id: each, stepId: 'map', after: -1, limit: 10 })
  const leaves: string[] = []
  for (const { child, stopped } of items) {
    const lower = await step(tom, child?.id ?? '', 'sub')
    expect(lower).toMatchObject({ stopped, child: { id: stopped, status: 'parked' } })
    leaves.push(stopped ?? '')
  }
  expect(new Set(leaves).size).toBe(2)
  for (const name of ['tom', 'olga'] as const) {
    const seen = await as(name)
    expect(await getRun(seen, { team, id })).toMatchObject({ status: 'running', steps: [{ child: { id: each } }, { stopped: null }] })
    expect(leaves).toContain((await step(seen, id, 'sub'))?.stopped)
    expect(await step(seen, each, 'map')).toMatchObject({ status: 'waiting', child: null, stopped: leaves[0] })
  }
  expect((await listItems(tom, { team, id: each, stepId: 'map', after: 0, limit: 10 })).rows).toMatchObject([
    { item: 1, stopped: leaves[1] },
  ])
})
