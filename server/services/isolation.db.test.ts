import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countApprovals } from './approvals/count'
import { decideApproval } from './approvals/decide'
import { getApproval } from './approvals/get'
import { listApprovals } from './approvals/list'
import type { Ctx } from './context'
import { createKey } from './keys/create'
import { getMe } from './me/get'
import { cancelRun } from './runs/cancel'
import { outcomeForm, recordOutcome } from './runs/record-outcome'
import { planRedrive, redriveRun } from './runs/redrive'
import { getRun } from './runs/get'
import { listRuns } from './runs/list'
import { startRun } from './runs/start'
import { CANARIES, openOffice, refusal, start, type Office } from './testing/office'
import { getWorkflow } from './workflows/get'
import { listWorkflows } from './workflows/list'
import { publishWorkflow } from './workflows/publish'
import { validateWorkflow } from './workflows/validate'

let office: Office
const team = 'finance'

beforeAll(async () => {
  office = await openOffice()
})
afterAll(() => office.close())

/** All that a person can read of the team, as text. */
const everything = async (ctx: Ctx) =>
  JSON.stringify([
    getMe(ctx),
    await listWorkflows(ctx, { team }),
    await getWorkflow(ctx, { team, slug: 'expense' }),
    await listRuns(ctx, { team, limit: 100 }),
    await listRuns(ctx, { limit: 100 }),
    ...(await Promise.all((await listRuns(ctx, { team, limit: 100 })).rows.map(({ id }) => getRun(ctx, { team, id })))),
    await listApprovals(ctx, { filter: 'decided' }),
  ])

describe('isolation', () => {
  let run: { id: string; gate: string }
  let failed: { id: string }
  beforeAll(async () => {
    const tom = await office.as('tom')
    run = await office.waiting(tom)
    const approved = await office.waiting(tom)
    await decideApproval(await office.as('mia'), { gate: approved.gate, decision: 'approve', comment: CANARIES.comment })
    failed = await start(tom, 1, 'please fail')
    await office.work()
  })

  /** Everything that can be asked about this team's things. */
  const questions: Record<string, (ctx: Ctx, team: string) => Promise<unknown>> = {
    'workflows.list': (ctx, team) => listWorkflows(ctx, { team }),
    'workflows.get': (ctx, team) => getWorkflow(ctx, { team, slug: 'expense' }),
    'workflows.validate': (ctx, team) => validateWorkflow(ctx, { team, source: '{' }),
    'workflows.publish': (ctx, team) => publishWorkflow(ctx, { team, source: '{' }),
    'runs.start': (ctx, team) => startRun(ctx, { team, slug: 'expense', input: {} }),
    'runs.list': (ctx, team) => listRuns(ctx, { team, limit: 10 }),
    'runs.get': (ctx, team) => getRun(ctx, { team, id: run.id }),
    'runs.cancel': (ctx, team) => cancelRun(ctx, { team, id: run.id }),
    'runs.redrivePlan': (ctx, team) => planRedrive(ctx, { team, id: failed.id }),
    'runs.redrive': (ctx, team) => redriveRun(ctx, { team, id: failed.id, answers: {} }),
    'runs.outcomeForm': (ctx, team) => outcomeForm(ctx, { team, id: failed.id, step: 'pay', item: -1 }),
    'runs.recordOutcome': (ctx, team) => recordOutcome(ctx, { team, id: failed.id, step: 'pay', item: -1, happened: false }),
    'keys.create': (ctx, team) => createKey(ctx, { team, name: 'k', scopes: ['start'], days: 1 }),
  }

  it.each(Object.keys(questions))(
    '%s: another team, another org and a mere role holder hear what they would hear of no team at all',
    async (name) => {
      const ask = questions[name] ?? (() => Promise.resolve())
      for (const person of ['lena', 'sam', 'rita'] as const) {
        const ctx = await office.as(person)
        const nowhere = await refusal(ask(ctx, 'nowhere'))
        expect(nowhere?.code).toBe('not_found')
        expect(await refusal(ask(ctx, team))).toEqual(nowhere)
      }
    },
  )

  it.each(['lena', 'sam', 'olga'] as const)('%s hears of no gate, though they hold the same role elsewhere', async (person) => {
    const ctx = await office.as(person)
    const missing = await refusal(getApproval(ctx, { gate: crypto.randomUUID() }))
    expect(missing?.code).toBe('not_found')
    expect(await refusal(getApproval(ctx, { gate: run.gate }))).toEqual(missing)
    expect(await refusal(getApproval(ctx, { gate: 'no id at all' }))).toEqual(missing)
    expect(await refusal(decideApproval(ctx, { gate: run.gate, decision: 'approve' }))).toEqual(missing)
    for (const filter of ['waiting', 'decided', 'expired'] as const)
      expect(await listApprovals(ctx, { filter })).toEqual({ rows: [], next: null })
    expect(await countApprovals(ctx)).toEqual({ waiting: 0 })
  })

  it("one's own team does not lead to another team's run", async () => {
    const lena = await office.as('lena')
    const missing = await refusal(getRun(lena, { team: 'logistics', id: crypto.randomUUID() }))
    expect(await refusal(getRun(lena, { team: 'logistics', id: run.id }))).toEqual(missing)
    expect(await refusal(cancelRun(lena, { team: 'logistics', id: run.id }))).toEqual(missing)
    expect(await refusal(getWorkflow(lena, { team: 'logistics', slug: 'expense' }))).toEqual(missing)
    expect((await listRuns(lena, { limit: 100 })).rows).toEqual([])
  })

  it('the org admin sees the shape of every run and none of its data', async () => {
    const [olga, tom] = [await office.as('olga'), await office.as('tom')]
    const [seen, whole] = [await everything(olga), await everything(tom)]
    for (const canary of Object.values(CANARIES)) {
      expect(whole).toContain(canary)
      expect(seen).not.toContain(canary)
    }
    expect(await getRun(olga, { team, id: failed.id })).toMatchObject({
      view: 'shape',
      status: 'parked',
      errorStep: 'pay',
      errorCode: expect.any(String),
      steps: [{ port: 'small' }, { status: 'skipped' }, { status: 'failed', errorCode: expect.any(String) }],
      mayCancel: false,
    })
    expect(await refusal(start(olga, 1))).toMatchObject({ code: 'forbidden' })
    expect((await office.audited('access.refused')).map(({ actor, details }) => [actor, details.action])).toContainEqual([
      office.ids.olga,
      'run.start',
    ])
  })

  it('a key for shapes sees as little, although its owner is a member', async () => {
    const { key } = await createKey(await office.as('tom'), { team, name: 'board', scopes: ['read:shape'], days: 1 })
    const seen = await everything(await office.byKey(key))
    for (const canary of Object.values(CANARIES)) expect(seen).not.toContain(canary)
  })

  it('nothing that people wrote is in the audit log', async () => {
    const { rows } = await office.pool.query('select * from audit_log')
    for (const canary of Object.values(CANARIES)) expect(JSON.stringify(rows)).not.toContain(canary)
  })
})
