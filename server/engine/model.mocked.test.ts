import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import type { Json, WorkflowSpec } from '@/spec'
import { arbitrarySpec } from '@/spec/testing/arbitrary-spec'
import { effort } from '@/db/testing/effort'
import { keyOf } from '@/server/store/memory-run'
import type { EngineEvent, Plan, RunState } from './model'
import { initialState, compilePlan } from './plan'
import type { ModelReply, ModelRequest, ToolCall } from './ports'
import { parseState, serializeState } from './serialize'
import { createTestEngine, testTool, type TestEngine } from './testing'

/** Every call of the reducer, in order: the replay below is by the real one. */
const trace = vi.hoisted(() => ({ events: [] as EngineEvent[], last: '' }))
vi.mock('./advance', async (original) => {
  const real = await original<typeof import('./advance')>()
  const advance: typeof real.advance = (plan, state, event) => {
    const before = serializeState(state)
    const after = real.advance(plan, state, event)
    expect(serializeState(state), 'the reducer changed what it was given').toBe(before)
    trace.events.push(event)
    trace.last = serializeState(after.state)
    return after
  }
  return { ...real, advance }
})
const { advance } = await vi.importActual<typeof import('./advance')>('./advance')

type Pending = { end: (fate: number) => void }
/** How often a step was seen that the quota puts off. */
let putOff = 0
const PEOPLE = ['p1', 'p2', 'p3']
const error = (name: string, fields: object = {}) => Object.assign(new Error('as drawn'), { name, ...fields })

/** One random run: handlers end when and how the drawn numbers say, in any order, among decisions, passing time, lost workers and cancels. */
class Play {
  readonly t: TestEngine
  readonly plan: Plan
  readonly #pending = new Set<Pending>()
  readonly #jobs = new Map<string, Promise<unknown>>()
  readonly #undone: number[] = []
  #failed: unknown
  runId = ''

  constructor(
    readonly spec: WorkflowSpec,
    readonly draws: number[],
  ) {
    this.plan = compilePlan({ id: 'drawn', spec: JSON.stringify(spec) })
    const tool = (effect: 'read' | 'write' | 'once') =>
      testTool(`test.${effect}`, (_, call) => this.#handler(call), {
        effect,
        ...(effect === 'write' ? { compensation: { uses: 'tool:test.read', with: {} } } : {}),
      })
    const job = (kind: string, effect: 'write' | 'once') => testTool(kind, (_, call) => this.#handler(call), { effect })
    this.t = createTestEngine({
      tools: [tool('read'), tool('write'), tool('once')],
      jobs: [job('train', 'write'), job('export.all', 'once')],
      model: (request) => this.#model(request),
      workflows: [spec],
    })
    for (const step of spec.steps) if ('role' in step) for (const user of PEOPLE) this.t.store.grantRole('team', user, step.role)
  }

  get state(): RunState {
    return parseState(this.#read().state)
  }

  async whole(): Promise<void> {
    const draw = () => this.draws.pop() ?? 0
    this.runId = await this.t.start(this.spec.slug, {
      amount: draw(),
      list: Array.from({ length: draw() % 6 }, (_, i) => i),
      flag: draw() % 2 === 0,
    })
    while (this.draws.length > 0) {
      await this.#act(draw() % 19, draw())
      this.#check()
    }
    await this.#end()
    for (let i = 0; i < 2 && this.#read().status === 'parked'; i++) {
      await this.#resume(i)
      await this.#end()
    }
  }

  async #end(): Promise<void> {
    for (let calm = 0; this.#isMoving(); calm++) {
      expect(calm, `the run does not end: ${this.#read().state}`).toBeLessThan(2000)
      await this.#calm()
      this.#check()
    }
  }

  #isMoving(): boolean {
    const { status } = this.#read()
    return status === 'running' || status === 'awaiting_approval' || this.state.compensating !== undefined || this.#pending.size > 0
  }

  async #act(action: number, fate: number): Promise<void> {
    const pending = [...this.#pending]
    if (action < 5) await this.#startJobs(1 + (fate % 3))
    else if (action < 10) pending[fate % (pending.length || 1)]?.end(fate)
    else if (action < 12) await this.#decide(fate)
    else if (action === 12) await this.#pass(fate % 20 === 0 ? 300_000_000 : (fate % 7) * 60_000)
    else if (action === 13) this.t.queue.lose([...this.#jobs.keys()].slice(0, 1 + (fate % 2)))
    else if (action === 14) {
      this.t.queue.remove([...this.#jobs.keys()].slice(0, fate % 2))
      await this.#pass(0)
    } else if (action === 15) await (fate % 5 === 0 ? this.t.engine.cancel(this.runId) : this.#quiet())
    else if (action === 16) await this.#resume(fate)
    else if (action === 17) await this.#recordOutcome(fate)
    else this.#limit(fate)
    await this.#quiet()
  }

  /** What a person may do with a run that has stopped; refused where it has not. */
  async #resume(fate: number): Promise<void> {
    const planned = await this.t.engine.planRedrive(this.runId)
    const { status, state } = this.#read()
    const may = status === 'parked' && parseState(state).compensating === undefined
    expect(planned.ok, 'a parked run that undoes nothing can be re-driven, no other').toBe(may)
    if (!planned.ok) return
    const answers = Object.fromEntries(planned.plan.ask.map((stepId, i) => [stepId, (fate + i) % 2 === 0 ? 'repeat' : 'keep'] as const))
    expect(await this.t.engine.redrive(this.runId, { by: 'p3', answers })).toEqual({ ok: true })
    this.#undone.length = 0
  }

  /** The team may do little at once, little in a day, or what it likes. */
  #limit(fate: number): void {
    const limits = { stepsPerDay: fate % 3 === 0 ? null : 1 + (fate % 5), concurrentSteps: fate % 2 === 0 ? null : 1 + (fate % 3) }
    this.t.setQuota(fate % 7 === 0 ? null : limits)
  }

  async #recordOutcome(fate: number): Promise<void> {
    const [unknown] = this.state.unknown ?? []
    if (!unknown) return
    const atRest = this.#read().status !== 'running'
    const outcome = fate % 3 > 0 ? ({ happened: true, output: fate } as const) : ({ happened: false } as const)
    const { ok } = await this.t.engine.recordOutcome(this.runId, { by: 'p3', stepId: unknown.stepId, item: unknown.item, outcome })
    expect(ok, 'an unknown outcome can be recorded once the run has stopped').toBe(atRest)
  }

  /** The latest row of a step or item. */
  #row(stepId: string, item: number) {
    const rows = [...this.#read().rows.values()].filter((row) => row.stepId === stepId && row.item === item && row.call === '')
    return rows.sort((a, b) => b.epoch - a.epoch)[0]
  }

  /** What is left goes well. */
  async #calm(): Promise<void> {
    await this.#startJobs(100)
    await this.#quiet()
    for (const handler of this.#pending) handler.end(0)
    await this.#quiet()
    await this.#decide(0)
    const next = this.#nextTime()
    if (this.#pending.size === 0) await this.#pass(next ? Math.max(0, next.getTime() - this.t.clock.now().getTime()) : 0)
    await this.#quiet()
  }

  /** When the next job may start, the next timer fires, or whoever sleeps on a worker (an agent, until it may call again) wakes. */
  #nextTime(): Date | null {
    const due = [...this.#read().timers.values()].flatMap(({ status, dueAt }) => (status === 'set' ? [dueAt] : []))
    const start = this.t.queue.nextStart()
    if (start) due.push(start)
    const asleep = this.t.clock.untilNext()
    if (asleep !== null) due.push(new Date(this.t.clock.now().getTime() + asleep))
    return due.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
  }

  async #startJobs(limit: number): Promise<void> {
    const jobs = (await Promise.all((await this.t.queue.names()).map((name) => this.t.queue.fetch(limit, name)))).flat()
    for (const job of jobs) {
      const work = this.t.engine.perform(job).then(
        () => this.t.queue.complete([job.id]),
        (thrown: unknown) => void (this.#failed ??= thrown),
      )
      this.#jobs.set(job.id, work)
    }
  }

  async #decide(fate: number): Promise<void> {
    const gate = [...this.#read().gates.values()].find((one) => one.status === 'open')
    const deciding = { userId: PEOPLE[fate % 3] ?? 'p1', decision: fate % 4 === 1 ? ('reject' as const) : ('approve' as const) }
    if (gate && fate > 0) await this.t.engine.decideGate(gate.id, { ...deciding, channel: gate.channels[0] as 'web' })
    else if (gate)
      for (const userId of PEOPLE)
        await this.t.engine.decideGate(gate.id, { userId, decision: 'approve', channel: gate.channels[0] as 'web' })
    // A form that these decisions do not fill in, and an opened gate that too few may decide: it expires.
    if (gate && fate === 0 && this.#read().gates.get(gate.id)?.status === 'open')
      await this.#pass(gate.expiresAt.getTime() - this.t.clock.now().getTime())
  }

  async #pass(ms: number): Promise<void> {
    this.t.clock.advance(Math.max(0, ms))
    await this.#quiet()
    await this.t.engine.sweep()
  }

  /** Everything in memory is microtasks: when the next turn of the loop comes, nothing moves any more. */
  async #quiet(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    if (this.#failed) throw this.#failed
  }

  #handler(call: ToolCall): Promise<Json> {
    try {
      this.#checkStart(call)
    } catch (thrown) {
      this.#failed ??= thrown
    }
    const { promise, resolve, reject } = Promise.withResolvers<Json>()
    const pending: Pending = {
      end: (fate) => {
        this.#pending.delete(pending)
        if (fate % 8 < 5) resolve({ n: fate })
        else if (fate % 8 === 5) reject(error('TransientError'))
        else if (fate % 8 === 6) reject(error('FatalError'))
        else reject(error('RateLimitError', { retryAfter: 5 }))
      },
    }
    this.#pending.add(pending)
    return promise
  }

  /** A model answers, asks for one or two of its tools, or fails. No reply is asked for that was recorded. */
  #model({ about, tools, signal }: ModelRequest): Promise<ModelReply> {
    const { stepId, item, turn } = about
    const agent = this.#row(stepId, item)
    const recorded = agent && this.#read().rows.get(keyOf({ stepId, item, call: `t${turn}`, epoch: agent.keyEpoch }))
    if (recorded) this.#failed ??= new Error(`the reply ${turn} of ${stepId} was recorded and is asked for again`)
    const { promise, resolve, reject } = Promise.withResolvers<ModelReply>()
    const pending: Pending = {
      end: (fate) => {
        this.#pending.delete(pending)
        const calls = tools.slice(0, fate % 3).map(({ name }) => ({ tool: name, input: fate }))
        if (fate % 8 < 6) resolve({ text: 'as drawn', calls: fate % 8 < 2 ? [] : calls, answer: {} })
        else reject(error(fate % 8 === 6 ? 'TransientError' : 'RateLimitError', { retryAfter: 5 }))
      },
    }
    this.#pending.add(pending)
    signal.addEventListener('abort', () => this.#pending.delete(pending))
    return promise
  }

  #checkStart(call: ToolCall): void {
    const { state } = this
    const { graph } = this.plan
    if (/\/undo(#\d+)?$/.test(call.idempotencyKey)) {
      expect(state.compensating).toMatchObject({ stepId: call.stepId, item: call.item })
      const row = state.compensating && this.#read().rows.get(keyOf({ ...state.compensating, call: '' }))
      expect(state.unknown ?? [], 'nothing is undone around what nobody knows').toEqual([])
      expect(['parked', 'rejected', 'cancelled']).toContain(this.#read().status)
      expect(row?.status, 'only a standing success is undone').toBe('succeeded')
      const seq = row?.seq ?? 0
      if (this.#undone.at(-1) !== seq) this.#undone.push(seq)
      expect(this.#undone, 'undone from the latest success backwards, each once').toEqual([...new Set(this.#undone)].sort((a, b) => b - a))
      return
    }
    expect(state.stopping, 'nothing starts once the run is stopping').toBeUndefined()
    expect(['running'], 'a run that ended starts nothing').toContain(this.#read().status)
    const entries = graph.entries.get(call.stepId) ?? []
    const live = entries.filter((entry) => {
      const cursor = state.steps.get(entry.step)
      expect(['settled', 'skipped'], `${call.stepId} starts before ${entry.step} is settled`).toContain(cursor?.at)
      return cursor?.at === 'settled' && cursor.port === entry.port
    })
    const needed = graph.join.get(call.stepId) === 'any' ? Math.min(1, entries.length) : entries.length
    expect(live.length, `${call.stepId} starts without a live entry`).toBeGreaterThanOrEqual(needed)
  }

  #read() {
    const run = this.t.store.read(this.runId)
    if (!run) throw new Error('no run')
    return run
  }

  /** What holds between any two actions. */
  #check(): void {
    const { gates, timers, rows } = this.#read()
    for (const { deferred, ...row } of rows.values()) {
      if (!deferred) continue
      putOff++
      expect(row.status, 'only what is queued is put off').toBe('queued')
      expect(row.call, 'an undo is never put off').toBe('')
      expect(this.state.stopping, 'nothing is put off once the run is stopping').toBeUndefined()
      if (!row.startedAt) expect(row.attempt, 'a deferral uses no attempt').toBe(1)
    }
    for (const [stepId, cursor] of this.state.steps) {
      const status = this.#row(stepId, -1)?.status
      const open = [...gates.values()].some((gate) => gate.stepId === stepId && gate.status === 'open')
      expect(ROWS[cursor.at], `the row of ${stepId}, which is ${cursor.at}`).toContain(status)
      expect(open).toBe(cursor.at === 'waiting' && cursor.on === 'gate')
      const set = [...timers.values()].some((timer) => timer.stepId === stepId && timer.status === 'set')
      expect(set).toBe(cursor.at === 'waiting' && cursor.on === 'timer')
    }
  }

  /** What holds of every run that has come to its end. */
  checkEnd(): void {
    const { status, rows } = this.#read()
    expect(['succeeded', 'rejected', 'parked', 'cancelled']).toContain(status)
    for (const row of rows.values()) expect(['queued', 'running'], `${keyOf(row)} of a run that is ${status}`).not.toContain(row.status)
    if (status === 'succeeded') for (const cursor of this.state.steps.values()) expect(['settled', 'skipped']).toContain(cursor.at)
    const keyOfCall = (row: { stepId: string; item: number; call: string; keyEpoch: number; epoch: number }) => {
      const { keyEpoch } = row.call === 'undo' ? (rows.get(keyOf({ ...row, call: '' })) ?? row) : row
      return `${row.stepId}/${row.item}/${row.call}/${keyEpoch}`
    }
    const successes = [...rows.values()]
      .filter(({ status, seq, call }) => ['succeeded', 'compensated'].includes(status) && (seq !== null || call === 'undo'))
      .map(keyOfCall)
    expect(successes, 'one success is recorded for one key').toHaveLength(new Set(successes).size)
    const undone = [...rows.values()].filter((row) => row.call === 'undo')
    for (const undo of undone) {
      const original = rows.get(keyOf({ ...undo, call: '' }))
      expect(original?.status).toBe(undo.status === 'succeeded' ? 'compensated' : 'succeeded')
    }
  }
}

const ROWS: Record<string, (string | undefined)[]> = {
  pending: [undefined, 'pending', 'cancelled'],
  active: ['queued', 'running'],
  deciding: [],
  waiting: ['waiting', 'cancelled'],
  settled: ['succeeded', 'failed'],
  skipped: ['skipped'],
  failed: ['failed'],
  compensated: ['compensated'],
}

test(
  'any workflow, any outcomes, any order: the rules of a run hold',
  async () => {
    const ends = new Map<string, number>()
    let undone = 0
    let resumed = 0
    const arbitrary = fc.record({
      spec: arbitrarySpec({ maxSteps: 12, kinds: ['tool', 'job', 'agent', 'choice', 'map', 'approve', 'wait'], secrets: false }),
      draws: fc.array(fc.nat(1000), { maxLength: 120, size: 'max' }),
    })
    await fc.assert(
      fc.asyncProperty(arbitrary, async ({ spec, draws }) => {
        trace.events = []
        const play = new Play(spec, [...draws])
        await play.whole()
        play.checkEnd()
        const replayed = trace.events.reduce((state, event) => advance(play.plan, state, event).state, initialState(play.plan))
        expect(serializeState(replayed), 'the same events give the same state').toBe(trace.last)
        const { status } = play.t.run(play.runId)
        ends.set(status, (ends.get(status) ?? 0) + 1)
        if (trace.events.some((event) => event.type === 'compensation_ended')) undone++
        if (trace.events.some((event) => event.type === 'redrive_requested')) resumed++
      }),
      { numRuns: effort(2_000) },
    )
    // A generator that reached no end but one would prove little.
    for (const status of ['succeeded', 'rejected', 'parked', 'cancelled']) expect(ends.get(status) ?? 0, status).toBeGreaterThan(5)
    expect(undone).toBeGreaterThan(5)
    expect(resumed).toBeGreaterThan(50)
    expect(putOff).toBeGreaterThan(500)
  },
  effort(600_000),
)
