import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import type { ModelReply, ModelRequest, Tool } from '../ports'
import { createTestEngine, testTool, type TestEngineOptions } from '../testing'

type Said = 'hang' | Partial<ModelReply> | Error | ((request: ModelRequest) => Partial<ModelReply>)
const call = (tool: string, input: Json = {}) => ({ tool, input })
const error = (name: string, fields: object = {}) => Object.assign(new Error('as told'), { name, ...fields })

const quiet = () => new Promise((resolve) => setImmediate(resolve))

/** An agent `ask` whose model says these things in their order, and then nothing more. */
function agentEngine(
  said: Said[],
  fields: object,
  tools: Tool[] = [],
  options: Partial<TestEngineOptions> = {},
  more: WorkflowSpec['steps'] = [],
) {
  const asked: ModelRequest[] = []
  const model = async (request: ModelRequest): Promise<ModelReply> => {
    asked.push(structuredClone({ ...request, signal: undefined }) as unknown as ModelRequest)
    const next = said[asked.length - 1]
    if (next === undefined) throw error('FatalError', { message: 'the script is over' })
    if (next === 'hang') return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(error('AbortError'))))
    if (next instanceof Error) throw next
    return { text: '', calls: [], ...(typeof next === 'function' ? next(request) : next) }
  }
  const step = { id: 'ask', uses: 'agent', after: [], goal: 'Sort', ...fields } as WorkflowSpec['steps'][number]
  const workflow: WorkflowSpec = { spec: 1, slug: 'flow', title: 'Flow', steps: [step, ...more] }
  const t = createTestEngine({ tools, workflows: [workflow], model, ...options })
  return {
    ...t,
    asked,
    /** The agent's worker is gone, in the middle of what it was doing. */
    async killed() {
      const id = await t.start('flow')
      const [job] = await t.queue.fetch(1, 'flow.agent')
      void t.engine.perform(job!)
      await quiet()
      t.queue.lose([job!.id])
      return { id, step: () => t.run(id).steps.get('ask') }
    },
    async begun() {
      const id = await t.start('flow')
      const settled = t.settle()
      await quiet()
      return { id, settled, step: () => t.run(id).steps.get('ask') }
    },
  }
}
const find = (handler: Parameters<typeof testTool>[1] = () => 'found', effect: Tool['effect'] = 'read') =>
  testTool('find', handler, { effect })

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
