import { expect, test } from 'vitest'
import { agentEngine, call, find, quiet } from './agent.testsuite'

test('after a lost worker no recorded reply is asked for again and no recorded call is made again', async () => {
  let found = 0
  const t = agentEngine([{ calls: [call('find')] }, 'hang', { text: 'ok' }], { tools: ['find'], unattended: true }, [
    find(() => ++found, 'write'),
  ])
  const { step } = await t.killed()
  await t.settle()
  expect(step()).toMatchObject({ status: 'succeeded', attempt: 2 })
  expect(t.asked.map(({ about }) => about.turn)).toEqual([1, 2, 2])
  expect(found).toBe(1)
})

test('a call that was under way when the worker was lost is made again under the same key', async () => {
  const calls: string[] = []
  const hold = find((_, { idempotencyKey, attempt }) => {
    calls.push(`${idempotencyKey.split(':')[1]} ${attempt}`)
    return attempt === 1 ? new Promise(() => {}) : 'found'
  }, 'write')
  const t = agentEngine([{ calls: [call('find')] }, { text: 'ok' }], { tools: ['find'], unattended: true }, [hold])
  const { step } = await t.killed()
  await t.settle()
  expect(calls).toEqual(['ask/t1.1 1', 'ask/t1.1 2'])
  expect(step()).toMatchObject({ status: 'succeeded', attempt: 2 })
  expect(t.asked.map(({ about }) => about.turn)).toEqual([1, 2])
})

test('one that cannot be repeated is not: the run parks, and a re-drive makes it again under the same key', async () => {
  const keys: string[] = []
  const once = find((_, { idempotencyKey }) => {
    keys.push(idempotencyKey.split(':')[1] ?? '')
    return keys.length === 1 ? new Promise(() => {}) : 'sent'
  }, 'once')
  const t = agentEngine([{ calls: [call('find')] }, { text: 'ok' }], { tools: ['find'], unattended: true }, [once])
  const { id, step } = await t.killed()
  await t.settle()
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown', stepId: 'ask' } })
  expect(step()?.conversation.get('t1.1')).toMatchObject({ status: 'failed', error: { code: 'outcome_unknown' } })
  expect(keys).toHaveLength(1)
  expect(await t.engine.redrive(id, { by: 'p', answers: {}, effectOf: () => 'read' })).toEqual({ ok: true })
  await t.settle()
  expect(t.run(id).status).toBe('succeeded')
  expect(keys).toEqual(['ask/t1.1', 'ask/t1.1'])
  expect(t.asked.map(({ about }) => about.turn)).toEqual([1, 2])
})

test('a worker that lost its row to another neither records nor calls anything any more', async () => {
  const replies: (() => void)[] = []
  let called = 0
  const t = agentEngine([], { tools: ['find'] }, [find(() => ++called)], {
    model: () =>
      new Promise((resolve) =>
        replies.push(() => resolve({ text: replies.length === 1 ? '' : 'ok', calls: replies.length === 1 ? [call('find')] : [] })),
      ),
  })
  const { step } = await t.killed()
  const settled = t.settle()
  await quiet()
  replies[0]?.()
  await quiet()
  expect(step()?.conversation.size).toBe(0)
  replies[1]?.()
  await settled
  expect(step()).toMatchObject({ status: 'succeeded', output: { text: 'ok' } })
  expect(called).toBe(0)
})

test.each([
  ['write', 'pending', undefined],
  ['once', 'failed', 'outcome_unknown'],
] as const)('a worker lost while its run is stopping leaves no call running: one that is %s', async (effect, status, code) => {
  for (const lose of ['lose', 'remove'] as const) {
    const t = agentEngine([{ calls: [call('find')] }], { tools: ['find'], unattended: true }, [find(() => new Promise(() => {}), effect)])
    const { id, step } = await t.killed()
    const job = [...(t.store.read(id)?.rows.values() ?? [])].find((row) => row.call === '')?.jobId ?? ''
    t.queue[lose]([job])
    await t.engine.cancel(id)
    await t.engine.sweep()
    await t.settle()
    expect(t.run(id).status).toBe('cancelled')
    expect(step()?.conversation.get('t1.1')?.status).toBe(status)
    expect(step()?.error?.code).toBe(code)
  }
})
