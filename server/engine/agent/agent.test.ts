import { expect, test } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { createTestEngine } from '../testing'
import { agentEngine, call, error, find } from './agent.testsuite'

test('the model is told the goal, the data, what it may call with which input, and what came of its calls', async () => {
  const tool = { ...find(() => ({ n: 1 })), description: 'Finds.', inputSchema: { type: 'object', required: ['q'] } }
  const fields = { goal: 'Sort the mail', context: { mails: [1] }, tools: ['find'], output: { kind: { type: 'string' } } }
  const t = agentEngine([{ text: 'I look', calls: [call('find', { q: 'x' })] }, { answer: { kind: 'bill' } }], fields, [tool])
  const { step } = await t.begun()
  expect(step()).toMatchObject({ status: 'succeeded', output: { kind: 'bill' }, input: { goal: 'Sort the mail', context: { mails: [1] } } })
  expect(t.asked[0]).toMatchObject({
    about: { stepId: 'ask', item: -1, turn: 1 },
    goal: 'Sort the mail',
    context: { mails: [1] },
    tools: [{ name: 'find', description: 'Finds.', inputSchema: { type: 'object', required: ['q'] } }],
    answer: { type: 'object', properties: { kind: { type: 'string' } }, required: ['kind'] },
    turns: [],
  })
  expect(t.asked[1]?.turns).toEqual([
    { reply: { text: 'I look', calls: [call('find', { q: 'x' })] }, results: [{ ok: true, output: { n: 1 } }], complaint: null },
  ])
})

test('every reply and every call is a recorded row, with what was given and what came of it', async () => {
  const t = agentEngine(
    [{ calls: [call('find', { q: 1 }), call('rm')], usage: { input: 5, output: 2 } }, { text: 'ok' }],
    { tools: ['find'] },
    [find()],
  )
  const { step } = await t.begun()
  const rows = step()?.conversation
  expect([...(rows?.keys() ?? [])]).toEqual(['t1', 't1.1', 't1.2', 't2'])
  expect(rows?.get('t1')).toMatchObject({ status: 'succeeded', output: { usage: { input: 5, output: 2 } } })
  expect(rows?.get('t1.1')).toMatchObject({ status: 'succeeded', input: { q: 1 }, output: 'found' })
  expect(rows?.get('t1.2')).toMatchObject({ status: 'failed', error: { code: 'denied' } })
})

test('an answer that does not fit is told to the model and costs a turn; JSON as text is an answer too', async () => {
  const fields = { output: { n: { type: 'integer', minimum: 1 } }, max_turns: 3 }
  const t = agentEngine([{ answer: { n: 0 } }, { text: 'seven' }, { text: '{"n": 7, "more": 1}' }], fields)
  const { step } = await t.begun()
  expect(step()).toMatchObject({ status: 'succeeded', output: { n: 7 } })
  expect(t.asked[2]?.turns.map(({ complaint }) => complaint)).toEqual([
    expect.stringContaining('/n'),
    expect.stringContaining('not given in the fields'),
  ])
})

test.each([
  ['answers that never fit', { output: { n: { type: 'integer' } } }, [{ text: 'no' }, { answer: {} }], 'agent_output_invalid'],
  ['an empty text', {}, [{ text: ' ' }, {}], 'agent_output_invalid'],
  [
    'an answer beside calls, which was given without their results',
    { output: { n: { type: 'integer' } }, tools: ['find'] },
    [{ calls: [call('find')], answer: { n: 1 } }, { calls: [call('find')] }],
    'agent_turns_exhausted',
  ],
])('a conversation ends with %s', async (_, fields, said, code) => {
  const t = agentEngine(said, { ...fields, max_turns: 2 }, [find()])
  const { id } = await t.begun()
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code, stepId: 'ask' } })
})

test('without a model an agent fails and says what is missing', async () => {
  const t = createTestEngine({
    workflows: [{ spec: 1, slug: 'flow', title: 'F', steps: [{ id: 'ask', uses: 'agent', after: [], goal: 'x' }] }],
  })
  const id = await t.start('flow')
  await t.settle()
  expect(t.run(id)).toMatchObject({
    status: 'parked',
    error: { code: 'agent_not_configured', message: expect.stringContaining('CLEW_AI_BASE_URL') },
  })
})

test('a listed tool that no plugin brings stops the run before the model is asked', async () => {
  const t = agentEngine([{ text: 'ok' }], { tools: ['gone'] })
  const { id } = await t.begun()
  expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'unknown_tool', message: "unknown tool 'gone'" } })
  expect(t.asked).toEqual([])
})

test('a rate limit of the model uses no attempt, and the conversation goes on with what is recorded', async () => {
  const t = agentEngine([{ calls: [call('find')] }, error('RateLimitError', { retryAfter: 30 }), { text: 'ok' }], { tools: ['find'] }, [
    find(),
  ])
  const { id, settled } = await t.begun()
  await settled
  expect(t.run(id).steps.get('ask')).toMatchObject({ status: 'queued', attempt: 1 })
  await t.advanceTime(60_000)
  expect(t.run(id).steps.get('ask')).toMatchObject({ status: 'succeeded', attempt: 1 })
  expect(t.asked.map(({ about }) => about.turn)).toEqual([1, 2, 2])
})

test('two agents of a map have conversations and keys of their own', async () => {
  const keys: string[] = []
  const workflow: WorkflowSpec = {
    spec: 1,
    slug: 'flow',
    title: 'Flow',
    steps: [{ id: 'm', uses: 'map', after: [], over: ['x', 'y'], do: { uses: 'agent', goal: '${item}', tools: ['find'] } }],
  }
  const t = createTestEngine({
    workflows: [workflow],
    tools: [find((_, { idempotencyKey }) => keys.push(idempotencyKey.split(':').slice(1).join(':')))],
    model: async ({ goal, turns }) =>
      turns.length === 0 ? { text: '', calls: [call('find')] } : { text: `about ${String(goal)}`, calls: [] },
  })
  const id = await t.start('flow')
  await t.settle()
  expect(keys.sort()).toEqual(['m:0/t1.1', 'm:1/t1.1'])
  expect(t.run(id).steps.get('m')?.output).toEqual({ results: [{ text: 'about x' }, { text: 'about y' }], failed: [] })
  expect(t.run(id).steps.get('m')?.items[1]?.conversation.get('t1.1')?.status).toBe('succeeded')
})
