import { expect, test } from 'vitest'
import { defineJob, defineTool, defineWorkflow, field, secret, TransientError, withCompensation, z } from './index'
import { createTestEngine } from './testing'

const posted: string[] = []
const post = defineTool({
  name: 'ledger.post',
  title: 'Post',
  description: 'Posts.',
  effect: 'write',
  input: z.object({ amount: z.number(), memo: z.string().optional() }),
  output: z.object({ id: z.string() }),
  run({ idempotencyKey, attempt }, { amount, memo }) {
    if (attempt === 1) throw new TransientError('busy')
    posted.push(`${idempotencyKey.split(':')[1]} ${amount} ${memo ?? 'no memo'}`)
    return withCompensation({ id: 'e1' }, { uses: 'tool:ledger.reverse', with: { id: 'e1' } })
  },
})
const intake = {
  spec: 1,
  slug: 'intake',
  title: 'Intake',
  input: { amount: { type: 'number' }, memo: { type: 'string', required: false } },
  steps: [
    { id: 'post', uses: 'tool:ledger.post', after: [], with: { amount: '${input.amount}', memo: '${input.memo}' } },
    { id: 'ask', uses: 'approve', after: ['post'], role: 'manager' },
  ],
}

test('a plugin author runs a workflow with its tools, turns the clock and decides', async () => {
  const engine = createTestEngine({ tools: [post], workflows: [intake] })
  const id = await engine.start('intake', { amount: 5 })
  await engine.settle()
  expect(posted).toEqual([])
  await engine.advanceTime(1000)
  expect(posted).toEqual(['post 5 no memo'])
  expect(engine.run(id).status).toBe('awaiting_approval')
  await engine.resolveGate(id, { decision: 'approve' })
  expect(engine.run(id).status).toBe('succeeded')
  expect(engine.run(id).steps.get('post')).toMatchObject({ output: { id: 'e1' }, attempt: 2 })
})

test('a workflow of the builder runs as one that was written by hand', async () => {
  const built = defineWorkflow({ slug: 'built', title: 'Built', input: { amounts: field.array(field.number()) } }, (w) => {
    const all = w.map('all', { after: [], over: w.input.amounts, do: (each) => each.call(post, { with: { amount: each.item } }) })
    return { first: w.at(all.output.results, 0).id, failed: all.output.failed }
  })
  const engine = createTestEngine({ tools: [post], workflows: [built] })
  const id = await engine.start('built', { amounts: [1, 2] })
  await engine.settle()
  await engine.advanceTime(1000)
  expect(engine.run(id)).toMatchObject({ status: 'succeeded', output: { first: 'e1', failed: [] } })
})

test('an input that the tool does not take fails the step, naming the place', async () => {
  const engine = createTestEngine({ tools: [post], workflows: [intake] })
  const id = await engine.start('intake', { amount: 'five' })
  await engine.settle()
  expect(engine.run(id)).toMatchObject({ status: 'parked', error: { code: 'invalid_input', message: expect.stringContaining('/amount') } })
})

test('a document that could not be published is refused with its problems', () => {
  expect(() => createTestEngine({ tools: [], workflows: [{ ...intake, steps: [{ id: 'a', uses: 'tool:x' }] }] })).toThrow(/after/)
})

test('a tool that queries without a database fails with a sentence that says what to do', async () => {
  const query = defineTool({ ...post, name: 'q', input: z.object({}), run: async ({ db }) => ({ id: String(await db.query('SELECT 1')) }) })
  const engine = createTestEngine({
    tools: [query],
    workflows: [{ ...intake, input: {}, steps: [{ id: 'a', uses: 'tool:q', after: [] }] }],
  })
  const id = await engine.start('intake')
  await engine.settle()
  expect(engine.run(id).error?.message).toContain('pass `db`')
})

test('jobs and agents run too: the model says what the test gives it to say', async () => {
  const find = defineTool({
    name: 'mail.find',
    title: 'Find',
    description: 'Finds mails.',
    effect: 'read',
    input: z.object({ q: z.string() }),
    output: z.object({ found: z.int() }),
    run: (_, { q }) => ({ found: q.length }),
  })
  const train = defineJob({
    kind: 'model.train',
    title: 'Train',
    description: 'Trains.',
    effect: 'write',
    input: z.object({ on: z.int() }),
    output: z.object({ epochs: z.int() }),
    run: (_, { on }) => ({ epochs: on }),
  })
  const sort = {
    spec: 1,
    slug: 'sort',
    title: 'Sort',
    steps: [
      { id: 'ask', uses: 'agent', after: [], goal: 'Sort', tools: ['mail.find'], output: { n: { type: 'integer' } } },
      { id: 'train', uses: 'job:model.train', after: ['ask'], with: { on: '${steps.ask.output.n}' } },
    ],
    output: { epochs: '${steps.train.output.epochs}' },
  }
  const model = [{ calls: [{ tool: 'mail.find', input: { q: 'bills' } }] }, { answer: { n: 5 } }]
  const engine = createTestEngine({ tools: [find], jobs: [train], workflows: [sort], model })
  const id = await engine.start('sort')
  await engine.settle()
  expect(engine.run(id)).toMatchObject({ status: 'succeeded', output: { epochs: 5 } })
  expect(engine.run(id).steps.get('ask')?.conversation.get('t1.1')).toMatchObject({ input: { q: 'bills' }, output: { found: 5 } })
  const again = await engine.start('sort')
  await engine.settle()
  expect(engine.run(again)).toMatchObject({ status: 'parked', error: { message: 'The test gave its model no more replies' } })
})

test('a model that is a function sees what it is asked, with what tools take', async () => {
  const asked: unknown[] = []
  const engine = createTestEngine({
    tools: [post],
    workflows: [
      { spec: 1, slug: 'ask', title: 'Ask', steps: [{ id: 'ask', uses: 'agent', after: [], goal: 'Post it', tools: ['ledger.post'] }] },
    ],
    model: ({ goal, tools }) => {
      asked.push(goal, tools)
      return { text: 'no' }
    },
  })
  const id = await engine.start('ask')
  await engine.settle()
  expect(engine.run(id).steps.get('ask')?.output).toEqual({ text: 'no' })
  expect(asked).toEqual([
    'Post it',
    [expect.objectContaining({ name: 'ledger.post', description: 'Posts.', inputSchema: expect.objectContaining({ type: 'object' }) })],
  ])
})

test('a secret input reaches the tool that declares it, and is hidden where the test looks', async () => {
  const seen: string[] = []
  const connect = defineTool({
    name: 'crm.connect',
    title: 'Connect',
    description: 'Connects.',
    effect: 'read',
    input: z.object({ key: secret(z.string()).optional(), note: z.string().optional() }),
    output: z.object({ answer: z.string() }),
    run(_, { key = 'none' }) {
      seen.push(key)
      return { answer: `connected with ${key}` }
    },
  })
  const flow = (given: 'key' | 'note') =>
    defineWorkflow({ slug: given, title: 'Flow', input: { token: field.string({ secret: true }) } }, (w) => {
      w.call('connect', connect, { after: [], with: { [given]: w.input.token } })
    })
  const engine = createTestEngine({ tools: [connect], workflows: [flow('key'), flow('note')] })
  const [well, badly] = [await engine.start('key', { token: 'canary' }), await engine.start('note', { token: 'canary' })]
  await engine.settle()
  expect(seen).toEqual(['canary'])
  expect(engine.run(well).steps.get('connect')).toMatchObject({ input: { key: '•••' }, output: { answer: 'connected with •••' } })
  expect(engine.run(badly)).toMatchObject({ status: 'parked', error: { code: 'secret_not_allowed' } })
})

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)])
type Nest = Nest[]
const nest: z.ZodType<Nest> = z.lazy(() => z.array(nest))
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no')
    },
    getOwnPropertyDescriptor: () => {
      throw new Error('no')
    },
  },
)
const unreadable = {
  get ref(): string {
    throw new Error('no')
  },
}

test.each<[string, z.ZodType, unknown, unknown]>([
  ['a refinement that throws', z.object({ ref: z.string().nullable() }).refine(({ ref }) => ref!.length > 3), { ref: null }, { ref: null }],
  ['a refinement that is a promise', z.string().refine(async () => true), 'x', 'x'],
  ['a getter that throws', z.object({ ref: z.string() }), unreadable, null],
  ['an object that throws whatever one asks', z.object({}), hostile, null],
  ['nesting that its schema cannot follow', nest, nested(3000), null],
])('an effect that cannot be repeated is not made twice for an output with %s', async (_, output, returned, kept) => {
  let made = 0
  const charge = defineTool({
    name: 'card.charge',
    title: 'Charge',
    description: 'Charges.',
    effect: 'once',
    input: z.object({}),
    output,
    run: () => {
      made++
      return returned
    },
  })
  const workflow = {
    spec: 1,
    slug: 'pay',
    title: 'Pay',
    steps: [{ id: 'charge', uses: 'tool:card.charge', after: [], retry: { max_attempts: 3 } }],
  }
  const engine = createTestEngine({ tools: [charge], workflows: [workflow] })
  const id = await engine.start('pay')
  await engine.settle()
  await engine.advanceTime(3_600_000)
  expect(made).toBe(1)
  expect(engine.run(id).status).toBe('succeeded')
  expect(engine.run(id).steps.get('charge')).toMatchObject({ status: 'succeeded', output: kept, flag: 'output_invalid', attempt: 1 })
})
