/*
 * Mistakes that must not compile, each a function that is never called. tsc, which is part of the tests, fails where one compiles:
 * `@ts-expect-error` then has nothing to expect. `define-workflow.test.ts` counts them.
 */
import { defineJob, defineTool, defineWorkflow, field, named, z } from './index'
import type { Builder } from './workflow/builder'

const never = () => Promise.reject(new Error('never run'))
const chat = defineTool({
  name: 'chat.message',
  title: 'Chat',
  description: 'Answers.',
  effect: 'write',
  input: z.object({ text: z.string(), tone: z.enum(['plain', 'formal']).optional(), temperature: z.number().optional() }),
  output: z.object({ reply: z.string(), tokens: z.number(), note: z.string().optional(), tags: z.array(z.string()) }),
  run: never,
})
const retract = defineTool({ ...chat, name: 'chat.retract', input: z.object({ reply: z.string() }), output: z.object({}), run: never })
const report = defineJob({
  kind: 'report.monthly',
  title: 'Report',
  description: 'Writes the report.',
  input: z.object({ month: z.string() }),
  output: z.object({ pages: z.number() }),
  run: never,
})
const fields = {
  text: field.string(),
  amount: field.number(),
  nickname: field.string({ required: false }),
  language: field.string({ enum: ['es', 'nl'] }),
  lines: field.array(field.object({ price: field.number() })),
  token: field.string({ secret: true }),
  account: field.object({ name: field.string(), password: field.string({ secret: true }) }),
}
const child = defineWorkflow(
  { slug: 'child-flow', title: 'Child', input: { amount: field.number(), memo: field.string({ default: '' }) } },
  (w) => {
    const wait = w.wait('rest', { after: [], seconds: w.input.amount })
    return { until: wait.output.waited_until }
  },
)

/** A mistake in the steps of a workflow with these inputs. */
const inSteps = (mistake: (w: Builder<typeof fields>) => unknown) => mistake
const inOptions = (mistake: () => unknown) => mistake

export const mistakes = {
  'steps that are added by an async function': inOptions(() =>
    defineWorkflow(
      { slug: 'a-flow', title: 'A' },
      // @ts-expect-error what comes after an await comes too late
      async (w) => void w.wait('a', { after: [], seconds: 1 }),
    ),
  ),
  'a member that the output of a tool does not have': inSteps((w) => {
    const step = w.call('a', chat, { after: [], with: { text: w.input.text } })
    // @ts-expect-error the tool gives `reply`
    return step.output.replay
  }),
  'a text where the tool wants a number': inSteps((w) =>
    // @ts-expect-error `temperature` is a number
    w.call('a', chat, { after: [], with: { text: w.input.text, temperature: w.input.text } }),
  ),
  'a literal of the wrong type': inSteps((w) =>
    // @ts-expect-error `text` is a text
    w.call('a', chat, { after: [], with: { text: 5 } }),
  ),
  'an input that the tool wants is missing': inSteps((w) =>
    // @ts-expect-error `text` is missing
    w.call('a', chat, { after: [], with: { tone: 'plain' } }),
  ),
  'no `with` for a tool that wants an input': inSteps((w) =>
    // @ts-expect-error `with` is missing
    w.call('a', chat, { after: [] }),
  ),
  'an input that the tool does not have': inSteps((w) =>
    // @ts-expect-error `texts` is no input
    w.call('a', chat, { after: [], with: { text: w.input.text, texts: 'x' } }),
  ),
  'a value that is none of those that are listed': inSteps((w) =>
    // @ts-expect-error `tone` is plain or formal
    w.call('a', chat, { after: [], with: { text: w.input.text, tone: 'friendly' } }),
  ),
  'a reference to any text where some are listed': inSteps((w) =>
    // @ts-expect-error `text` may be any text
    w.call('a', chat, { after: [], with: { text: w.input.text, tone: w.input.text } }),
  ),
  'an optional input where the tool wants a value': inSteps((w) =>
    // @ts-expect-error `nickname` may be null
    w.call('a', chat, { after: [], with: { text: w.input.nickname } }),
  ),
  'an optional output where the tool wants a value': inSteps((w) => {
    const step = w.call('a', chat, { after: [], with: { text: 'x' } })
    // @ts-expect-error `note` may be absent
    return w.call('b', chat, { after: [step], with: { text: step.output.note } })
  }),
  'the output of a tool of which nothing is known, where a type is wanted': inSteps((w) => {
    const found = w.call('a', 'crm.find', { after: [] })
    // @ts-expect-error nobody knows what `crm.find` gives
    return w.call('b', chat, { after: [found], with: { text: found.output } })
  }),
  'a wrong input for a tool that is named with its types': inSteps((w) =>
    // @ts-expect-error `email` is a text
    w.call('a', named.tool<{ email: string }, { id: string }>('crm.find'), { after: [], with: { email: 1 } }),
  ),
  'an input that the workflow does not declare': inSteps(
    (w) =>
      // @ts-expect-error the input is `amount`
      w.input.amuont,
  ),
  '`after` is forgotten': inSteps((w) =>
    // @ts-expect-error `after` is missing: a forgotten order must never mean that an approval was skipped
    w.call('a', chat, { with: { text: 'x' } }),
  ),
  'the id of a step as a string in `after`': inSteps((w) =>
    // @ts-expect-error steps are followed by value
    w.call('a', chat, { after: ['route.large'], with: { text: 'x' } }),
  ),
  'a choice in `after` without a branch': inSteps((w) => {
    const route = w.choice('route', { after: [], branches: { large: w.when(w.input.amount).gt(5), small: w.otherwise } })
    // @ts-expect-error a branch must be named
    return w.call('a', chat, { after: [route], with: { text: 'x' } })
  }),
  'a branch that the choice does not have': inSteps((w) => {
    const route = w.choice('route', { after: [], branches: { large: w.when(w.input.amount).gt(5), small: w.otherwise } })
    // @ts-expect-error the branches are `large` and `small`
    return w.call('a', chat, { after: [route.medium], with: { text: 'x' } })
  }),
  'a port of a tool on a gate': inSteps((w) => {
    const gate = w.approve('gate', { after: [], role: 'manager' })
    // @ts-expect-error a gate is `approved`, `rejected` or `expired`
    return gate.failed
  }),
  'a port of a gate on a tool': inSteps((w) => {
    const step = w.call('a', chat, { after: [], with: { text: 'x' } })
    // @ts-expect-error a tool is `succeeded` or `failed`
    return step.rejected
  }),
  'the failure of a wait': inSteps((w) => {
    const pause = w.wait('pause', { after: [], seconds: 5 })
    // @ts-expect-error a wait has no such port
    return pause.failed
  }),
  'an output in `after`': inSteps((w) => {
    const step = w.call('a', chat, { after: [], with: { text: 'x' } })
    // @ts-expect-error an output is no step
    return w.wait('pause', { after: [step.output], seconds: 5 })
  }),
  'a step where a value is wanted': inSteps((w) => {
    const step = w.call('a', chat, { after: [], with: { text: 'x' } })
    // @ts-expect-error a step is no value: its output is
    return w.call('b', chat, { after: [step], with: { text: step } })
  }),
  'a join of another name': inSteps((w) =>
    // @ts-expect-error `join` is `all` or `any`
    w.wait('pause', { after: [], join: 'first', seconds: 5 }),
  ),
  'several approvals with a form': inSteps((w) =>
    // @ts-expect-error several people cannot fill in one form
    w.approve('gate', { after: [], role: 'manager', approvals: 2, form: { note: field.string() } }),
  ),
  'several approvals without signing in': inSteps((w) =>
    // @ts-expect-error people are told apart by signing in
    w.approve('gate', { after: [], role: 'manager', approvals: 2, requireSignIn: false }),
  ),
  'a gate without a role': inSteps((w) =>
    // @ts-expect-error `role` is missing
    w.approve('gate', { after: [] }),
  ),
  'a channel that there is not': inSteps((w) =>
    // @ts-expect-error channels are `web`, `email` and `mcp`
    w.approve('gate', { after: [], role: 'manager', channels: ['sms'] }),
  ),
  'a field that the form does not have': inSteps((w) => {
    const gate = w.approve('gate', { after: [], role: 'manager', form: { note: field.string() } })
    // @ts-expect-error the form has `note`
    return gate.output.form.notes
  }),
  'a field of a form as a value of another type, or one that is not there on a rejection': inSteps((w) => {
    const gate = w.approve('gate', { after: [], role: 'manager', form: { note: field.string() } })
    // @ts-expect-error rejected, there is no form
    return w.call('a', chat, { after: [gate.rejected], with: { text: gate.output.form.note } })
  }),
  'a secret in a form': inSteps((w) =>
    // @ts-expect-error what is filled in becomes output, which is there to be read
    w.approve('gate', { after: [], role: 'manager', form: { pin: field.string({ secret: true }) } }),
  ),
  'a secret shown to an approver': inSteps((w) =>
    // @ts-expect-error a secret stands only in the input of a tool
    w.approve('gate', { after: [], role: 'manager', show: { token: w.input.token } }),
  ),
  'an object with a secret in it shown to an approver': inSteps((w) =>
    // @ts-expect-error it has a password
    w.approve('gate', { after: [], role: 'manager', show: { account: w.input.account } }),
  ),
  'a secret in the goal of an agent': inSteps((w) =>
    // @ts-expect-error a secret stands only in the input of a tool
    w.agent('a', { after: [], goal: w.input.token }),
  ),
  'a secret for a job': inSteps((w) =>
    // @ts-expect-error a secret stands only in the input of a tool
    w.job('a', report, { after: [], with: { month: w.input.token } }),
  ),
  'a secret of another type than the tool wants': inSteps((w) =>
    // @ts-expect-error `temperature` is a number
    w.call('a', chat, { after: [], with: { text: 'x', temperature: w.input.token } }),
  ),
  'a job called as a tool': inSteps((w) =>
    // @ts-expect-error `report` is a job
    w.call('a', report, { after: [], with: { month: 'may' } }),
  ),
  'a member that the output of a job does not have': inSteps((w) => {
    const step = w.job('a', report, { after: [], with: { month: 'may' } })
    // @ts-expect-error the job gives `pages`
    return step.output.page
  }),
  'a member that an agent was not asked for': inSteps((w) => {
    const step = w.agent('a', { after: [], goal: 'Look', output: { verdict: field.string({ enum: ['yes', 'no'] }) } })
    // @ts-expect-error the agent was asked for `verdict`
    return step.output.text
  }),
  'a default for the answer of an agent': inSteps((w) =>
    // @ts-expect-error an answer takes no default
    w.agent('a', { after: [], goal: 'Look', output: { verdict: field.string({ default: 'yes' }) } }),
  ),
  'a goal that is no text': inSteps((w) =>
    // @ts-expect-error a goal is a text
    w.agent('a', { after: [], goal: w.input.amount }),
  ),
  'a child started with a wrong input': inSteps((w) =>
    // @ts-expect-error `amount` is a number
    w.workflow('a', child, { after: [], with: { amount: w.input.text } }),
  ),
  'a member that the output of a child does not have': inSteps((w) => {
    const step = w.workflow('a', child, { after: [], with: { amount: 5 } })
    // @ts-expect-error the child gives `until`
    return step.output.entry
  }),
  'a retry for a child workflow': inSteps((w) =>
    // @ts-expect-error a child is not tried again
    w.workflow('a', child, { after: [], with: { amount: 5 }, retry: { maxAttempts: 2 } }),
  ),
  'a map over what is no list': inSteps((w) =>
    // @ts-expect-error `text` is no list
    w.map('all', { after: [], over: w.input.text, do: (each) => each.call(chat, { with: { text: 'x' } }) }),
  ),
  'an item of the wrong type': inSteps((w) =>
    w.map('all', {
      after: [],
      over: w.input.lines,
      // @ts-expect-error the price is a number
      do: (each) => each.call(chat, { with: { text: each.item.price } }),
    }),
  ),
  'a member that an item does not have': inSteps((w) =>
    w.map('all', {
      after: [],
      over: w.input.lines,
      // @ts-expect-error a line has a price
      do: (each) => each.call(chat, { with: { text: 'x', temperature: each.item.cost } }),
    }),
  ),
  'an item outside the map': inSteps((w) => {
    w.map('all', { after: [], over: ['a'], do: (each) => each.call(chat, { with: { text: each.item } }) })
    // @ts-expect-error there is an item only within a map
    return w.item
  }),
  'the result of a map as if no item could have failed': inSteps((w) => {
    const all = w.map('all', { after: [], over: ['a'], do: (each) => each.call(chat, { with: { text: each.item } }) })
    return w.map('again', {
      after: [all],
      over: all.output.results,
      // @ts-expect-error a result is null where its item failed
      do: (each) => each.call(chat, { with: { text: each.item.reply } }),
    })
  }),
  'a map that does nothing': inSteps((w) =>
    // @ts-expect-error `do` gives a call
    w.map('all', { after: [], over: ['a'], do: () => undefined }),
  ),
  'both seconds and a moment to wait for': inSteps((w) =>
    // @ts-expect-error one of them
    w.wait('pause', { after: [], seconds: 5, until: '2026-01-31T09:00:00Z' }),
  ),
  'a wait without an end': inSteps((w) =>
    // @ts-expect-error seconds or until
    w.wait('pause', { after: [] }),
  ),
  'seconds that are a text': inSteps((w) =>
    // @ts-expect-error seconds are a number
    w.wait('pause', { after: [], seconds: w.input.text }),
  ),
  'greater than, of a truth value or a list': inSteps((w) =>
    // @ts-expect-error lists have no order
    w.when(w.input.lines).gt(5),
  ),
  'greater than, of what may be null': inSteps((w) =>
    // @ts-expect-error null has no order
    w.when(w.input.nickname).gt('a'),
  ),
  'a number compared with a text': inSteps((w) =>
    // @ts-expect-error a number is never a text
    w.when(w.input.amount).eq('5'),
  ),
  'a comparison with a value that is not listed': inSteps((w) =>
    // @ts-expect-error the languages are es and nl
    w.when(w.input.language).eq('en'),
  ),
  'a part of a number': inSteps((w) =>
    // @ts-expect-error numbers have no parts
    w.when(w.input.amount).contains(5),
  ),
  'a condition on a literal': inSteps((w) =>
    // @ts-expect-error a condition asks about a reference
    w.when(5).gt(3),
  ),
  'a condition that is a truth value of TypeScript': inSteps((w) =>
    // @ts-expect-error it would be decided before the workflow runs
    w.choice('route', { after: [], branches: { large: w.input.amount !== null } }),
  ),
  'a compensation with a wrong input': inSteps((w) =>
    // @ts-expect-error `reply` is a text
    w.call('a', chat, { after: [], with: { text: 'x' }, compensate: (done) => w.undo(retract, { reply: done.tokens }) }),
  ),
  'a compensation that is no undo': inSteps((w) =>
    // @ts-expect-error `undo` says how
    w.call('a', chat, { after: [], with: { text: 'x' }, compensate: () => retract }),
  ),
  'an option of another kind of step': inSteps((w) =>
    // @ts-expect-error a tool has no role
    w.call('a', chat, { after: [], with: { text: 'x' }, role: 'manager' }),
  ),
  'a misspelt option': inSteps((w) =>
    // @ts-expect-error it is `timeoutSeconds`
    w.call('a', chat, { after: [], with: { text: 'x' }, timeoutSecond: 5 }),
  ),
  'an index that is a name': inSteps((w) =>
    // @ts-expect-error a list has no member `first` that could be a line
    w.call('a', chat, { after: [], with: { text: 'x', temperature: w.at(w.input.lines, 'first').price } }),
  ),
  'a constraint that cannot apply to its type': inOptions(() =>
    // @ts-expect-error a text has no minimum
    field.string({ minimum: 5 }),
  ),
  'a default that is none of the values that are listed': inOptions(() =>
    // @ts-expect-error the languages are es and nl
    field.string({ enum: ['es', 'nl'], default: 'en' }),
  ),
  'a default of another type': inOptions(() =>
    // @ts-expect-error a number is no text
    field.number({ default: '5' }),
  ),
  'a secret with a default': inOptions(() =>
    // @ts-expect-error a secret takes no default
    field.string({ secret: true, default: 'x' }),
  ),
  'a run named by what is no input': inOptions(() =>
    defineWorkflow(
      // @ts-expect-error the input is `reason`
      { slug: 'a-flow', title: 'A', input: { reason: field.string() }, runTitle: (input) => input.raeson },
      (w) => void w.wait('pause', { after: [], seconds: 5 }),
    ),
  ),
  'a run named by a secret': inOptions(() =>
    defineWorkflow(
      // @ts-expect-error lists would show it
      { slug: 'a-flow', title: 'A', input: { token: field.string({ secret: true }) }, runTitle: (input) => input.token },
      (w) => void w.wait('pause', { after: [], seconds: 5 }),
    ),
  ),
  'an output that is a step': inOptions(() =>
    // @ts-expect-error a step is no value: its output is
    defineWorkflow({ slug: 'a-flow', title: 'A' }, (w) => ({ pause: w.wait('pause', { after: [], seconds: 5 }) })),
  ),
  'an output that is a secret': inOptions(() =>
    // @ts-expect-error a secret stands only in the input of a tool
    defineWorkflow({ slug: 'a-flow', title: 'A', input: { token: field.string({ secret: true }) } }, (w) => ({ token: w.input.token })),
  ),
  'steps that are added later': inOptions(() =>
    // @ts-expect-error the document is made at once
    defineWorkflow({ slug: 'a-flow', title: 'A' }, async (w) => ({
      until: w.wait('pause', { after: [], seconds: 5 }).output.waited_until,
    })),
  ),
  'a workflow without a title': inOptions(() =>
    // @ts-expect-error `title` is missing
    defineWorkflow({ slug: 'a-flow' }, (w) => void w.wait('pause', { after: [], seconds: 5 })),
  ),
  'a job without an output schema': inOptions(() =>
    // @ts-expect-error `output` is missing
    defineJob({ kind: 'a', title: 'A', description: 'A', input: z.object({}), run: never }),
  ),
  'a job that gives what its output is not': inOptions(() =>
    // @ts-expect-error `pages` is a number
    defineJob({ ...report, run: () => ({ pages: 'many' }) }),
  ),
}
