import type { Json, WorkflowSpec } from '@/spec'
import { MemoryQueue } from '@/server/queue/memory'
import { MemoryStore } from '@/server/store/memory'
import { valueOf, type MemoryRow, type MemoryRun } from '@/server/store/memory-run'
import { WorkflowEngine } from './engine'
import type { DecideResult, Deciding } from './gates'
import type { CallResult, EngineError, Principal } from './model'
import type { Definition, Gate, Job, Log, Models, Ports, Queue, Tool, ToolCall } from './ports'
import type { Deferral, Quota } from './quota'
import { createSealer } from '@/server/auth/sealer'
import { TestClock } from './test-clock'

export type TestEngineOptions = {
  tools?: Tool[]
  /** Named by their kind. */
  jobs?: Tool[]
  /** What the model of agents replies; without it none is configured. */
  model?: Models['reply']
  /** Documents, started by their slug. */
  workflows: WorkflowSpec[]
  clock?: TestClock
  /** What the team of all runs may use. Unlimited unless given; `setQuota` changes it. */
  quota?: Quota
  /** The jitter of retries: 0.5 unless given, so delays are half of their longest. */
  random?: () => number
  access?: Partial<Ports['access']>
  sealer?: Ports['sealer']
  /** Where events and spans go besides `logged`. */
  telemetry?: Pick<Ports, 'log' | 'newTrace'>
}

/** A step, or an item of a map, as a test sees it. `output` is undefined while there is none. */
type TestStep = {
  status: string
  attempt: number
  input: Json | undefined
  output: Json | undefined
  error: EngineError | null
  flag: string | null
  /** Of a queued step that the quota puts off: until when, and by which limit. */
  deferred: Deferral | null
  items: TestStep[]
  undo: TestStep | null
  /** The run that it started. */
  child: string | null
  /** Of an agent: its model's replies (`t1`) and the calls they asked for (`t1.2`). */
  conversation: Map<string, TestStep>
}

export type TestRun = {
  id: string
  title: string | null
  status: string
  output: Json | null
  error: EngineError | null
  steps: Map<string, TestStep>
  gates: Gate[]
}

const TEAM = 'team'
/** Who starts runs, and who decides: everybody's role in every workflow. */
const STARTER: Principal = { userId: 'starter', teamId: TEAM, locale: 'en' }
const APPROVER = 'approver'

/** What tests seal with. */
export const TEST_SEALER = createSealer('the secret of a test, and of nothing else')

export type TestEngine = ReturnType<typeof createTestEngine>

/**
 * The engine in memory, with a clock that the test turns: milliseconds, no services. Runs are started by `starter`; decisions are made by
 * `approver`, who holds every role, unless told otherwise.
 */
export function createTestEngine(options: TestEngineOptions) {
  const clock = options.clock ?? new TestClock()
  const queue = new MemoryQueue(clock)
  const store = new MemoryStore(clock, queue)
  if (options.quota) store.setQuota(TEAM, options.quota)
  const logged: Parameters<Log['event']>[] = []
  let ids = 0
  const engine = new WorkflowEngine({
    store,
    queue,
    clock,
    tools: toolsOf(options.tools),
    jobs: toolsOf(options.jobs),
    models: options.model ? { reply: options.model } : null,
    sealer: options.sealer ?? TEST_SEALER,
    access: { admit: async () => ({ ok: true }), mayStart: async () => ({ ok: true }), ...options.access },
    log: {
      event(name, fields, span) {
        logged.push([name, fields])
        options.telemetry?.log.event(name, fields, span)
      },
      error: (message, cause) => options.telemetry?.log.error(message, cause),
    },
    newTrace: (runId, parent) => options.telemetry?.newTrace?.(runId, parent) ?? null,
    random: options.random ?? (() => 0.5),
    newId: () => `00000000-0000-7000-8000-${String(++ids).padStart(12, '0')}`,
  })
  const definitions = new Map<string, Definition>()
  const publish = (spec: WorkflowSpec) => {
    const version = (definitions.get(spec.slug)?.version ?? 0) + 1
    const definition = { id: `${spec.slug} ${version}`, teamId: TEAM, slug: spec.slug, version, spec: JSON.stringify(spec) }
    definitions.set(spec.slug, definition)
    store.addDefinition(definition)
    for (const step of spec.steps) if ('role' in step) store.grantRole(TEAM, APPROVER, step.role)
  }
  options.workflows.forEach(publish)

  /** Performs jobs until nothing can move without time or people. A handler that never ends holds it up until the clock is turned. */
  async function settle(): Promise<void> {
    const underway = new Set<Promise<void>>()
    for (;;) {
      const jobs = await fetchAll(queue)
      for (const job of jobs) {
        const work: Promise<void> = engine
          .perform(job)
          .then(() => queue.complete([job.id]))
          .finally(() => underway.delete(work))
        underway.add(work)
      }
      if (jobs.length === 0 && underway.size === 0) return
      if (jobs.length === 0) await Promise.race(underway)
    }
  }

  return {
    engine,
    store,
    queue,
    clock,
    logged,
    settle,
    /** The next version of a workflow. */
    publish,
    /** What the team may use from now on; null: as much as it likes. The next turn of the clock lets those start for whom there is room now. */
    setQuota: (quota: Quota | null) => store.setQuota(TEAM, quota),
    /** Starts a run and returns its id. Nothing is performed before `settle`. */
    async start(slug: string, input: Record<string, Json> = {}, principal: Principal = STARTER): Promise<string> {
      const definition = definitions.get(slug)
      if (!definition) throw new Error(`there is no workflow '${slug}'`)
      return engine.start({ definition, principal, input })
    },
    /** Decides the run's open gate, or that of the given step, and settles. Returns what the engine answered, refusals too. */
    async resolveGate(
      runId: string,
      deciding: Partial<Deciding> & Pick<Deciding, 'decision'> & { stepId?: string },
    ): Promise<DecideResult> {
      const { stepId, ...rest } = deciding
      const gates = [...(store.read(runId)?.gates.values() ?? [])].filter((one) => stepId === undefined || one.stepId === stepId)
      const gate = gates.find((one) => one.status === 'open') ?? gates.at(-1)
      if (!gate) throw new Error('the run has no such gate')
      const result = await engine.decideGate(gate.id, { userId: APPROVER, channel: 'web', ...rest })
      await settle()
      return result
    },
    /** Turns the clock: deadlines pass, retries come due, gates expire; then settles. */
    async advanceTime(ms: number): Promise<void> {
      clock.advance(ms)
      await engine.sweep()
      await settle()
    },
    run(runId: string): TestRun {
      const found = store.read(runId)
      if (!found) throw new Error('there is no such run')
      return testRun(found)
    },
  }
}

/** A tool whose handler returns its output. `problems` lists what is wrong with an input. */
export function testTool(
  name: string,
  handler: (input: Json, call: ToolCall) => Json | undefined | Promise<Json | undefined>,
  options: {
    effect?: Tool['effect']
    problems?: Tool['check']
    compensation?: CallResult['compensation']
    secrets?: Tool['secrets']
  } = {},
): Tool {
  return {
    name,
    effect: options.effect ?? 'write',
    secrets: options.secrets ?? null,
    check: options.problems ?? (() => []),
    dropNulls: (input) => input,
    run: async (call, input) => {
      const output = (await handler(input, call)) ?? null
      return options.compensation ? { output, compensation: options.compensation } : { output }
    },
  }
}

export function toolsOf(list: Tool[] = []): Ports['tools'] {
  const tools = new Map(list.map((tool) => [tool.name, tool]))
  return { find: (name) => tools.get(name) ?? null }
}

/** Whatever may start now, of every queue. */
export async function fetchAll(queue: Queue): Promise<Job[]> {
  return (await Promise.all((await queue.names()).map((name) => queue.fetch(1000, name)))).flat()
}

function testRun({ run, status, output, error, rows, gates }: MemoryRun): TestRun {
  const steps = new Map<string, TestStep>()
  const all = [...rows.values()].sort((a, b) => a.epoch - b.epoch || a.item - b.item || (a.call < b.call ? -1 : 1))
  for (const row of all) {
    const step = steps.get(row.stepId)
    if (row.item < 0 && row.call === '')
      steps.set(row.stepId, { ...testStep(row), items: step?.items ?? [], conversation: step?.conversation ?? new Map() })
    else if (row.call === '' && step) step.items[row.item] = testStep(row)
    else if (step) {
      const of = row.item < 0 ? step : (step.items[row.item] ?? step)
      if (row.call === 'undo') of.undo = testStep(row)
      else of.conversation.set(row.call, testStep(row))
    }
  }
  const parsed = output === null ? null : (JSON.parse(output) as Json)
  return { id: run.id, title: run.title, status, output: parsed, error, steps, gates: [...gates.values()] }
}

function testStep({ status, attempt, input, output, error, flag, deferred, child }: MemoryRow): TestStep {
  return {
    status,
    attempt,
    input: valueOf(input),
    output: valueOf(output),
    error,
    flag,
    deferred,
    items: [],
    undo: null,
    conversation: new Map(),
    child: child?.runId ?? null,
  }
}
