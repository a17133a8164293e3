import { expect, test } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import type { Tool } from '../ports'
import { testTool } from '../testing'
import { agentEngine, call, error, find, quiet, type Said } from './agent.testsuite'

test('a cancelled run ends the question to the model at once', async () => {
  const t = agentEngine(['hang'], {})
  const { id, settled } = await t.begun()
  await t.engine.cancel(id)
  await settled
  expect(t.run(id).status).toBe('cancelled')
  expect(t.run(id).steps.get('ask')?.status).toBe('pending')
})

test('a call that runs when its run is cancelled drains, and then the model is not asked again', async () => {
  const end = Promise.withResolvers<string>()
  const t = agentEngine([{ calls: [call('find')] }, { text: 'ok' }], { tools: ['find'] }, [find(() => end.promise)])
  const { id, settled, step } = await t.begun()
  await t.engine.cancel(id)
  await quiet()
  expect(t.run(id).status).toBe('running')
  end.resolve('found')
  await settled
  expect(t.run(id).status).toBe('cancelled')
  expect(step()?.conversation.get('t1.1')).toMatchObject({ status: 'succeeded', output: 'found' })
  expect(t.asked).toHaveLength(1)
})

test('a run that stops interrupts the conversation, and a re-drive goes on with it', async () => {
  const heard = Promise.withResolvers<void>()
  const fails = { id: 'b', uses: 'tool:break', after: [] } as WorkflowSpec['steps'][number]
  let broken = true
  const t = agentEngine(
    [{ calls: [call('find')] }, { calls: [call('find')] }, { text: 'ok' }],
    { tools: ['find'] },
    [
      find(() => heard.promise.then(() => 'found')),
      testTool('break', () => {
        if (broken) throw error('FatalError')
        return 1
      }),
    ],
    {},
    [fails],
  )
  const { id, settled, step } = await t.begun()
  heard.resolve()
  await settled
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { stepId: 'b' } })
  expect(step()?.status).toBe('pending')
  broken = false
  expect(await t.engine.redrive(id, { by: 'p', answers: {}, effectOf: () => 'read' })).toEqual({ ok: true })
  await t.settle()
  expect(t.run(id).status).toBe('succeeded')
  expect(t.asked.map(({ about }) => about.turn)).toEqual([1, 2, 3])
})

test('re-driven, a conversation that came to its own end begins anew under new keys, one that did not goes on', async () => {
  const keys: string[] = []
  const tool = find((_, { idempotencyKey }) => keys.push(idempotencyKey.split(':')[1] ?? ''))
  const redriven = async (said: Said[]) => {
    keys.length = 0
    const t = agentEngine(said, { tools: ['find'], max_turns: 2 }, [tool])
    const { id } = await t.begun()
    expect(t.run(id).status).toBe('parked')
    await t.engine.redrive(id, { by: 'p', answers: {}, effectOf: () => 'read' })
    await t.settle()
    expect(t.run(id).status).toBe('succeeded')
    return t.asked.map(({ about }) => about.turn)
  }
  expect(await redriven([{ calls: [call('find')] }, { calls: [call('find')] }, { calls: [call('find')] }, { text: 'ok' }])).toEqual([
    1, 2, 1, 2,
  ])
  expect(keys).toEqual(['ask/t1.1', 'ask/t2.1', 'ask/t1.1#2'])
  expect(await redriven([{ calls: [call('find')] }, error('FatalError'), { text: 'ok' }])).toEqual([1, 2, 2])
  expect(keys).toEqual(['ask/t1.1'])
})

/** How a conversation ends whose limit of 100 s comes while a call with this effect runs. */
const outOfTime = async (effect: Tool['effect']) => {
  const t = agentEngine(
    [{ calls: [call('find')] }],
    { tools: ['find'], unattended: true, timeout_seconds: 100, retry: { max_attempts: 1 } },
    [find(() => new Promise(() => {}), effect)],
  )
  const { id, settled } = await t.begun()
  t.clock.advance(100_000)
  await settled
  return t.run(id).error?.code
}

test('the time limit is that of the whole conversation, also while a call runs; what cannot be repeated is then unknown', async () => {
  expect(await outOfTime('write')).toBe('timeout')
  expect(await outOfTime('once')).toBe('outcome_unknown')
})
