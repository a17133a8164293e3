import { describe, expect, test } from 'vitest'
import { createSealer } from '@/server/auth/sealer'
import { HIDDEN, secretFields, validateWorkflow, type Fields, type Json, type WorkflowSpec } from '@/spec'
import type { ToolCall } from './ports'
import { createTestEngine, testTool, type TestEngineOptions } from './testing'

const KEY = 'canary-5ecret'
const INPUT: Fields = {
  key: { type: 'string', secret: true },
  login: { type: 'object', required: false, properties: { user: { type: 'string' }, password: { type: 'string', secret: true } } },
}
/** A tool that is given a secret as `key`. */
const SECRETS = secretFields({ key: { type: 'string', secret: true } })
type Handler = (input: Json, call: ToolCall) => Json | undefined | Promise<Json | undefined>
const keyed = (name: string, handler: Handler, options: Parameters<typeof testTool>[2] = {}) =>
  testTool(name, handler, { secrets: SECRETS, ...options })

const GIVEN = { key: '${input.key}' }
const call = (id: string, over: object = {}) => ({ id, uses: `tool:${id}` as const, after: [] as string[], with: GIVEN, ...over })
const flow = (steps: WorkflowSpec['steps'], input: Fields = INPUT): WorkflowSpec => ({ spec: 1, slug: 'flow', title: 'Flow', input, steps })

async function ran(spec: WorkflowSpec, tools: TestEngineOptions['tools'] = [], options: Partial<TestEngineOptions> = {}) {
  const t = createTestEngine({ tools, workflows: [spec], ...options })
  const id = await t.start('flow', { key: KEY })
  await t.settle()
  return { t, id, run: () => t.run(id), step: (stepId: string) => t.run(id).steps.get(stepId) }
}

const plain = (_: string, value: unknown): unknown => (value instanceof Map ? [...(value as Map<unknown, unknown>)] : value)

/** Whatever is kept and told of these runs, as text. */
function everything({ t }: Awaited<ReturnType<typeof ran>>): string {
  const ids = t.logged.flatMap(([, { run_id: id }]) => (typeof id === 'string' ? [id] : []))
  return JSON.stringify([t.logged, ids.map((id) => t.store.read(id))], plain)
}

describe('a secret input', () => {
  test('reaches the handler, and nothing that is kept or told', async () => {
    const seen: Json[] = []
    const one = await ran(flow([call('a')]), [keyed('a', (input) => void seen.push(input))])
    expect(one.run().status).toBe('succeeded')
    expect(seen).toEqual([{ key: KEY }])
    expect(one.step('a')?.input).toEqual({ key: HIDDEN })
    expect(JSON.parse(one.t.store.read(one.id)?.input ?? '')).toEqual({ key: HIDDEN })
    expect(everything(one)).not.toContain(KEY)
  })

  test('is the same in every attempt, after a lost worker, in each item of a map and in an undo', async () => {
    const seen: string[] = []
    const note =
      (name: string) =>
      (input: Json, { attempt, item }: ToolCall) => {
        seen.push(`${name} ${attempt} ${item} ${JSON.stringify(input)}`)
        if (name === 'a' && attempt === 1) throw Object.assign(new Error('again'), { name: 'TransientError' })
        if (name === 'c') throw new Error('no')
        return null
      }
    const steps: WorkflowSpec['steps'] = [
      call('a', { compensate: { uses: 'tool:undo', with: GIVEN } }),
      { id: 'each', uses: 'map', after: ['a'], over: [1, 2], do: { uses: 'tool:b', with: { ...GIVEN, n: '${item}' } } },
      call('c', { after: ['each'] }),
    ]
    const one = await ran(
      flow(steps),
      ['a', 'b', 'c', 'undo'].map((name) => keyed(name, note(name))),
    )
    await one.t.advanceTime(60_000)
    const given = JSON.stringify({ key: KEY })
    expect(seen.slice(0, 2)).toEqual([`a 1 -1 ${given}`, `a 2 -1 ${given}`])
    expect(seen.slice(2, 4).sort()).toEqual([0, 1].map((i) => `b 1 ${i} ${JSON.stringify({ key: KEY, n: i + 1 })}`))
    expect(seen.slice(4)).toEqual([`c 1 -1 ${given}`, `undo 1 -1 ${given}`])
    expect(one.step('each')?.items.map(({ input }) => input)).toEqual([1, 2].map((n) => ({ key: HIDDEN, n })))
    expect(one.step('a')).toMatchObject({ status: 'compensated', undo: { input: { key: HIDDEN } } })
    expect(everything(one)).not.toContain(KEY)
  })

  test('is there for a job that is delivered again, and for a re-drive', async () => {
    const seen: Json[] = []
    const t = createTestEngine({
      workflows: [flow([call('a')])],
      tools: [
        keyed('a', (input, { attempt }) => {
          seen.push(input)
          if (attempt === 1) return new Promise(() => {})
          if (seen.length === 2) throw new Error('no')
          return null
        }),
      ],
    })
    const id = await t.start('flow', { key: KEY })
    const [job] = await t.queue.fetch(1)
    void t.engine.perform(job!)
    await new Promise((resolve) => setImmediate(resolve))
    await t.queue.release([job!.id])
    await t.settle()
    expect(t.run(id).status).toBe('parked')
    expect(await t.engine.redrive(id, { by: 'starter', answers: {} })).toEqual({ ok: true })
    // The redrive's first attempt hangs as the very first one did.
    const [again] = await t.queue.fetch(1)
    void t.engine.perform(again!)
    await new Promise((resolve) => setImmediate(resolve))
    await t.queue.release([again!.id])
    await t.settle()
    expect([t.run(id).status, ...seen]).toEqual(['succeeded', ...Array.from({ length: 4 }, () => ({ key: KEY }))])
  })

  test('of a child is sealed for the child; with the step that starts it nothing is stored', async () => {
    const seen: Json[] = []
    const parent: WorkflowSpec = {
      ...flow(
        [
          { id: 'make', uses: 'tool:make', after: [] },
          { id: 'sub', uses: 'workflow:child', after: ['make'], with: { key: '${steps.make.output}', plain: 'p' } },
        ],
        {},
      ),
    }
    const child: WorkflowSpec = {
      ...flow([call('a')], { key: { type: 'string', secret: true }, plain: { type: 'string' } }),
      slug: 'child',
    }
    const t = createTestEngine({
      workflows: [parent, child],
      tools: [testTool('make', () => KEY), keyed('a', (input) => void seen.push(input))],
    })
    const id = await t.start('flow')
    await t.settle()
    expect([t.run(id).status, seen]).toEqual(['succeeded', [{ key: KEY }]])
    expect(t.run(id).steps.get('sub')?.input).toEqual({ key: HIDDEN, plain: 'p' })
    const kept = t.store.read(t.run(id).steps.get('sub')?.child ?? '')
    expect([kept?.input, Object.keys(kept?.run.secrets ?? {})]).toEqual([JSON.stringify({ key: HIDDEN, plain: 'p' }), ['key']])
  })

  test('may be left out where it is not required, and is then null as any other', async () => {
    const seen: Json[] = []
    const spec = flow([call('a')], { key: { type: 'string', secret: true, required: false } })
    const t = createTestEngine({ workflows: [spec], tools: [keyed('a', (input) => void seen.push(input))] })
    const id = await t.start('flow')
    await t.settle()
    expect([t.run(id).status, seen, t.store.read(id)?.run.secrets]).toEqual(['succeeded', [{ key: null }], null])
  })

  test('names a run: whoever starts it again with another secret did not start this one', async () => {
    const { t, id } = await ran(flow([call('a')]), [keyed('a', () => null)])
    expect(await t.engine.wasStartedWith(id, { key: KEY })).toBe(true)
    expect(await t.engine.wasStartedWith(id, { key: HIDDEN })).toBe(false)
    expect(await t.engine.wasStartedWith(id, { key: `${KEY}!` })).toBe(false)
    expect(await t.engine.wasStartedWith(id, { key: KEY, login: { user: 'u' } })).toBe(false)
  })
})

describe('where a tool does not declare it secret', () => {
  test.each<[string, object, Parameters<typeof testTool>[2]]>([
    ['because it declares none', { with: GIVEN }, { secrets: null }],
    ['because it declares another part', { with: { text: '${input.key}' } }, {}],
    ['because it stands below that part', { with: { text: ['${input.key}'], key: 'k' } }, {}],
  ])('it is refused once and for all, %s', async (_name, over, options) => {
    const seen: Json[] = []
    const { run, step } = await ran(flow([call('a', over)]), [keyed('a', (input) => void seen.push(input), options)])
    expect(run()).toMatchObject({ status: 'parked', error: { code: 'secret_not_allowed', stepId: 'a' } })
    expect([step('a')?.attempt, step('a')?.input, seen]).toEqual([1, undefined, []])
  })

  test('an undo is refused in the same way, and recorded', async () => {
    const steps: WorkflowSpec['steps'] = [
      call('a', { with: {}, compensate: { uses: 'tool:undo', with: GIVEN } }),
      call('b', { after: ['a'], with: {} }),
    ]
    const fails = testTool('b', () => {
      throw new Error('no')
    })
    const { step } = await ran(flow(steps), [testTool('a', () => null), fails, testTool('undo', () => null)])
    expect(step('a')).toMatchObject({ status: 'succeeded', undo: { status: 'failed', error: { code: 'secret_not_allowed' } } })
  })

  test.each<[string, Partial<WorkflowSpec> | WorkflowSpec['steps'][number]]>([
    ['the name of a run', { run_title: '${input.key}' }],
    ['the output of a run', { output: { key: '${input.key}' } }],
    ['an agent', { id: 's', uses: 'agent', after: [], goal: '${input.key}' }],
    ['what an agent is told', { id: 's', uses: 'agent', after: [], goal: 'g', context: { a: ['${input.login}'] } }],
    ['an approval', { id: 's', uses: 'approve', after: [], role: 'r', show: { key: '${input.login.password}' } }],
    ['the message of an approval', { id: 's', uses: 'approve', after: [], role: 'r', message: '${input.key}' }],
    ['a condition', { id: 's', uses: 'choice', after: [], branches: [{ name: 'x', when: { left: '${input.key}', op: 'exists' } }] }],
    ['what a map goes over', { id: 's', uses: 'map', after: [], over: ['${input.key}'], do: { uses: 'tool:a' } }],
    ['a wait', { id: 's', uses: 'wait', after: [], until: '${input.key}' }],
    ['a job', { id: 's', uses: 'job:j', after: [], with: GIVEN }],
    ['a child workflow', { id: 's', uses: 'workflow:child', after: [], with: GIVEN }],
    ['a child workflow of a map', { id: 's', uses: 'map', after: [], over: [1], do: { uses: 'workflow:child', with: GIVEN } }],
  ])('a document that gives it to %s is refused', (_name, part) => {
    const steps: WorkflowSpec['steps'] = 'uses' in part ? [part] : [{ id: 's', uses: 'tool:a', after: [] }]
    const found = validateWorkflow({ ...flow(steps), ...('uses' in part ? {} : part) })
    expect(found.ok ? [] : found.problems.map(({ code }) => code)).toEqual(['secret_not_allowed'])
  })
})

const tellTale = (input: Json) => [{ path: '/key', message: `Invalid input: ${JSON.stringify(input)}` }]

describe('what a handler says of it', () => {
  test('is taken out of outputs, hints and the compensation that it returns', async () => {
    const returned = { output: { [KEY]: [`key=${KEY}`, encodeURIComponent(`${KEY}/é`)] }, hint: `use ${KEY}` }
    const a = keyed('a', () => null)
    const tool = { ...a, run: async () => ({ ...returned, compensation: { uses: 'tool:undo', with: { text: `Bearer ${KEY}` } } }) }
    const one = await ran(flow([call('a')]), [tool])
    expect(one.step('a')?.output).toEqual({ [HIDDEN]: [`key=${HIDDEN}`, `${HIDDEN}%2F%C3%A9`] })
    expect(everything(one)).toContain(`Bearer ${HIDDEN}`)
    expect(everything(one)).not.toContain(KEY)
  })

  test.each([
    ['an error', () => new Error(`401 for ${KEY}`)],
    ['an error as long as it gets', () => new Error(`${'x'.repeat(1990)}${KEY}`)],
    ['the cause of an error', () => new Error('no', { cause: Object.assign(new Error(KEY), { code: 'ECONNRESET' }) })],
    ['an error that is a text', () => KEY],
  ])('is taken out of %s', async (_name, thrown) => {
    const told: unknown[] = []
    const log = { event: (...line: unknown[]) => void told.push(line), error: (...line: unknown[]) => void told.push(line) }
    const a = keyed('a', () => Promise.reject(thrown()))
    const one = await ran(flow([call('a', { retry: { max_attempts: 1 } })]), [a], { telemetry: { log } })
    expect(one.run().status).toBe('parked')
    expect(everything(one) + JSON.stringify(told)).not.toContain(KEY.slice(0, 5))
  })

  test('is taken out of what is wrong with an input', async () => {
    const { step } = await ran(flow([call('a')]), [keyed('a', () => null, { problems: tellTale })])
    expect(step('a')?.error).toMatchObject({ code: 'invalid_input', message: `The tool cannot take this input. /key: {"key":"${HIDDEN}"}` })
  })
})

describe('when its envelope does not open', () => {
  test('the run parks, says what to do, and goes on once the former key is known', async () => {
    const [before, after] = ['b'.repeat(32), 'a'.repeat(32)]
    let sealer = createSealer(before)
    const changing = {
      seal: (...given: Parameters<typeof sealer.seal>) => sealer.seal(...given),
      open: (...given: Parameters<typeof sealer.open>) => sealer.open(...given),
    }
    const seen: Json[] = []
    const steps: WorkflowSpec['steps'] = [call('a'), call('b', { after: ['a.failed'], with: {} })]
    const t = createTestEngine({
      workflows: [flow(steps)],
      tools: [keyed('a', (input) => void seen.push(input)), testTool('b', () => null)],
      sealer: changing,
    })
    const id = await t.start('flow', { key: KEY })
    sealer = createSealer(after)
    await t.settle()
    const keyId = createSealer(before).seal('', '').split('.')[1] ?? ''
    expect(t.run(id)).toMatchObject({ status: 'parked', error: { code: 'secret_unreadable', stepId: 'a' } })
    expect(t.run(id).error?.message).toMatch(new RegExp(`key.*${keyId}.*CLEW_SECRET_RETIRED.*re-drive`))
    sealer = createSealer(after, [before])
    expect(await t.engine.redrive(id, { by: 'starter', answers: {} })).toEqual({ ok: true })
    await t.settle()
    expect([t.run(id).status, seen]).toEqual(['succeeded', [{ key: KEY }]])
  })

  test('one of another run or input is refused', async () => {
    const spec = flow([call('a')])
    const t = createTestEngine({ workflows: [spec], tools: [keyed('a', () => null)] })
    const [one, other] = [await t.start('flow', { key: KEY }), await t.start('flow', { key: 'other' })]
    Object.assign(t.store.read(one)?.run ?? {}, { secrets: t.store.read(other)?.run.secrets })
    await t.settle()
    expect(t.run(one)).toMatchObject({
      status: 'parked',
      error: { code: 'secret_unreadable', message: expect.stringMatching(/does not open/) },
    })
    expect(t.run(other).status).toBe('succeeded')
  })
})
