import { expect, test } from 'vitest'
import { validateWorkflow } from '@/spec'
import { EXAMPLE } from '@/spec/testing/example'
import { defineJob, defineTool, defineWorkflow, field, named, z } from './index'

const tool = <I extends z.ZodObject, O extends z.ZodType>(name: string, input: I, output: O) =>
  defineTool({ name, title: 'T', description: 'D', effect: 'write', input, output, run: () => Promise.reject(new Error('never run')) })

const post = tool('ledger.post', z.object({ amount: z.number(), memo: z.string() }), z.object({ entry_id: z.string() }))
const reverse = tool('ledger.reverse', z.object({ entry: z.string() }), z.object({}))

test('the example of the specification is built word for word', () => {
  const built = defineWorkflow(
    {
      slug: 'expense-approval',
      title: 'Expense approval',
      input: {
        amount: field.number({ title: 'Amount (EUR)', minimum: 0 }),
        reason: field.string({ title: 'What for', format: 'multiline' }),
      },
      runTitle: (input) => input.reason,
    },
    (w) => {
      const { amount, reason } = w.input
      const route = w.choice('route', { after: [], branches: { large: w.when(amount).gt(500), small: w.otherwise } })
      const signOff = w.approve('sign_off', {
        after: [route.large],
        role: 'manager',
        channels: ['web', 'email'],
        show: { amount, reason },
      })
      const pay = w.call('pay', post, {
        after: [route.small, signOff],
        join: 'any',
        with: { amount, memo: reason },
        compensate: (posted) => w.undo(reverse, { entry: posted.entry_id }),
      })
      return { entry: pay.output.entry_id }
    },
  )
  expect(built).toStrictEqual(JSON.parse(EXAMPLE))
})

const chat = tool(
  'chat.message',
  z.object({ text: z.string(), tone: z.string().optional() }),
  z.object({ reply: z.string(), people: z.array(z.object({ name: z.string() })), facts: z.record(z.string(), z.number()) }),
)
const translate = tool('chat.translate', z.object({ text: z.string(), into: z.enum(['es', 'nl', 'is']) }), z.object({ text: z.string() }))
const report = defineJob({
  kind: 'report.monthly',
  title: 'T',
  description: 'D',
  input: z.object({ month: z.string() }),
  output: z.object({ pages: z.number() }),
  run: () => Promise.reject(new Error('never run')),
})
const child = defineWorkflow(
  { slug: 'child-flow', title: 'Child', input: { text: field.string(), urgent: field.boolean({ default: false }) } },
  (w) => ({ entry: w.call('post', post, { after: [], with: { amount: 1, memo: w.input.text } }).output.entry_id }),
)

test('every kind of step, field and option is built as a person would write it', () => {
  const built = defineWorkflow(
    {
      slug: 'all-kinds',
      title: 'Everything',
      description: 'Costs ${5}.',
      input: {
        amount: field.integer({ description: 'In cents', minimum: 0, maximum: 10, enum: [1, 2], default: 2 }),
        name: field.string({ required: false, minLength: 1, maxLength: 9 }),
        lines: field.array(field.object({ price: field.number() }, { required: false }), { title: 'Lines' }),
        urgent: field.boolean(),
        token: field.string({ secret: true }),
      },
      compensateOn: ['parked', 'cancelled'],
    },
    (w) => {
      const { amount, name, lines, urgent, token } = w.input
      const ask = w.agent('ask', {
        after: [],
        title: 'Ask',
        description: 'Asks.',
        goal: 'Find out',
        context: { name, deep: [w.run.id, 1, null] },
        tools: [chat, 'crm.find'],
        unattended: true,
        maxTurns: 3,
        output: { verdict: field.string({ enum: ['yes', 'no'] }) },
        retry: { maxAttempts: 2, baseSeconds: 3, maxSeconds: 4 },
        timeoutSeconds: 60,
      })
      const route = w.choice('route', {
        after: [ask],
        branches: {
          no: w.when(ask.output.verdict).eq('no'),
          some: w.when(lines).contains({ price: 1 }),
          none: w.when(name).empty(),
          known: w.when(name).exists(),
          more: w.when(amount).gt(1),
          less: w.when(amount).lt(amount),
          other: w.when(urgent).ne(null),
          constructor: w.otherwise,
        },
      })
      const gate = w.approve('gate', {
        after: [route.no, route.constructor],
        join: 'any',
        role: 'manager',
        ttlSeconds: 60,
        message: 'Look',
        show: { taken: w.taken(route) },
        approvals: 2,
        selfApproval: true,
        requireSignIn: true,
        remindAfterSeconds: 3600,
      })
      const form = w.approve('form', { after: [gate.rejected, gate.expired], join: 'any', role: 'clerk', form: { note: field.string() } })
      const run = w.job('run', report, { after: [form.approved], with: { month: 'may' }, timeoutSeconds: 86_401 })
      const sub = w.workflow('sub', child, {
        after: [run],
        version: 3,
        with: { text: w.present(form.output.form.note) },
        compensate: (done) => w.undo(reverse, { entry: done.entry }),
      })
      const all = w.map('all', {
        after: [sub],
        over: ['es', 'nl'],
        do: (each) =>
          each.call(translate, {
            with: { text: w.principal.locale, into: each.item },
            retry: { maxAttempts: 1 },
            compensate: (done) => w.undo(chat, { text: done.text, tone: each.item }),
          }),
        concurrency: 2,
        tolerate: 1,
      })
      const jobs = w.map('jobs', { after: [all], over: lines, do: (each) => each.job('report.daily', { with: { at: each.index } }) })
      w.map('flows', { after: [jobs.failed], over: [1], do: (each) => each.workflow('child-flow', { with: { n: each.item } }) })
      w.map('agents', { after: [jobs], over: all.output.results, do: (each) => each.agent({ goal: w.present(each.item.text) }) })
      w.wait('pause', { after: [jobs.succeeded], until: '2026-01-31T09:00:00Z' })
      w.call('find', named.tool<{ token: string }, { people: string[] }>('crm.find'), { after: [], with: { token } })
      const last = w.wait('last', { after: [], seconds: amount })
      return { code: jobs.error.code, until: last.output.waited_until, first: w.at(all.output.results, 0).text, page: run.output.pages }
    },
  )
  expect(built).toStrictEqual({
    spec: 1,
    slug: 'all-kinds',
    title: 'Everything',
    description: 'Costs ${5}.',
    input: {
      amount: { type: 'integer', description: 'In cents', minimum: 0, maximum: 10, enum: [1, 2], default: 2 },
      name: { type: 'string', required: false, min_length: 1, max_length: 9 },
      lines: { type: 'array', title: 'Lines', items: { type: 'object', required: false, properties: { price: { type: 'number' } } } },
      urgent: { type: 'boolean' },
      token: { type: 'string', secret: true },
    },
    compensate_on: ['parked', 'cancelled'],
    steps: [
      {
        id: 'ask',
        uses: 'agent',
        after: [],
        title: 'Ask',
        description: 'Asks.',
        goal: 'Find out',
        context: { name: '${input.name}', deep: ['${run.id}', 1, null] },
        tools: ['chat.message', 'crm.find'],
        unattended: true,
        max_turns: 3,
        output: { verdict: { type: 'string', enum: ['yes', 'no'] } },
        retry: { max_attempts: 2, base_seconds: 3, max_seconds: 4 },
        timeout_seconds: 60,
      },
      {
        id: 'route',
        uses: 'choice',
        after: ['ask'],
        branches: [
          { name: 'no', when: { left: '${steps.ask.output.verdict}', op: 'eq', right: 'no' } },
          { name: 'some', when: { left: '${input.lines}', op: 'contains', right: { price: 1 } } },
          { name: 'none', when: { left: '${input.name}', op: 'empty' } },
          { name: 'known', when: { left: '${input.name}', op: 'exists' } },
          { name: 'more', when: { left: '${input.amount}', op: 'gt', right: 1 } },
          { name: 'less', when: { left: '${input.amount}', op: 'lt', right: '${input.amount}' } },
          { name: 'other', when: { left: '${input.urgent}', op: 'ne', right: null } },
          { name: 'constructor' },
        ],
      },
      {
        id: 'gate',
        uses: 'approve',
        after: ['route.no', 'route.constructor'],
        join: 'any',
        role: 'manager',
        ttl_seconds: 60,
        message: 'Look',
        show: { taken: '${steps.route.output.branch}' },
        approvals: 2,
        self_approval: true,
        require_sign_in: true,
        remind_after_seconds: 3600,
      },
      {
        id: 'form',
        uses: 'approve',
        after: ['gate.rejected', 'gate.expired'],
        join: 'any',
        role: 'clerk',
        form: { note: { type: 'string' } },
      },
      { id: 'run', uses: 'job:report.monthly', after: ['form.approved'], with: { month: 'may' }, timeout_seconds: 86_401 },
      {
        id: 'sub',
        uses: 'workflow:child-flow@3',
        after: ['run'],
        with: { text: '${steps.form.output.form.note}' },
        compensate: { uses: 'tool:ledger.reverse', with: { entry: '${steps.sub.output.entry}' } },
      },
      {
        id: 'all',
        uses: 'map',
        after: ['sub'],
        over: ['es', 'nl'],
        do: {
          uses: 'tool:chat.translate',
          with: { text: '${principal.locale}', into: '${item}' },
          retry: { max_attempts: 1 },
          compensate: { uses: 'tool:chat.message', with: { text: '${steps.all.output.text}', tone: '${item}' } },
        },
        concurrency: 2,
        tolerate: 1,
      },
      { id: 'jobs', uses: 'map', after: ['all'], over: '${input.lines}', do: { uses: 'job:report.daily', with: { at: '${index}' } } },
      { id: 'flows', uses: 'map', after: ['jobs.failed'], over: [1], do: { uses: 'workflow:child-flow', with: { n: '${item}' } } },
      { id: 'agents', uses: 'map', after: ['jobs'], over: '${steps.all.output.results}', do: { uses: 'agent', goal: '${item.text}' } },
      { id: 'pause', uses: 'wait', after: ['jobs.succeeded'], until: '2026-01-31T09:00:00Z' },
      { id: 'find', uses: 'tool:crm.find', after: [], with: { token: '${input.token}' } },
      { id: 'last', uses: 'wait', after: [], seconds: '${input.amount}' },
    ],
    output: {
      code: '${steps.jobs.output.error.code}',
      until: '${steps.last.output.waited_until}',
      first: '${steps.all.output.results.0.text}',
      page: '${steps.run.output.pages}',
    },
  })
  expect(validateWorkflow(built)).toMatchObject({ ok: true })
  expect(validateWorkflow(JSON.parse(JSON.stringify(built)))).toEqual(validateWorkflow(built))
})
