import { expect, test } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import type { Ports, Tool, ToolCall } from './ports'
import { TestClock } from './test-clock'
import { createTestEngine, testTool } from './testing'

const error = (name: string, fields: object = {}) => Object.assign(new Error('as told'), { name, ...fields })
const round = new Error('round')
round.cause = new Error('and', { cause: round })
const denied = async () => ({ ok: false as const, code: 'denied' as const, message: 'Not you.' })
type Steps = WorkflowSpec['steps']
const call = (id: string, over: object = {}) => ({ id, uses: `tool:${id}` as const, after: [], ...over })
const flow = (steps: Steps, over: Partial<WorkflowSpec> = {}): WorkflowSpec => ({ spec: 1, slug: 'flow', title: 'Flow', steps, ...over })

async function ran(tools: Tool[], workflow: WorkflowSpec, input: Record<string, Json> = {}, access?: Partial<Ports['access']>) {
  const t = createTestEngine({ tools, workflows: [workflow], ...(access ? { access } : {}) })
  const id = await t.start('flow', input)
  await t.settle()
  return { t, id, run: () => t.run(id), step: (stepId: string) => t.run(id).steps.get(stepId) }
}

/** A handler that throws what it is given, one after the other, and then succeeds. */
function failing(name: string, thrown: unknown[], effect: Tool['effect'] = 'write') {
  const calls: ToolCall[] = []
  const tool = testTool(
    name,
    (_, made) => {
      calls.push(made)
      if (calls.length <= thrown.length) throw thrown[calls.length - 1]
      return { attempt: made.attempt }
    },
    { effect },
  )
  return { tool, calls }
}

test('a call gets its input with references resolved, once: data that looks like a reference stays data', async () => {
  const seen: Json[] = []
  const a = testTool('a', () => ({ text: '${input.secret}' }))
  const b = testTool('b', (input) => void seen.push(input))
  const steps: Steps = [
    call('a'),
    call('b', { after: ['a'], with: { x: '${steps.a.output.text}', who: '${principal.user_id}', none: '${steps.a.output.no}' } }),
  ]
  const { run } = await ran([a, b], flow(steps))
  expect(run().status).toBe('succeeded')
  expect(seen).toEqual([{ x: '${input.secret}', who: 'starter', none: null }])
})

test('a transient failure is tried again after its delay, under the same key, until it works', async () => {
  const { tool, calls } = failing('a', [error('TransientError'), error('TransientError')])
  const { t, run, step } = await ran([tool], flow([call('a')]))
  expect([calls.length, step('a')?.status, run().status]).toEqual([1, 'queued', 'running'])
  await t.advanceTime(499)
  expect(calls).toHaveLength(1)
  await t.advanceTime(1)
  expect(calls).toHaveLength(2)
  await t.advanceTime(1000)
  expect(run()).toMatchObject({ status: 'succeeded' })
  expect(step('a')?.output).toEqual({ attempt: 3 })
  expect(new Set(calls.map((made) => made.idempotencyKey)).size).toBe(1)
})

test('attempts used up, the run parks with the last error', async () => {
  const { tool, calls } = failing('a', Array(9).fill(error('TransientError')))
  const { t, run } = await ran([tool], flow([call('a', { retry: { max_attempts: 2 } })]))
  await t.advanceTime(60_000)
  expect(calls).toHaveLength(2)
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'transient', stepId: 'a' } })
})

test('a rate limit uses no attempt', async () => {
  const { tool, calls } = failing('a', [error('RateLimitError', { retryAfter: 90 }), error('RateLimitError', { retryAfter: '90' })])
  const { t, run } = await ran([tool], flow([call('a', { retry: { max_attempts: 1 } })]))
  await t.advanceTime(90_000)
  expect(calls).toHaveLength(1)
  await t.advanceTime(1000)
  await t.advanceTime(91_000)
  expect(calls.map((made) => made.attempt)).toEqual([1, 1, 1])
  expect(run().status).toBe('succeeded')
})

test('a rate limit may name its time as an HTTP date', async () => {
  const clock = new TestClock()
  const until = new Date(clock.now().getTime() + 120_000)
  const { tool, calls } = failing('a', [error('RateLimitError', { retryAfter: until.toUTCString() })])
  const t = createTestEngine({ tools: [tool], workflows: [flow([call('a')])], clock })
  const id = await t.start('flow')
  await t.settle()
  await t.advanceTime(119_000)
  expect(calls).toHaveLength(1)
  await t.advanceTime(3_000)
  expect([calls.length, t.run(id).status]).toEqual([2, 'succeeded'])
})

test('a rate limit that lasts a day is an ordinary failure, which may be followed', async () => {
  const { tool } = failing('a', Array(1000).fill(error('RateLimitError', { retryAfter: 3600 })))
  const b = testTool('b', () => 'told')
  const { t, run, step } = await ran([tool, b], flow([call('a'), call('b', { after: ['a.failed'] })]))
  for (let hour = 0; hour < 25; hour++) await t.advanceTime(3_601_000)
  expect(run().status).toBe('succeeded')
  expect(step('a')?.error).toMatchObject({ code: 'rate_limited' })
})

test.each([
  ['FatalError', error('FatalError')],
  ['an unknown error', new Error('bug')],
  ['a string', 'no'],
  ['a huge error', new Error('no '.repeat(2_000_000))],
  ['an error whose causes form a circle', round],
  ['nothing', undefined],
])('%s is not tried again', async (_, thrown) => {
  const { tool, calls } = failing('a', [thrown])
  const { t, run } = await ran([tool], flow([call('a')]))
  await t.advanceTime(3_600_000)
  expect(calls).toHaveLength(1)
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'failed' } })
})

test('a handler that ignores its time limit is timed out and tried again, and what it returns later is dropped', async () => {
  const first = Promise.withResolvers<Json>()
  const started = Promise.withResolvers<ToolCall>()
  const a = testTool('a', (_, made) => {
    started.resolve(made)
    return made.attempt === 1 ? first.promise : 'second'
  })
  const t = createTestEngine({ tools: [a], workflows: [flow([call('a', { timeout_seconds: 10 })])] })
  const id = await t.start('flow')
  const settling = t.settle()
  const { signal } = await started.promise
  t.clock.advance(10_000)
  await settling
  expect(signal.aborted).toBe(true)
  first.resolve('first')
  await t.advanceTime(60_000)
  expect(t.run(id)).toMatchObject({ status: 'succeeded' })
  expect(t.run(id).steps.get('a')?.output).toBe('second')
})

test('a call that cannot be repeated and whose end is open parks the run with an unknown outcome, though its failure is followed', async () => {
  const { tool, calls } = failing('a', [error('TransientError')], 'once')
  const { t, run } = await ran([tool, testTool('b', () => 1)], flow([call('a'), call('b', { after: ['a.failed'] })]))
  await t.advanceTime(3_600_000)
  expect(calls).toHaveLength(1)
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'outcome_unknown', stepId: 'a' } })
})

test('an unknown tool parks, though its failure is followed', async () => {
  const { run } = await ran([testTool('b', () => 1)], flow([call('a'), call('b', { after: ['a.failed'] })]))
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'unknown_tool', message: "unknown tool 'a'" } })
})

test('a denied call parks, though its failure is followed, and its handler never runs', async () => {
  const { tool, calls } = failing('a', [])
  const { run } = await ran([tool], flow([call('a'), call('b', { after: ['a.failed'] })]), {}, { admit: denied })
  expect(calls).toEqual([])
  expect(run()).toMatchObject({ status: 'parked', error: { code: 'denied', message: 'Not you.' } })
})

test('when the platform cannot start a call, no attempt is used and nothing is lost', async () => {
  const { tool, calls } = failing('a', [], 'once')
  let down = true
  const admit = async () => {
    if (down) throw new Error('no database')
    return { ok: true as const }
  }
  const { t, run } = await ran([tool], flow([call('a')]), {}, { admit })
  down = false
  await t.advanceTime(2000)
  expect(calls.map((made) => made.attempt)).toEqual([1])
  expect(run().status).toBe('succeeded')
})

test('an input that the tool refuses fails the step before its handler', async () => {
  const a = testTool('a', () => expect.fail('ran'), { problems: () => [{ path: '/n', message: 'is missing' }] })
  const { run } = await ran([a], flow([call('a')]))
  expect(run()).toMatchObject({
    status: 'parked',
    error: { code: 'invalid_input', message: 'The tool cannot take this input. /n: is missing' },
  })
})

test('a followed failure does not stop the run, and its output is the error', async () => {
  const seen: Json[] = []
  const { tool } = failing('a', [error('FatalError')])
  const b = testTool('b', (input) => void seen.push(input))
  const steps: Steps = [
    call('a'),
    call('b', { after: ['a.failed'], with: { why: '${steps.a.output.error}' } }),
    call('c', { after: ['a'] }),
  ]
  const { run, step } = await ran([tool, b], flow(steps))
  expect(run().status).toBe('succeeded')
  expect(seen).toEqual([{ why: { code: 'failed', message: 'as told' } }])
  expect(step('c')?.status).toBe('skipped')
})

test('an output that is no JSON, or too large, is null and flagged: the step succeeded and is not tried again', async () => {
  const a = testTool('a', () => 'x'.repeat(1024 * 1024))
  const b: Tool = { ...testTool('b', () => null), run: async () => ({ output: 1n as unknown as Json }) }
  const { run, step } = await ran([a, b], flow([call('a'), call('b')]))
  expect(run().status).toBe('succeeded')
  expect([step('a'), step('b')]).toMatchObject([
    { status: 'succeeded', output: null, flag: 'output_truncated' },
    { status: 'succeeded', output: null, flag: 'output_invalid' },
  ])
})

test('a document output is resolved at success; what was skipped is null', async () => {
  const steps: Steps = [
    { id: 'pick', uses: 'choice', after: [], branches: [{ name: 'x', when: { left: '${input.n}', op: 'gt', right: 1 } }, { name: 'y' }] },
    call('a', { after: ['pick.x'] }),
    call('b', { after: ['pick.y'] }),
  ]
  const output = { a: '${steps.a.output.v}', b: '${steps.b.output.v}', in: '${input.n}' }
  const tools = [testTool('a', () => ({ v: 'a' })), testTool('b', () => ({ v: 'b' }))]
  const { run } = await ran(tools, flow(steps, { input: { n: { type: 'number' } }, output }), { n: 2 })
  expect(run()).toMatchObject({ status: 'succeeded', output: { a: 'a', b: null, in: 2 } })
})

test('no log line holds an input, an output or a message', async () => {
  const { tool } = failing('a', [new Error('needle')])
  const { t } = await ran([tool, testTool('b', () => 'needle')], flow([call('b', { with: { x: 'needle' } }), call('a', { after: ['b'] })]))
  expect(t.logged.map(([name]) => name)).toEqual(expect.arrayContaining(['run_start', 'step_start', 'step_complete', 'step_park']))
  expect(JSON.stringify(t.logged)).not.toContain('needle')
})
