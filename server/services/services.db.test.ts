import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countApprovals } from './approvals/count'
import { decideApproval } from './approvals/decide'
import { getApproval } from './approvals/get'
import { listApprovals } from './approvals/list'
import type { Ctx } from './context'
import { createKey } from './keys/create'
import { listKeys } from './keys/list'
import { revokeKey } from './keys/revoke'
import { getMe } from './me/get'
import { updateMe, updateMeInput } from './me/update'
import { cancelRun } from './runs/cancel'
import { getRun } from './runs/get'
import { listRuns } from './runs/list'
import { startRun } from './runs/start'
import { CANARIES, EXPENSE, openOffice, refusal, start, type Office } from './testing/office'
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

const cursorAt = (at: string) => Buffer.from(`${at}|00000000-0000-0000-0000-000000000000`).toString('base64url')

describe('a run', () => {
  it('asks, is approved, pays, and shows its people everything on the way', async () => {
    const [tom, mia] = [await office.as('tom'), await office.as('mia')]
    const { id, gate } = await office.waiting(tom)
    expect(await getRun(tom, { team, id })).toMatchObject({
      view: 'data',
      status: 'awaiting_approval',
      title: CANARIES.input,
      input: { amount: 900, reason: CANARIES.input },
      steps: [
        { id: 'route', kind: 'choice', status: 'succeeded', port: 'large' },
        { id: 'sign_off', status: 'waiting', port: null },
        { id: 'pay', status: 'pending', maxAttempts: 5 },
      ],
      gates: [{ status: 'open', waitingFor: ['Mia', 'Rita'], mayDecide: false }],
      mayCancel: true,
    })
    expect((await getRun(mia, { team, id })).gates[0]).toMatchObject({ mayDecide: true })
    expect(await getApproval(mia, { gate })).toMatchObject({
      show: { reason: CANARIES.input },
      titles: { reason: 'What for' },
      cannotDecide: null,
      run: { id },
    })
    const decided = await decideApproval(mia, { gate, decision: 'approve', comment: CANARIES.comment })
    expect(decided).toMatchObject({ status: 'approved', decisions: [{ by: { name: 'Mia' }, comment: CANARIES.comment }] })
    await office.work()
    expect(await getRun(tom, { team, id })).toMatchObject({
      status: 'succeeded',
      output: { entry: CANARIES.output },
      stepsSettled: 3,
      mayCancel: false,
    })
  })

  it('says of a step that the quota puts off until when and why, also to whoever sees only its shape', async () => {
    const [tom, olga] = [await office.as('tom'), await office.as('olga')]
    const limit = `INSERT INTO team_quotas (team_id, steps_per_day) SELECT id, 0 FROM teams WHERE slug = 'finance'`
    await office.pool.query(limit)
    try {
      const { id } = await start(tom, 10)
      await office.work()
      const midnight = new Date()
      midnight.setUTCHours(24, 0, 0, 0)
      const pay = { id: 'pay', status: 'queued', attempt: 1, deferred: { until: midnight.toISOString(), reason: 'steps_per_day' } }
      expect(await getRun(tom, { team, id })).toMatchObject({ view: 'data', status: 'running', steps: [{ deferred: null }, {}, pay] })
      expect(await getRun(olga, { team, id })).toMatchObject({ view: 'shape', steps: [{}, {}, pay] })
      await cancelRun(tom, { team, id })
      expect(await getRun(tom, { team, id })).toMatchObject({ status: 'cancelled', steps: [{}, {}, { status: 'pending', deferred: null }] })
    } finally {
      await office.pool.query('DELETE FROM team_quotas')
    }
  })

  it('lists what is wrong with its input, by pointers, and then there is no run', async () => {
    const tom = await office.as('tom')
    const count = async () => (await listRuns(tom, { team, limit: 100 })).rows.length
    const before = await count()
    const refused = await refusal(startRun(tom, { team, slug: 'expense', input: { amount: -1, colour: 'red' } }))
    expect(refused?.code).toBe('invalid_input')
    expect(refused?.detail.problems?.map(({ code, path }) => [code, path]).toSorted()).toEqual([
      ['input_invalid', '/amount'],
      ['input_missing', '/reason'],
      ['input_unknown', '/colour'],
    ])
    expect(await count()).toBe(before)
  })

  it('starts once for one idempotency key, also when asked twice at once, and never for something else', async () => {
    const tom = await office.as('tom')
    const ids = await Promise.all([1, 2, 3].map(() => start(tom, 10, 'once', 'key-1')))
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1)
    expect((await listRuns(tom, { team, limit: 100 })).rows.filter((run) => run.view === 'data' && run.title === 'once')).toHaveLength(1)
    expect(await refusal(start(tom, 11, 'once', 'key-1'))).toMatchObject({ code: 'conflict' })
    expect(await refusal(start(await office.as('mia'), 10, 'once', 'key-1'))).toMatchObject({ code: 'conflict' })
    expect(await start(tom, 10, 'once', 'key-2')).not.toEqual(ids[0])
  })

  it('takes data that PostgreSQL could not hold as text, and reads it back as it was', async () => {
    const [tom, mia] = [await office.as('tom'), await office.as('mia')]
    const reason = 'a\u0000b\ud800'
    const { id } = await start(tom, 900, reason)
    const waiting = await getRun(tom, { team, id })
    expect(waiting).toMatchObject({ status: 'awaiting_approval', title: 'a\uFFFDb\uFFFD', input: { reason } })
    const gate = waiting.gates[0]?.id ?? ''
    expect(await getApproval(mia, { gate })).toMatchObject({ show: { reason } })
    expect(await decideApproval(mia, { gate, decision: 'approve', form: {} })).toMatchObject({ status: 'approved' })
    await office.work()
    expect(await getRun(tom, { team, id })).toMatchObject({ status: 'succeeded' })
  })

  it('is cancelled by its starter or an owner, by nobody else, and not after its end', async () => {
    const [tom, mia, olga] = [await office.as('tom'), await office.as('mia'), await office.as('olga')]
    const { id } = await office.waiting(tom)
    for (const other of [mia, olga]) expect(await refusal(cancelRun(other, { team, id }))).toMatchObject({ code: 'forbidden' })
    expect(await cancelRun(tom, { team, id })).toMatchObject({ status: 'cancelled', gates: [{ status: 'withdrawn' }] })
    expect(await refusal(cancelRun(tom, { team, id }))).toMatchObject({ code: 'conflict' })
    const another = await office.waiting(tom)
    expect(await cancelRun(await office.as('frida'), { team, id: another.id })).toMatchObject({ status: 'cancelled' })
  })

  it('is found by status, workflow and starter, page by page', async () => {
    const tom = await office.as('tom')
    expect((await listRuns(tom, { status: ['succeeded'], limit: 50 })).rows.every(({ status }) => status === 'succeeded')).toBe(true)
    expect((await listRuns(await office.as('eli'), { team, mine: true, limit: 50 })).rows).toEqual([])
    expect((await listRuns(tom, { team, slug: 'other', limit: 50 })).rows).toEqual([])
    const all = (await listRuns(tom, { team, limit: 100 })).rows.map(({ id }) => id)
    const paged: string[] = []
    for (let cursor: string | undefined, more = true; more;) {
      const page = await listRuns(tom, { team, limit: 2, cursor })
      paged.push(...page.rows.map(({ id }) => id))
      more = page.next !== null
      cursor = page.next ?? undefined
    }
    expect(paged).toEqual(all)
    const impossible = [
      '2026-99-99 99:99:99+00',
      '2026-02-30 10:00:00+00',
      '2026-02-03 24:00:00+00',
      '2026-02-03 10:00:00+99',
      '2026-02-03 10:00:00+00:99',
      '0000-01-01 10:00:00+00',
      '999999-01-01 10:00:00+00',
    ]
    for (const cursor of ['nonsense', ...impossible.map(cursorAt)]) {
      expect(await refusal(listRuns(tom, { team, limit: 2, cursor })), cursor).toMatchObject({ code: 'invalid' })
      expect(await refusal(listApprovals(tom, { filter: 'decided', cursor })), cursor).toMatchObject({ code: 'invalid' })
    }
    for (const at of ['0001-01-01 00:00:00+15:59:59', '2024-02-29 23:59:59.999999-15:59'])
      expect(await listRuns(tom, { team, limit: 2, cursor: cursorAt(at) })).toHaveProperty('rows')
  })
})

const approveBy = (ctx: Ctx, { gate }: { gate: string }) => refusal(decideApproval(ctx, { gate, decision: 'approve' }))

describe('deciding', () => {
  it('is refused with one and the same answer, whatever the reason, and the audit log knows which', async () => {
    const [tom, mia, rita] = [await office.as('tom'), await office.as('mia'), await office.as('rita')]
    const own = await office.waiting(mia)
    const decided = await office.waiting(tom)
    await decideApproval(mia, { gate: decided.gate, decision: 'reject' })
    const expired = await office.waiting(tom)
    await office.pool.query('update gates set expires_at = now() where id = $1', [expired.gate])
    const refused = [await approveBy(tom, own), await approveBy(mia, own), await approveBy(rita, decided), await approveBy(rita, expired)]
    for (const answer of refused) expect(answer).toEqual(refused[0])
    expect(refused[0]?.code).toBe('forbidden')
    expect((await office.audited('gate.refused')).map(({ details }) => details.check)).toEqual([
      'not_a_holder',
      'own_run',
      'closed',
      'expired',
    ])
  })

  it('needs the role now: whoever lost it a moment ago is refused', async () => {
    const { gate } = await office.waiting(await office.as('tom'))
    const mia = await office.as('mia')
    await office.pool.query('delete from role_grants where user_id = $1', [office.ids.mia])
    expect(await refusal(decideApproval(mia, { gate, decision: 'approve' }))).toMatchObject({ code: 'forbidden' })
    await office.pool.query("insert into role_grants (team_id, user_id, role) values ($1, $2, 'manager')", [
      office.teamIds.finance,
      office.ids.mia,
    ])
  })

  it('does not wait for the one who started the run, and says so when nobody else is left', async () => {
    const [mia, rita] = [await office.as('mia'), await office.as('rita')]
    const before = { mia: await countApprovals(mia), rita: await countApprovals(rita) }
    const { id, gate } = await office.waiting(mia)
    expect((await getRun(mia, { team, id })).gates).toMatchObject([{ waitingFor: ['Rita'], mayDecide: false }])
    expect(await countApprovals(mia)).toEqual(before.mia)
    expect(await countApprovals(rita)).toEqual({ waiting: before.rita.waiting + 1 })
    await office.waiting(await office.as('tom'))
    const { rows } = await listApprovals(mia, { filter: 'waiting' })
    expect(await countApprovals(mia)).toEqual({ waiting: rows.filter(({ cannotDecide }) => cannotDecide === null).length })
    expect(rows.at(-1)).toMatchObject({ id: gate, cannotDecide: 'You started this run, so somebody else must decide.' })
    await office.pool.query('delete from role_grants where user_id = $1', [office.ids.rita])
    const toMia = expect.stringMatching(/^You started this run, so somebody else has to decide, and nobody else has the role “manager”/)
    expect((await getRun(mia, { team, id })).gates).toMatchObject([{ waitingFor: [], nobodyLeft: toMia }])
    expect((await getApproval(mia, { gate })).cannotDecide).toEqual(toMia)
    const toTom = expect.stringMatching(/^Only Mia, who started this run, has the role “manager”/)
    expect((await getRun(await office.as('tom'), { team, id })).gates).toMatchObject([{ waitingFor: [], nobodyLeft: toTom }])
    expect((await getApproval(await office.as('tom'), { gate })).cannotDecide).toEqual(toTom)
    await office.pool.query("insert into role_grants (team_id, user_id, role) values ($1, $2, 'manager')", [
      office.teamIds.finance,
      office.ids.rita,
    ])
  })

  it('is for a role holder who is no member, who sees the gate and nothing else', async () => {
    const { id, gate } = await office.waiting(await office.as('tom'))
    const rita = await office.as('rita')
    expect((await listApprovals(rita, { filter: 'waiting' })).rows.map((row) => row.id)).toContain(gate)
    expect(await getApproval(rita, { gate })).toMatchObject({ run: null, cannotDecide: null, show: { reason: CANARIES.input } })
    expect(await refusal(getRun(rita, { team, id }))).toMatchObject({ code: 'not_found' })
    expect((await listRuns(rita, { limit: 50 })).rows).toEqual([])
    const before = await countApprovals(rita)
    expect(await decideApproval(rita, { gate, decision: 'reject' })).toMatchObject({ status: 'rejected' })
    expect(await countApprovals(rita)).toEqual({ waiting: before.waiting - 1 })
    expect((await listApprovals(rita, { filter: 'decided' })).rows[0]?.id).toBe(gate)
    expect((await listApprovals(rita, { filter: 'expired' })).rows).toMatchObject([{ cannotDecide: 'The time to decide is over.' }])
  })
})

describe('workflows', () => {
  it('lists and shows what the current version says, with its tools and its steps in plain words', async () => {
    const tom = await office.as('tom')
    const [row] = await listWorkflows(tom, { team, search: ' EXPENSE ' })
    expect(row).toMatchObject({
      slug: 'expense',
      title: 'Expense',
      summary: 'Pays what was spent.',
      version: 1,
      source: 'db',
      mayRun: true,
    })
    expect(row?.lastRuns.length).toBeGreaterThan(0)
    expect(await listWorkflows(tom, { team, search: 'no such thing' })).toEqual([])
    const view = await getWorkflow(tom, { team, slug: 'expense' })
    expect(view.plan.steps.map(({ step }) => step)).toEqual(['route', 'pay'])
    expect(view.plan.steps[0]?.children[0]?.steps.map(({ step }) => step)).toEqual(['sign_off'])
    expect(view.tools).toEqual({ 'ledger.post': null })
    expect(view.inputSchema).toMatchObject({ type: 'object', required: ['amount', 'reason'] })
    expect(await getWorkflow(await office.as('olga'), { team, slug: 'expense' })).toMatchObject({ mayRun: false })
  })

  it('keeps every version; an older one can be seen and started', async () => {
    const eli = await office.as('eli')
    const changed = EXPENSE.replace('"Expense"', '"Expenses"')
    expect(await publishWorkflow(eli, { team, source: changed })).toMatchObject({ version: 2, created: true })
    expect(await getWorkflow(eli, { team, slug: 'expense' })).toMatchObject({
      title: 'Expenses',
      versions: [{ version: 2, createdBy: 'Eli' }, { version: 1 }],
    })
    expect(await getWorkflow(eli, { team, slug: 'expense', version: 1 })).toMatchObject({ title: 'Expense', version: 1 })
    const { id } = await startRun(eli, { team, slug: 'expense', version: 1, input: { amount: 1, reason: 'x' } })
    expect(await getRun(eli, { team, id })).toMatchObject({ workflow: { version: 1 } })
    expect(await refusal(getWorkflow(eli, { team, slug: 'expense', version: 9 }))).toMatchObject({ code: 'not_found' })
  })

  it('refuses a bad document with every problem and its place, and stores nothing', async () => {
    const source = EXPENSE.replace('"route.large"', '"route.larger"').replace('"join":"any"', '"join":"some"')
    const refused = await refusal(publishWorkflow(await office.as('eli'), { team, source }))
    expect(refused?.code).toBe('invalid_spec')
    expect(refused?.detail.problems?.length).toBeGreaterThanOrEqual(2)
    for (const problem of refused?.detail.problems ?? [])
      expect(problem).toMatchObject({ path: expect.any(String), line: 1, column: expect.any(Number) })
    expect(await validateWorkflow(await office.as('tom'), { team, source })).toMatchObject({
      valid: false,
      problems: refused?.detail.problems,
    })
    expect((await getWorkflow(await office.as('tom'), { team, slug: 'expense' })).version).toBe(2)
    expect(await refusal(publishWorkflow(await office.as('tom'), { team, source: EXPENSE }))).toMatchObject({ code: 'forbidden' })
  })

  it('says what may be a mistake, with its place, and publishes all the same', async () => {
    const eli = await office.as('eli')
    const source = EXPENSE.replace('"expense"', '"warned"').replaceAll('manager', 'manger')
    const { warnings, ...published } = await publishWorkflow(eli, { team, source })
    expect(published).toMatchObject({ version: 1, created: true })
    expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['unknown_role', 'unknown_tool', 'gate_can_be_skipped']))
    for (const { path, line, column } of warnings)
      expect([path, line, column]).toEqual([expect.stringMatching(/^\/steps/), 1, expect.any(Number)])
    expect(warnings.find(({ code }) => code === 'unknown_role')?.hint).toBe("did you mean 'manager'?")
    expect(await validateWorkflow(eli, { team, source })).toMatchObject({ valid: true, warnings })
    expect(await validateWorkflow(eli, { team, source: '{' })).toMatchObject({ valid: false, warnings: [] })
  })

  it('shows the workflows of plugins at the first look, whichever page it is', async () => {
    const sam = await office.as('sam')
    await office.pool.query("insert into plugins (id, title, version, description, status) values ('demo', 'Demo', '1', '', 'loaded')")
    await office.pool.query("insert into plugin_workflows (plugin_id, slug, spec, hash) values ('demo', 'from-plugin', $1, 'h')", [
      EXPENSE.replace('"expense"', '"from-plugin"'),
    ])
    expect(await getWorkflow(sam, { team: 'studio', slug: 'from-plugin' })).toMatchObject({ source: 'plugin:demo' })
    expect((await listWorkflows(await office.as('lena'), { team: 'logistics' })).map(({ slug }) => slug)).toEqual(['from-plugin'])
  })
})

describe("one's own things", () => {
  it('a key is shown once, listed without itself, used by nobody else, and ended by its owner', async () => {
    const [tom, frida] = [await office.as('tom'), await office.as('frida')]
    const made = await createKey(tom, { team, name: 'ci', scopes: ['start', 'start', 'read:data'], days: 7 })
    expect(made).toMatchObject({ scopes: ['start', 'read:data'], team, revoked: false, lastUsedAt: null })
    expect(JSON.stringify(await listKeys(tom))).not.toContain(made.key)
    expect(await listKeys(frida)).toEqual([])
    expect(await refusal(revokeKey(frida, { id: made.id }))).toMatchObject({ code: 'not_found' })
    const byKey = await office.byKey(made.key)
    expect(getMe(byKey)).toMatchObject({ id: office.ids.tom, teams: [{ slug: team }] })
    const owners = [
      () => createKey(byKey, { team, name: 'k', scopes: ['start'], days: 1 }),
      () => listKeys(byKey),
      () => revokeKey(byKey, { id: made.id }),
      () => updateMe(byKey, { name: 'X' }),
    ]
    for (const only of owners) expect(await refusal(only())).toMatchObject({ code: 'forbidden' })
    await revokeKey(tom, { id: made.id })
    await revokeKey(tom, { id: made.id })
    expect((await listKeys(tom)).find(({ id }) => id === made.id)).toMatchObject({ revoked: true, lastUsedAt: expect.any(String) })
    await expect(office.byKey(made.key)).rejects.toThrow('no such key')
  })

  it('name, language and time zone can be changed, to ones that exist', async () => {
    expect(await updateMe(await office.as('sam'), { name: 'Sammy', locale: 'de', timeZone: 'Europe/Berlin' })).toMatchObject({
      name: 'Sammy',
      locale: 'de',
      timeZone: 'Europe/Berlin',
    })
    for (const wrong of [{ locale: 'no language' }, { timeZone: 'Mars/Olympus' }, { name: ' ' }])
      expect(updateMeInput.safeParse(wrong).success).toBe(false)
  })
})
