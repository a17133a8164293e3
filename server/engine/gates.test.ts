import { expect, test } from 'vitest'
import { HIDDEN, type ApproveStep, type WorkflowSpec } from '@/spec'
import { createTestEngine, testTool } from './testing'

const document = (gate: Partial<ApproveStep> = {}, more: WorkflowSpec['steps'] = []): WorkflowSpec => ({
  spec: 1,
  slug: 'flow',
  title: 'Flow',
  steps: [{ id: 'gate', uses: 'approve', after: [], role: 'manager', ...gate }, ...more],
})
async function asked(workflow: WorkflowSpec) {
  const t = createTestEngine({ tools: [testTool('t', (input) => input)], workflows: [workflow] })
  const id = await t.start('flow')
  await t.settle()
  for (const user of ['p1', 'p2', 'starter']) t.store.grantRole('team', user, 'manager')
  const output = () => t.run(id).steps.get('gate')?.output
  return { t, id, run: () => t.run(id), output }
}
const untouched = async ({ t, id, run }: Awaited<ReturnType<typeof asked>>) => {
  expect(run()).toMatchObject({ status: 'awaiting_approval', gates: [{ status: 'open' }] })
  expect(t.store.read(id)?.decisions.size).toBe(0)
}

test('whoever started the run may not decide, unless the document says so', async () => {
  const a = await asked(document())
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'starter' })).toEqual({ ok: false, reason: 'own_run' })
  await untouched(a)
  const b = await asked(document({ self_approval: true }))
  expect(await b.t.resolveGate(b.id, { decision: 'approve', userId: 'starter' })).toMatchObject({ ok: true })
})

test('a role lost a moment ago no longer counts', async () => {
  const a = await asked(document())
  a.t.store.revokeRole('team', 'p1', 'manager')
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'p1' })).toEqual({ ok: false, reason: 'not_a_holder' })
  await untouched(a)
})

test('a channel that the document does not list is refused', async () => {
  const a = await asked(document())
  expect(await a.t.resolveGate(a.id, { decision: 'approve', channel: 'email' })).toEqual({ ok: false, reason: 'channel' })
  await untouched(a)
})

test('a decision at the deadline is too late, also before anybody has noticed', async () => {
  const a = await asked(document({ ttl_seconds: 60 }))
  a.t.clock.advance(60_000)
  expect(await a.t.resolveGate(a.id, { decision: 'approve' })).toEqual({ ok: false, reason: 'expired' })
  await untouched(a)
  const b = await asked(document({ ttl_seconds: 60 }))
  b.t.clock.advance(59_999)
  expect(await b.t.resolveGate(b.id, { decision: 'approve' })).toMatchObject({ ok: true })
})

test('lateness is told before anything about the person', async () => {
  const a = await asked(document({ ttl_seconds: 60 }))
  a.t.clock.advance(60_000)
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'nobody' })).toEqual({ ok: false, reason: 'expired' })
})

test('a settled gate takes no further decision', async () => {
  const a = await asked(document())
  await a.t.resolveGate(a.id, { decision: 'approve' })
  expect(await a.t.resolveGate(a.id, { decision: 'reject', userId: 'p1' })).toEqual({ ok: false, reason: 'closed' })
  expect(a.run().status).toBe('succeeded')
})

test('of two decisions at the same moment one counts', async () => {
  const a = await asked(document())
  const both = await Promise.all([
    a.t.resolveGate(a.id, { decision: 'approve', userId: 'p1' }),
    a.t.resolveGate(a.id, { decision: 'reject', userId: 'p2' }),
  ])
  expect(both.filter((one) => one.ok)).toHaveLength(1)
})

test('a gate for two waits for two different people, and names both', async () => {
  const a = await asked(document({ approvals: 2 }))
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'p1' })).toMatchObject({ ok: true, settled: null })
  expect(a.run().status).toBe('awaiting_approval')
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'p1' })).toEqual({ ok: false, reason: 'already_decided' })
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'p2', comment: 'Me too.' })).toMatchObject({ settled: 'approved' })
  expect(a.output()).toMatchObject({ decided_by: 'p2', approvals: [{ decided_by: 'p1' }, { decided_by: 'p2', comment: 'Me too.' }] })
})

test('one refusal rejects, and earlier approvals stay in the output', async () => {
  const a = await asked(
    document({ approvals: 2 }, [{ id: 't', uses: 'tool:t', after: ['gate.rejected'], with: { d: '${steps.gate.output.decision}' } }]),
  )
  await a.t.resolveGate(a.id, { decision: 'approve', userId: 'p1' })
  expect(await a.t.resolveGate(a.id, { decision: 'reject', userId: 'p2' })).toMatchObject({ settled: 'rejected' })
  expect(a.output()).toMatchObject({ decision: 'rejected', decided_by: 'p2', approvals: [{ decided_by: 'p1' }] })
  expect(a.run()).toMatchObject({ status: 'succeeded' })
  expect(a.run().steps.get('t')?.output).toEqual({ d: 'rejected' })
})

test('a form is checked before the decision counts, and its values become output; a refusal needs none', async () => {
  const form = { limit: { type: 'number' as const, minimum: 0 } }
  const a = await asked(document({ form }))
  expect(await a.t.resolveGate(a.id, { decision: 'approve', form: { limit: -1 } })).toMatchObject({
    ok: false,
    reason: 'invalid_form',
    problems: [{ path: '/limit' }],
  })
  expect(await a.t.resolveGate(a.id, { decision: 'approve' })).toMatchObject({ ok: false, reason: 'invalid_form' })
  await untouched(a)
  expect(await a.t.resolveGate(a.id, { decision: 'approve', form: { limit: 7 } })).toMatchObject({ ok: true })
  expect(a.output()).toMatchObject({ form: { limit: 7 } })
  const b = await asked(document({ form }))
  expect(await b.t.resolveGate(b.id, { decision: 'reject' })).toMatchObject({ ok: true, settled: 'rejected' })
})

test('what a form declares secret is not kept: an answer is there to be read', async () => {
  const a = await asked(document({ form: { pin: { type: 'string', secret: true }, note: { type: 'string' } } }))
  expect(await a.t.resolveGate(a.id, { decision: 'approve', userId: 'p1', form: { pin: 'canary', note: 'n' } })).toMatchObject({ ok: true })
  expect(a.output()).toMatchObject({ form: { pin: HIDDEN, note: 'n' } })
  expect(JSON.stringify([...(a.t.store.read(a.id)?.decisions.values() ?? [])])).not.toContain('canary')
})

test('an expiry that somebody follows takes that edge', async () => {
  const a = await asked(document({ ttl_seconds: 60 }, [{ id: 't', uses: 'tool:t', after: ['gate.expired'] }]))
  await a.t.advanceTime(60_000)
  expect(a.run()).toMatchObject({ status: 'succeeded' })
  expect(a.output()).toMatchObject({ decision: 'expired', decided_by: null, approvals: [] })
})

test('other branches go on while a gate is open, and the run waits for approval only when they are done', async () => {
  const work = Promise.withResolvers<null>()
  const t = createTestEngine({
    tools: [testTool('t', () => work.promise)],
    workflows: [document({}, [{ id: 't', uses: 'tool:t', after: [] }])],
  })
  const id = await t.start('flow')
  const settling = t.settle()
  expect(t.run(id)).toMatchObject({ status: 'running', gates: [{ status: 'open' }] })
  work.resolve(null)
  await settling
  expect(t.run(id).status).toBe('awaiting_approval')
})

test('a gate shows exactly what the document says, resolved, and a hash that proves it', async () => {
  const a = await asked(document({ message: '${run.id}', show: { who: '${principal.user_id}' }, title: 'May we?' }))
  const [gate] = a.run().gates
  expect(gate).toMatchObject({
    title: 'May we?',
    message: a.id,
    show: { who: 'starter' },
    shownHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
})

test('there is no such gate', async () => {
  const a = await asked(document())
  expect(await a.t.engine.decideGate('none', { userId: 'p1', decision: 'approve', channel: 'web' })).toEqual({
    ok: false,
    reason: 'not_found',
  })
})
