import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { createTestEngine } from '../engine/testing'
import type { Tool } from '../engine/ports'
import { createTelemetry } from './telemetry'
import { attributeOf, type ReceivedSpan, startReceiver } from './testing/receiver'

let receiver: Awaited<ReturnType<typeof startReceiver>>
beforeEach(async () => {
  receiver = await startReceiver()
})
afterEach(() => receiver.close())

const CANARY = 'canary-7f3a'
const NUMBER = 918_273_645

/** Runs a workflow whose step fails with data in everything that an error has; then one that succeeds with data everywhere. */
async function observe(settings: { messages: boolean }) {
  let lines = ''
  const telemetry = createTelemetry(
    { LOG_LEVEL: 'trace', CLEW_ERROR_MESSAGES: settings.messages, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    'worker',
    { write: (line: string) => void (lines += line) },
  )
  const data = { [CANARY]: CANARY, number: NUMBER, list: [CANARY, NUMBER] }
  const tool = (name: string, run: () => Json): Tool => ({
    name,
    effect: 'write',
    check: () => [],
    dropNulls: (input) => input,
    run: async () => ({ output: run(), hint: CANARY }),
  })
  const tools = [
    tool('t.give', () => data),
    tool('t.fail', () => {
      const cause = Object.assign(new TypeError(`${CANARY}\n    at /${CANARY}/a.ts:1:1`), {
        code: '23505',
        detail: CANARY,
        [CANARY]: NUMBER,
      })
      throw Object.assign(new RangeError(CANARY, { cause }), { name: CANARY, code: CANARY })
    }),
  ]
  const engine = createTestEngine({ tools, workflows: WORKFLOWS, telemetry: telemetry.ports })
  const ids = [await engine.start('good', { title: CANARY, number: NUMBER }), await engine.start('bad')]
  await engine.settle()
  await engine.resolveGate(ids[0]!, { decision: 'approve', comment: CANARY })
  telemetry.log.error('something', Object.assign(new Error(CANARY), { name: CANARY, cause: new Error(`\n    at ${CANARY} (/a/b.ts:1:2)`) }))
  await telemetry.close()
  return { lines, ids, statuses: ids.map((id) => engine.run(id).status) }
}

const WORKFLOWS: WorkflowSpec[] = [
  {
    spec: 1,
    slug: 'good',
    title: 'Good',
    input: { title: { type: 'string' }, number: { type: 'integer' } },
    run_title: '${input.title}',
    steps: [
      { id: 'give', uses: 'tool:t.give', after: [], with: { [CANARY]: '${input.title}', number: NUMBER } },
      { id: 'ask', uses: 'approve', after: ['give'], role: 'manager', message: '${input.title}', show: { it: '${steps.give.output}' } },
      {
        id: 'each',
        uses: 'map',
        after: ['ask.approved'],
        over: '${steps.give.output.list}',
        do: { uses: 'tool:t.give', with: { it: '${item}' } },
      },
    ],
    output: { all: '${steps.each.output}' },
  },
  { spec: 1, slug: 'bad', title: 'Bad', steps: [{ id: 'fail', uses: 'tool:t.fail', after: [] }] },
]

const PARENT: WorkflowSpec = {
  spec: 1,
  slug: 'parent',
  title: 'Parent',
  steps: [
    {
      id: 'route',
      uses: 'choice',
      after: [],
      branches: [{ name: 'no', when: { left: 1, op: 'eq', right: 2 } }, { name: 'go' }],
    },
    { id: 'hold', uses: 'wait', after: ['route.go'], seconds: 60 },
    { id: 'one', uses: 'workflow:child', after: ['hold'] },
    { id: 'each', uses: 'map', after: ['one'], over: [1, 2], do: { uses: 'workflow:child' } },
    { id: 'none', uses: 'map', after: ['each'], over: 'text', do: { uses: 'workflow:child' } },
    { id: 'past', uses: 'wait', after: ['none.failed'], seconds: 0 },
  ],
}
const WAITING: WorkflowSpec = {
  spec: 1,
  slug: 'waiting',
  title: 'Waiting',
  steps: [
    { id: 'ask', uses: 'approve', after: [], role: 'manager' },
    { id: 'hold', uses: 'wait', after: [], seconds: 60 },
  ],
}
const CHILD: WorkflowSpec = { spec: 1, slug: 'child', title: 'Child', steps: [{ id: 'pause', uses: 'wait', after: [], seconds: 1 }] }

it('keeps inputs, outputs, errors, keys, numbers and comments out of every line and every span', async () => {
  const { lines, statuses } = await observe({ messages: false })
  expect(statuses).toEqual(['succeeded', 'parked'])
  expect(lines).toContain('"event":"step_complete"')
  expect(receiver.spans.length).toBeGreaterThan(5)
  for (const text of [lines, receiver.received()]) {
    expect(text).not.toContain(CANARY)
    expect(text).not.toContain(String(NUMBER))
  }
})

it('sends the chain of causes as class and code, and messages only where the operator asked for them', async () => {
  await observe({ messages: false })
  const failed = receiver.spans.find((span) => span.name === 'workflow.bad.step.fail')
  expect(failed?.status?.code).toBe(2)
  expect(failed?.events?.map((event) => event.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))).toEqual([
    [
      ['exception.type', 'RangeError'],
      ['depth', 0],
    ],
    [
      ['exception.type', 'TypeError'],
      ['depth', 1],
      ['code', '23505'],
    ],
  ])
  const { lines } = await observe({ messages: true })
  expect(receiver.received()).toContain(CANARY)
  expect(lines).toContain(CANARY)
})

it('makes one trace of a run: the span of each step is a child of the span of the run', async () => {
  const { ids } = await observe({ messages: false })
  const spans = receiver.spans.filter((span) => attributeOf(span, 'run_id') === ids[0])
  const run = spans.find((span) => span.name === 'workflow.good')
  expect(run?.parentSpanId).toBeUndefined()
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(1)
  const steps = spans.filter((span) => span !== run)
  expect(steps.map((span) => span.name).toSorted()).toEqual(
    ['give', 'ask', 'each', 'each', 'each'].map((step) => `workflow.good.step.${step}`).toSorted(),
  )
  expect(steps.every((span) => span.parentSpanId === run?.spanId)).toBe(true)
})

it('has a span for every kind of step, with its time, and hangs a child run below the step that started it', async () => {
  const telemetry = createTelemetry(
    { LOG_LEVEL: 'silent', CLEW_ERROR_MESSAGES: false, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    'worker',
  )
  const engine = createTestEngine({ workflows: [PARENT, CHILD], telemetry: telemetry.ports })
  const runId = await engine.start('parent')
  await engine.settle()
  await engine.advanceTime(60_000)
  for (let i = 0; i < 3; i++) await engine.advanceTime(1_000)
  await telemetry.close()
  expect(engine.run(runId).status).toBe('succeeded')

  expect(new Set(receiver.spans.map(({ traceId }) => traceId)).size).toBe(1)
  const named = (name: string) => receiver.spans.filter((span) => span.name === `workflow.${name}`)
  const [parent] = named('parent')
  expect(named('parent.step.route').map((span) => attributeOf(span, 'port'))).toEqual(['go'])
  const [wait] = named('parent.step.hold')
  expect((Number(wait?.endTimeUnixNano) - Number(wait?.startTimeUnixNano)) / 1e9).toBeCloseTo(60, 1)
  expect(named('parent.step.hold')).toHaveLength(1)
  expect(named('parent.step.none').map(({ status }) => status?.code)).toEqual([2])
  const items = named('parent.step.each')
  expect(items.map((span) => attributeOf(span, 'item')).toSorted()).toEqual([-1, 0, 1])
  const steps = [...named('parent.step.one'), ...items]
  expect(steps.every((span) => span.parentSpanId === parent?.spanId)).toBe(true)
  const above = (span: ReceivedSpan) => steps.find(({ spanId }) => spanId === span.parentSpanId)
  expect(
    named('child')
      .map((span) => attributeOf(above(span) ?? span, 'item'))
      .toSorted(),
  ).toEqual([-1, 0, 1])
  expect(named('child').every((span) => above(span) !== items.find((one) => attributeOf(one, 'item') === -1))).toBe(true)
  expect(new Set(named('child.step.pause').map((span) => span.parentSpanId))).toEqual(new Set(named('child').map(({ spanId }) => spanId)))
})

it('has a span for what waited when the run was cancelled: a gate that was withdrawn, and a wait', async () => {
  const telemetry = createTelemetry(
    { LOG_LEVEL: 'silent', CLEW_ERROR_MESSAGES: false, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
    'worker',
  )
  const engine = createTestEngine({ workflows: [WAITING], telemetry: telemetry.ports })
  const runId = await engine.start('waiting')
  await engine.settle()
  await engine.advanceTime(30_000)
  await engine.engine.cancel(runId)
  await telemetry.close()
  expect(engine.run(runId).status).toBe('cancelled')
  const run = receiver.spans.find(({ name }) => name === 'workflow.waiting')
  const steps = receiver.spans.filter((span) => span !== run)
  expect(steps.map((span) => [span.name, attributeOf(span, 'port') ?? attributeOf(span, 'end')]).toSorted()).toEqual([
    ['workflow.waiting.step.ask', 'withdrawn'],
    ['workflow.waiting.step.hold', 'cancelled'],
  ])
  for (const span of steps) {
    expect(span.parentSpanId).toBe(run?.spanId)
    expect((Number(span.endTimeUnixNano) - Number(span.startTimeUnixNano)) / 1e9).toBeCloseTo(30, 1)
  }
})

it('logs each event with its run, step, attempt and duration, and says how large an output is', async () => {
  const { lines, ids } = await observe({ messages: false })
  const events = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => line.run_id === ids[0])
  expect(events.map((line) => line.event)).toEqual([
    'run_start',
    'step_start',
    'step_complete',
    'gate_open',
    'gate_resolve',
    'step_start',
    'step_start',
    'step_complete',
    'step_complete',
    'step_complete',
    'run_finish',
  ])
  expect(events[2]).toMatchObject({ step_id: 'give', attempt: 1, duration_ms: expect.any(Number), output_bytes: expect.any(Number) })
})

it('goes on when nobody takes the traces, and says so once', async () => {
  await receiver.close()
  const { lines, statuses } = await observe({ messages: false })
  expect(statuses).toEqual(['succeeded', 'parked'])
  expect(lines.match(/nobody takes the traces/g)).toHaveLength(1)
})
