import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { randomUUID } from 'node:crypto'
import { openWorld, type PersonName, type World } from '../../auth/testing/world'
import { createPostgresStore } from '../../store/postgres/store'
import { testEngine } from '../../store/postgres/testing/engine'
import { createTestQueue } from '../../store/postgres/testing/harness'
import { countApprovals } from '../approvals/count'
import { listApprovals } from '../approvals/list'
import type { Ctx } from '../context'
import { refusal } from '../testing/office'
import { publishWorkflow } from '../workflows/publish'
import { getRun } from './get'
import { outcomeForm, recordOutcome } from './record-outcome'
import { planRedrive, redriveRun } from './redrive'
import { startRun } from './start'

const team = 'finance'
let world: World
let queue: ReturnType<typeof createTestQueue>
let engine: Ctx['engine'] & Pick<ReturnType<typeof testEngine>, 'perform'>
const broken = new Set<string>()

beforeAll(async () => {
  world = await openWorld()
  queue = createTestQueue(world.url)
  engine = testEngine({ store: createPostgresStore(world.db, queue), queue, newId: randomUUID }, ({ stepId }) => {
    if (!broken.has(stepId)) return Promise.resolve({ output: { id: stepId } })
    const name = stepId === 'charge' ? 'TransientError' : 'FatalError'
    return Promise.reject(Object.assign(new Error('secret words'), { name }))
  })
  await world.pool.query(`
    WITH brought AS (INSERT INTO plugins (id, title, version, description, status) VALUES ('bank', 'Bank', '1.0.0', 'Pays.', 'loaded') RETURNING id)
    INSERT INTO plugin_tools (name, plugin_id, title, description, effect, input_schema, output_schema)
    SELECT 'bank.' || effect, brought.id, 'Bank', 'Pays.', effect, '{}',
      '{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}' FROM brought, unnest(ARRAY['read', 'write', 'once']) AS effect`)
})
beforeEach(() => broken.clear())
afterAll(async () => {
  await queue.close()
  await world.close()
})

const as = async (name: PersonName): Promise<Ctx> => ({ db: world.db, engine, principal: await world.as(name), channel: 'web' })
async function work(): Promise<void> {
  for (let jobs = await queue.fetch(20); jobs.length > 0; jobs = await queue.fetch(20)) {
    for (const job of jobs) await engine.perform(job)
    await queue.complete(jobs.map(({ id }) => id))
  }
}
const audited = async (action: string) => {
  const { rows } = await world.pool.query<{ details: string }>('select details from audit_log where action = $1 order by id', [action])
  return rows.map(({ details }) => JSON.parse(details) as unknown)
}
const call = (id: string, after: string[], effect = 'write', over: object = {}) => ({ id, uses: `tool:bank.${effect}`, after, ...over })
const undone = { compensate: { uses: 'tool:bank.write' } }
async function stopped(slug: string, steps: object[], at: string): Promise<string> {
  const tom = await as('tom')
  await publishWorkflow(await as('eli'), { team, source: JSON.stringify({ spec: 1, slug, title: 'Flow', steps }) })
  broken.add(at)
  const { id } = await startRun(tom, { team, slug, input: {} })
  await work()
  broken.clear()
  return id
}

describe('continuing a stopped run', () => {
  it('tells what runs again, asks what must be answered, and goes on with exactly these answers', async () => {
    const steps = [
      call('first', [], 'write', undone),
      call('look', ['first'], 'read'),
      call('pay', ['first']),
      { id: 'ask', uses: 'approve', after: ['pay'], role: 'manager' },
      call('last', ['pay']),
    ]
    const id = await stopped('ask-first', steps, 'last')
    const tom = await as('tom')
    expect(await getRun(tom, { team, id })).toMatchObject({ status: 'parked', mayRedrive: true, mayRecordOutcome: false, unknown: [] })
    expect(await planRedrive(tom, { team, id })).toEqual({ again: ['first', 'look', 'pay', 'ask', 'last'], ask: ['pay'], unknown: [] })
    expect(await refusal(redriveRun(tom, { team, id, answers: {} }))).toMatchObject({
      code: 'conflict',
      detail: { problems: [{ code: 'answer_needed', path: '/answers/pay' }] },
    })
    expect(await refusal(redriveRun(tom, { team, id, answers: { pay: 'keep', look: 'keep' } }))).toMatchObject({ code: 'conflict' })
    expect(await redriveRun(tom, { team, id, answers: { pay: 'keep' } })).toEqual({ id, status: 'running' })
    await work()
    expect(await getRun(tom, { team, id })).toMatchObject({
      status: 'awaiting_approval',
      errorCode: null,
      finishedAt: null,
      mayRedrive: false,
      steps: [
        { id: 'first', status: 'succeeded', undo: null },
        {},
        { id: 'pay', status: 'succeeded' },
        { id: 'ask' },
        { id: 'last', attempts: [{ code: 'failed' }] },
      ],
    })
    expect(await audited('run.redriven')).toEqual([{ repeated: 0, kept: 1 }])
    expect(await refusal(redriveRun(tom, { team, id, answers: {} }))).toMatchObject({ code: 'conflict' })
  })

  it('is for its starter, an editor and an owner; nobody else may even look at what it would do', async () => {
    const id = await stopped('who', [call('a', [])], 'a')
    for (const name of ['mia', 'olga'] as const) {
      const other = await as(name)
      expect(await refusal(planRedrive(other, { team, id }))).toMatchObject({ code: 'forbidden' })
      expect(await refusal(redriveRun(other, { team, id, answers: {} }))).toMatchObject({ code: 'forbidden' })
      expect(await getRun(other, { team, id })).toMatchObject({ mayRedrive: false })
    }
    expect(await redriveRun(await as('eli'), { team, id, answers: {} })).toMatchObject({ status: 'running' })
  })

  it('whoever did it decides none of its approvals, and is not waited for', async () => {
    await world.pool.query(`insert into role_grants (team_id, user_id, role) values ($1, $2, 'manager')`, [
      world.teamIds.finance,
      world.ids.eli,
    ])
    const id = await stopped('not-me', [call('a', []), { id: 'ask', uses: 'approve', after: ['a'], role: 'manager' }], 'a')
    const eli = await as('eli')
    const before = (await countApprovals(eli)).waiting
    await redriveRun(eli, { team, id, answers: {} })
    await work()
    expect((await getRun(eli, { team, id })).gates).toMatchObject([{ status: 'open', mayDecide: false, waitingFor: ['Mia', 'Rita'] }])
    expect((await countApprovals(eli)).waiting).toBe(before)
    expect((await listApprovals(await as('mia'), { filter: 'waiting' })).rows.length).toBeGreaterThan(0)
  })
})

describe('an outcome of which nobody knows', () => {
  const steps = [call('first', [], 'write', undone), call('charge', ['first'], 'once'), call('last', ['charge'])]

  it('is recorded by an editor or owner, with what the tool returns, and then the rest is undone', async () => {
    const id = await stopped('charge-one', steps, 'charge')
    const [tom, eli] = [await as('tom'), await as('eli')]
    const at = { team, id, step: 'charge', item: -1 }
    expect(await getRun(tom, { team, id })).toMatchObject({
      errorCode: 'outcome_unknown',
      unknown: [{ stepId: 'charge', item: -1 }],
      mayRecordOutcome: false,
      mayRedrive: false,
      steps: [{ status: 'succeeded', undo: null }, {}, {}],
    })
    expect(await refusal(recordOutcome(tom, { ...at, happened: false }))).toMatchObject({ code: 'forbidden' })
    expect(await refusal(redriveRun(tom, { team, id, answers: {} }))).toMatchObject({ code: 'forbidden' })
    expect(await getRun(eli, { team, id })).toMatchObject({ mayRecordOutcome: true, mayRedrive: true })
    expect(await outcomeForm(eli, at)).toMatchObject({ outputSchema: { required: ['id'] } })
    expect(await refusal(recordOutcome(eli, { ...at, happened: true, output: { id: 7 } }))).toMatchObject({
      code: 'invalid_input',
      detail: { problems: [{ code: 'output_mismatch', path: '/output/id' }] },
    })
    expect(await recordOutcome(eli, { ...at, happened: true, output: { id: 'c1' } })).toEqual({ id, status: 'parked' })
    await work()
    expect(await getRun(eli, { team, id })).toMatchObject({
      unknown: [],
      steps: [{ undo: 'succeeded' }, { status: 'succeeded', output: { id: 'c1' }, flag: 'recorded_by_hand' }, {}],
    })
    expect(await audited('run.outcome_recorded')).toEqual([{ step: 'charge', item: -1, happened: true }])
    expect(await refusal(recordOutcome(eli, { ...at, happened: false }))).toMatchObject({ code: 'conflict' })
    expect(await refusal(recordOutcome(eli, { ...at, step: 'nowhere', happened: false }))).toMatchObject({ code: 'not_found' })
  })

  it('is shown with the key under which the call was made to whoever may read data, and to nobody else', async () => {
    const items = { id: 'charge', uses: 'map', after: [], over: ['x'], do: { uses: 'tool:bank.once' } }
    const id = await stopped('charge-items', [items], 'charge')
    const [item, key] = [{ stepId: 'charge', item: 0 }, `${id}:charge:0`]
    const unknown = async (name: PersonName) => (await getRun(await as(name), { team, id })).unknown
    expect(await unknown('mia')).toEqual([{ ...item, keys: [key] }])
    expect(await unknown('olga')).toEqual([item])
    // Made again after a known end, it has a key of its own; and the calls of an agent have theirs.
    const set = (statement: string) => world.pool.query(statement, [id])
    await set(`UPDATE workflow_steps SET key_epoch = 2 WHERE run_id = $1 AND item = 0`)
    expect(await unknown('mia')).toEqual([{ ...item, keys: [`${key}#2`] }])
    await set(`INSERT INTO workflow_steps (run_id, step_id, item, call, epoch, status, error)
      SELECT run_id, step_id, item, c, epoch, status, error FROM workflow_steps, unnest(ARRAY['t1', 't1.2']) c WHERE run_id = $1 AND item = 0`)
    expect(await unknown('mia')).toEqual([{ ...item, keys: [`${key}/t1.2`] }])
  })

  it('of an item of a map is one question, and answered once', async () => {
    const items = { id: 'charge', uses: 'map', after: [], over: ['x'], do: { uses: 'tool:bank.once' } }
    const id = await stopped('charge-item', [items], 'charge')
    const eli = await as('eli')
    expect(await recordOutcome(eli, { team, id, step: 'charge', item: 0, happened: false })).toMatchObject({ status: 'parked' })
    expect(await getRun(eli, { team, id })).toMatchObject({ unknown: [], mayRecordOutcome: false })
    expect(await getRun(await as('tom'), { team, id })).toMatchObject({ mayRedrive: true })
  })

  it('may be left open by continuing: the call is made again', async () => {
    const id = await stopped('charge-two', steps, 'charge')
    const eli = await as('eli')
    expect(await planRedrive(eli, { team, id })).toMatchObject({ again: ['charge', 'last'], unknown: [{ stepId: 'charge' }] })
    await redriveRun(eli, { team, id, answers: {} })
    await work()
    expect(await getRun(eli, { team, id })).toMatchObject({ status: 'succeeded', unknown: [] })
  })
})
