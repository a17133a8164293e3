import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TeamId } from '@/server/auth/ids'
import { FatalError } from '@/sdk'
import { decisionsOf, findGate, gatesOfRun, openGatesFor, countOpenGatesFor, roleHolders } from './read-gates'
import { getRun, listRuns } from './read-runs'
import { listItems, listSteps, mapCounts, stepAttempts } from './read-steps'
import { getDefinition, getOverview, listDefinitions, listVersions } from './read-workflows'
import { testEngine } from './testing/engine'
import { type Harness, openHarness } from './testing/harness'

let h: Harness
let mine: Awaited<ReturnType<Harness['seed']>>
let other: Awaited<ReturnType<Harness['seed']>>
let teamId: TeamId
let otherId: TeamId

const SPEC = JSON.stringify({
  spec: 1,
  slug: 'suite',
  title: 'Every kind',
  steps: [
    { id: 'call', uses: 'tool:ok', after: [], with: { text: '\u2028' } },
    { id: 'each', uses: 'map', after: ['call'], over: [0, 1, 2], tolerate: 1, do: { uses: 'tool:odd', with: { n: '${item}' } } },
    { id: 'ask', uses: 'approve', after: ['each'], role: 'manager' },
  ],
})

const engine = () =>
  testEngine(h, (_, input) => {
    if (typeof input === 'object' && input !== null && 'n' in input && input.n === 1) throw new FatalError('one is odd')
    return Promise.resolve({ output: input, hint: 'call them' })
  })

async function work(): Promise<void> {
  for (let jobs = await h.queue.fetch(50); jobs.length > 0; jobs = await h.queue.fetch(50)) {
    for (const job of jobs) await engine().perform(job)
    await h.queue.complete(jobs.map((job) => job.id))
  }
}
const start = (whose: typeof mine) => engine().start({ definition: whose.definition, principal: whose.principal, input: {} })

beforeAll(async () => {
  h = await openHarness()
  mine = await h.seed(SPEC)
  other = await h.seed(SPEC)
  teamId = mine.definition.teamId as TeamId
  otherId = other.definition.teamId as TeamId
})
afterAll(() => h.close())

describe('runs', () => {
  it('pages through runs, newest first, each once, also those of one microsecond', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => start(mine)))
    await h.db.execute(
      sql`UPDATE workflow_runs SET created_at = '2026-01-01 00:00:00.123456Z' WHERE id IN (${ids[0]}, ${ids[1]}, ${ids[2]}, ${ids[3]})`,
    )
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await listRuns(h.db, [teamId], { limit: 2, cursor })
      expect(page.rows.length).toBeLessThanOrEqual(2)
      seen.push(...page.rows.map((run) => run.id))
      cursor = page.next ?? undefined
    } while (cursor)
    expect(seen.toSorted()).toEqual(ids.toSorted())
    await expect(listRuns(h.db, [teamId], { limit: 2, cursor: 'nonsense' })).rejects.toMatchObject({ code: 'invalid' })
    await work()
  })

  it('filters by status, workflow and who started, and merges teams', async () => {
    const mineNow = (await listRuns(h.db, [teamId], { limit: 50 })).rows.length
    const theirs = await start(other)
    const both = await listRuns(h.db, [teamId, otherId], { limit: 50 })
    expect(both.rows).toHaveLength(mineNow + 1)
    expect(both.rows[0]).toMatchObject({
      id: theirs,
      team: { id: otherId },
      workflow: { slug: 'suite', title: 'Every kind', version: 1 },
      status: 'running',
      stepsTotal: 3,
    })
    expect((await listRuns(h.db, [teamId], { limit: 50, statuses: ['succeeded'] })).rows).toEqual([])
    expect((await listRuns(h.db, [teamId], { limit: 50, slug: 'nothing' })).rows).toEqual([])
    expect((await listRuns(h.db, [teamId], { limit: 50, startedBy: mine.principal.userId })).rows).toHaveLength(mineNow)
    expect((await listRuns(h.db, [], { limit: 50 })).rows).toEqual([])
    await work()
  })

  it('shows a run with its steps, items, attempts and gates to its team, and nothing of it to another', async () => {
    const runId = await start(mine)
    await work()
    expect(await getRun(h.db, teamId, runId)).toMatchObject({
      status: 'awaiting_approval',
      spec: SPEC,
      input: {},
      output: null,
      startedBy: { name: 'Mia' },
      stepsSettled: 2,
    })
    const steps = await listSteps(h.db, teamId, runId)
    expect(steps.map((step) => [step.stepId, step.status])).toEqual([
      ['ask', 'waiting'],
      ['call', 'succeeded'],
      ['each', 'succeeded'],
    ])
    expect(steps[1]).toMatchObject({ hint: 'call them', input: { value: { text: '\u2028' } }, output: { value: { text: '\u2028' } } })
    expect(await mapCounts(h.db, teamId, runId)).toEqual(
      new Map([['each', { total: 3, succeeded: 2, failed: 1, active: 0, deferred: null }]]),
    )
    expect((await listItems(h.db, teamId, runId, 'each', { afterItem: 0, limit: 1 })).map((item) => [item.item, item.status])).toEqual([
      [1, 'failed'],
    ])
    expect(await stepAttempts(h.db, teamId, runId)).toEqual([])
    expect(await stepAttempts(h.db, teamId, runId, { stepId: 'each', item: 1 })).toMatchObject([
      { attempt: 1, error: { message: 'one is odd' } },
    ])
    expect(await gatesOfRun(h.db, teamId, runId)).toMatchObject([
      { stepId: 'ask', status: 'open', team: { id: teamId }, workflow: { title: 'Every kind' } },
    ])

    expect(await getRun(h.db, otherId, runId)).toBeNull()
    expect(await listSteps(h.db, otherId, runId)).toEqual([])
    expect(await mapCounts(h.db, otherId, runId)).toEqual(new Map())
    expect(await listItems(h.db, otherId, runId, 'each', { afterItem: -1, limit: 10 })).toEqual([])
    expect(await stepAttempts(h.db, otherId, runId, { stepId: 'each', item: 1 })).toEqual([])
    expect(await gatesOfRun(h.db, otherId, runId)).toEqual([])
  })

  it('leaves out a document that is too large to show, and says how large it is', async () => {
    const runId = await start(mine)
    await work()
    const large = JSON.stringify('x'.repeat(300_000))
    await h.db.execute(sql`UPDATE workflow_steps SET output = ${large}::json WHERE run_id = ${runId} AND step_id = 'call'`)
    const call = (await listSteps(h.db, teamId, runId)).find((step) => step.stepId === 'call')
    expect(call?.output).toEqual({ value: null, omitted: 300_002 })
  })
})

describe('gates', () => {
  it('lists what waits for a person by the roles they hold, and who has decided', async () => {
    const runId = await start(mine)
    await work()
    const gate = (await openGatesFor(h.db, mine.managerId)).find((g) => g.runId === runId)
    expect(gate).toMatchObject({ role: 'manager', startedBy: { id: mine.principal.userId } })
    expect(await countOpenGatesFor(h.db, mine.managerId)).toBe((await openGatesFor(h.db, mine.managerId)).length)
    expect((await openGatesFor(h.db, other.managerId)).filter((g) => g.team.id === teamId)).toEqual([])
    expect(await openGatesFor(h.db, mine.principal.userId)).toEqual([])
    expect(await roleHolders(h.db, teamId, ['manager', 'attorney'])).toEqual(new Map([['manager', [{ id: mine.managerId, name: 'Tom' }]]]))
    await engine().decideGate(gate!.id, { userId: mine.managerId, decision: 'reject', comment: 'no\u0000', channel: 'web' })
    expect(await findGate(h.db, gate!.id)).toMatchObject({ status: 'rejected', settledAt: expect.any(Date) })
    expect(await decisionsOf(h.db, [gate!.id])).toMatchObject([
      { gateId: gate!.id, by: { name: 'Tom' }, decision: 'reject', comment: 'no\uFFFD', channel: 'web' },
    ])
    expect((await openGatesFor(h.db, mine.managerId)).some((g) => g.runId === runId)).toBe(false)
    expect(await findGate(h.db, h.newId())).toBeNull()
  })
})

async function define(version: number, source: string, status = 'active'): Promise<void> {
  await h.db.execute(sql`
    INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash, status, created_by)
    VALUES (${h.newId()}, ${teamId}, 'versions', ${version}, ${source}, '{"title":"V"}', ${`h${version}`}, ${status}, ${mine.managerId})`)
}

describe('definitions', () => {
  it('holds a team’s own version above what a plugin brings, and skips what is archived', async () => {
    await define(1, 'plugin:p')
    await define(2, 'plugin:p')
    expect(await getDefinition(h.db, teamId, 'versions')).toMatchObject({ version: 2 })
    await define(3, 'db')
    await define(4, 'plugin:p')
    await define(5, 'db', 'archived')
    expect(await getDefinition(h.db, teamId, 'versions')).toMatchObject({ version: 3, source: 'db', hash: 'h3' })
    expect(await getDefinition(h.db, teamId, 'versions', 5)).toMatchObject({ status: 'archived' })
    expect((await listVersions(h.db, teamId, 'versions')).map((v) => [v.version, v.createdBy])).toEqual(
      [5, 4, 3, 2, 1].map((v) => [v, 'Tom']),
    )
    expect((await listDefinitions(h.db, teamId)).map((d) => [d.slug, d.version])).toEqual([
      ['suite', 1],
      ['versions', 3],
    ])
    expect(await getDefinition(h.db, otherId, 'versions')).toBeNull()
    expect(await listVersions(h.db, otherId, 'versions')).toEqual([])
  })

  it('shows the last ten runs, newest first, and how long the succeeded ones take', async () => {
    const before = await getOverview(h.db, teamId, 'suite')
    expect(before).toMatchObject({ medianSeconds: null, spec: SPEC })
    expect(before!.lastRuns).toHaveLength(Math.min(10, (await listRuns(h.db, [teamId], { limit: 50 })).rows.length))
    const newest = (await listRuns(h.db, [teamId], { limit: 3 })).rows
    for (const [i, run] of newest.entries())
      await h.db.execute(sql`
        UPDATE workflow_runs SET status = 'succeeded', started_at = now(), finished_at = now() + ${`${[1, 2, 60][i]} seconds`}::interval WHERE id = ${run.id}`)
    const after = await getOverview(h.db, teamId, 'suite')
    expect(after!.medianSeconds).toBe(2)
    expect(after!.lastRuns.slice(0, 3).map((run) => [run.id, run.status])).toEqual(newest.map((run) => [run.id, 'succeeded']))
  })
})
