import { expect, test } from 'vitest'
import { testTool } from '../testing'
import { agentEngine, call, error, find, quiet } from './agent.testsuite'

test('every call passes the chain, and so does the agent itself', async () => {
  const admitted: string[] = []
  const access = {
    admit: async ({ tool, effect }: { tool: string; effect: string }) => {
      admitted.push(`${tool} ${effect}`)
      return tool === 'find' ? ({ ok: false, code: 'denied', message: 'switched off' } as const) : ({ ok: true } as const)
    },
  }
  const t = agentEngine([{ calls: [call('find')] }, { text: 'ok' }], { tools: ['find'] }, [find()], { access })
  const { step } = await t.begun()
  expect(step()?.status).toBe('succeeded')
  expect(admitted).toEqual(['agent read', 'find read'])
  expect(t.asked[1]?.turns[0]?.results).toEqual([{ ok: false, code: 'denied', message: 'switched off' }])
})

test('an input that the tool refuses, and one that is no JSON, are told to the model', async () => {
  const strict = testTool('find', () => 1, {
    effect: 'read',
    problems: (input) => (typeof input === 'object' ? [] : [{ path: '', message: 'expected object' }]),
  })
  const t = agentEngine([{ calls: [call('find', '{"q":')] }, { text: 'ok' }], { tools: ['find'] }, [strict])
  await t.begun()
  expect(t.asked[1]?.turns[0]?.results).toMatchObject([
    { ok: false, code: 'invalid_input', message: expect.stringContaining('expected object') },
  ])
})

test('a call that fails in passing is tried again under the same key before the model hears of it', async () => {
  const keys: string[] = []
  const flaky = find((_, { idempotencyKey, attempt }) => {
    keys.push(`${idempotencyKey.split(':')[1]} ${attempt}`)
    if (attempt < 3) throw error('TransientError')
    return 'found'
  }, 'write')
  const t = agentEngine([{ calls: [call('find')] }, { text: 'ok' }], { tools: ['find'], unattended: true }, [flaky])
  const { settled, step } = await t.begun()
  for (let i = 0; i < 3; i++) {
    t.clock.advance(60_000)
    await quiet()
  }
  await settled
  expect(keys).toEqual(['ask/t1.1 1', 'ask/t1.1 2', 'ask/t1.1 3'])
  expect(step()).toMatchObject({ status: 'succeeded', attempt: 1 })
})

test('calls of one reply run at the same time, and no more than 50 of them', async () => {
  let most = 0
  let now = 0
  const slow = find(async () => {
    most = Math.max(most, ++now)
    await new Promise((resolve) => setImmediate(resolve))
    now--
    return 1
  })
  const t = agentEngine([{ calls: Array.from({ length: 60 }, () => call('find')) }, { text: 'ok' }], { tools: ['find'] }, [slow])
  const { settled } = await t.begun()
  await settled
  expect(most).toBeGreaterThan(1)
  expect(t.asked[1]?.turns[0]?.results.filter(({ ok }) => ok)).toHaveLength(50)
  expect(t.asked[1]?.turns[0]?.results.at(-1)).toMatchObject({ ok: false, code: 'denied' })
})
