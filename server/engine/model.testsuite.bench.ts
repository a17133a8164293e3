import type { Json, WorkflowSpec } from '@/spec'
import { MemoryQueue } from '@/server/queue/memory'
import { MemoryStore } from '@/server/store/memory'
import type { MemoryRun } from '@/server/store/memory-run'
import { WorkflowEngine } from './engine'
import type { CallResult, Principal } from './model'
import type { Definition, Gate, Job, Log, Models, Ports, Queue, Tool, ToolCall } from './ports'
import type { Quota } from './quota'
import { fetchAll, TEST_SEALER, toolsOf } from './testing'
import { TestClock } from './test-clock'

/* What a random run is played on: the engine on whatever store, where one thing happens after the other so that every store is given the same. */

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const RUN_ID = id(1)
export const STARTER: Principal = { userId: id(2), teamId: id(3), locale: 'en' }
/** They hold the role that decides; the last of them re-drives and records, too. */
export const PEOPLE = [id(4), id(5), id(6)] as const

/** A run of the family as the play sees it. */
export type SeenRun = Pick<MemoryRun, 'status' | 'state'> & {
  id: string
  gates: Pick<Gate, 'id' | 'stepId' | 'epoch' | 'status' | 'channels' | 'expiresAt'>[]
}

export type Logged = Parameters<Log['event']>[0 | 1][]

export type ModelBench = {
  engine: WorkflowEngine
  queue: Pick<Queue, 'complete' | 'release'>
  /** Every job that may start now. */
  fetch(): Promise<Job[]>
  clock: TestClock
  /** Sets the clock of the store to that of the test. */
  turned(): Promise<void>
  /** Resolves when nothing is under way but what waits for the play. */
  calm(): Promise<void>
  /** As if these jobs had vanished. */
  drop(jobIds: string[]): Promise<void>
  /** When the next job or timer is due, whether it is past or not; null where there is none. */
  due(): Promise<Date | null>
  publish(spec: WorkflowSpec): Promise<void>
  /** What the team may use; null: anything. */
  limit(quota: Quota | null): Promise<void>
  start(slug: string, input: Record<string, Json>): Promise<void>
  /** The run that was started, and all below it. */
  family(): Promise<SeenRun[]>
}

/** What the play brings. */
export type Scripted = {
  handler(call: ToolCall, input: Json): Promise<CallResult>
  model: Models['reply']
  log: Log
}

/** Everything of an engine but its store, its queue and its ids. */
export function scriptedPorts(scripted: Scripted): Pick<Ports, 'tools' | 'jobs' | 'models' | 'sealer' | 'access' | 'log' | 'random'> {
  const callable = (name: string, effect: Tool['effect']): Tool => ({
    name,
    effect,
    check: () => [],
    dropNulls: (input) => input,
    run: async (call, input) => {
      const result = await scripted.handler(call, input)
      return effect === 'write' ? { ...result, compensation: { uses: 'tool:test.read', with: {} } } : result
    },
  })
  return {
    tools: toolsOf([callable('test.read', 'read'), callable('test.write', 'write'), callable('test.once', 'once')]),
    jobs: toolsOf([callable('train', 'write'), callable('export.all', 'once')]),
    models: { reply: (request) => scripted.model(request) },
    sealer: TEST_SEALER,
    access: { admit: async () => ({ ok: true }), mayStart: async () => ({ ok: true }) },
    log: scripted.log,
    random: () => 0.5,
  }
}

/** In memory. `around` is told which run a transaction is of. */
export function memoryBench(scripted: Scripted, around: <T>(runId: string, work: () => T) => T = (_, work) => work()) {
  const clock = new TestClock()
  const queue = new MemoryQueue(clock)
  const store = new MemoryStore(clock, queue)
  const transact = store.transact.bind(store)
  store.transact = (runId, work) => transact(runId, (tx) => around(runId, () => work(tx)))
  let ids = 0
  const engine = new WorkflowEngine({ store, queue, clock, newId: () => id(1000 + ids++), ...scriptedPorts(scripted) })
  const definitions = new Map<string, Definition>()
  const runs = (): MemoryRun[] => familyOf(store)
  const bench: ModelBench = {
    engine,
    queue,
    fetch: () => fetchAll(queue),
    clock,
    turned: async () => {},
    // Everything in memory is microtasks: when the next turn of the loop comes, nothing moves any more.
    // oxlint-disable-next-line no-restricted-globals
    calm: () => new Promise((resolve) => setImmediate(resolve)),
    drop: async (jobIds) => queue.remove(jobIds),
    due: async () => {
      const timers = runs().flatMap((run) => [...run.timers.values()].flatMap(({ status, dueAt }) => (status === 'set' ? [dueAt] : [])))
      const start = queue.nextStart()
      return [...timers, ...(start ? [start] : [])].reduce<Date | null>((a, b) => (a && a <= b ? a : b), null)
    },
    limit: async (quota) => store.setQuota(STARTER.teamId, quota),
    publish: async (spec) => {
      const { slug } = spec
      const version = (definitions.get(slug)?.version ?? 0) + 1
      const definition = { id: `${slug} ${version}`, teamId: STARTER.teamId, slug, version, spec: JSON.stringify(spec) }
      definitions.set(slug, definition)
      store.addDefinition(definition)
      for (const person of PEOPLE) store.grantRole(STARTER.teamId, person, 'manager')
    },
    start: async (slug, input) => {
      const definition = definitions.get(slug)
      if (!definition) throw new Error(`there is no workflow '${slug}'`)
      await engine.start({ id: RUN_ID, definition, principal: STARTER, input })
    },
    family: async () => runs().map(({ run, status, state, gates }) => ({ id: run.id, status, state, gates: [...gates.values()] })),
  }
  return { bench, store, runs }
}

function familyOf(store: MemoryStore): MemoryRun[] {
  const root = store.read(RUN_ID)
  const found = root ? [root] : []
  for (const run of found) {
    for (const { child } of run.rows.values()) {
      const below = child && store.read(child.runId)
      if (below) found.push(below)
    }
  }
  return found
}
