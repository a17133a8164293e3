import { Random } from '@/spec/testing/random'
import { PEOPLE, RUN_ID, type Logged, type ModelBench, type Scripted, type SeenRun } from './model.testsuite.bench'
import type { Drawn } from './model.testsuite.family'
import type { CallResult, RunState } from './model'
import type { Job, ModelReply, ModelRequest, ToolCall } from './ports'
import { parseState } from './serialize'

type Pending = { label: string; end: (fate: number) => void }
type Held = { label: string; job: Job; atWork: boolean }

/** Who looks on while a run is played; whatever they throw ends the play. */
export type Watcher = {
  called?(call: ToolCall): void
  asked?(request: ModelRequest): void
  /** Between any two actions. */
  between?(): Promise<void> | void
}

const error = (name: string, fields: object = {}) => Object.assign(new Error('as drawn'), { name, ...fields })
const byLabel = (a: { label: string }, b: { label: string }) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0)
const labelOf = ({ runId, stepId, item, call, epoch }: Job['data']) => `${runId} ${stepId} ${item} ${call} ${epoch}`

/**
 * One random run with all that it starts: handlers and models end when and how chance says, in any order, among decisions, passing time, lost
 * workers, vanished jobs, cancels, re-drives and new versions. One thing happens after the other, and everything is chosen by what it is called and
 * not by when it came: so the same draws do the same on every store.
 */
export class Play implements Scripted {
  readonly #random: Random
  readonly #pending = new Set<Pending>()
  readonly #held = new Map<string, Held>()
  #failed: unknown
  #bench!: ModelBench
  #logged: Logged[] = []

  constructor(
    private readonly drawn: Drawn,
    private readonly watcher: Watcher,
  ) {
    this.#random = new Random(drawn.seed)
  }

  async whole(bench: ModelBench): Promise<void> {
    this.#bench = bench
    for (const spec of [...this.drawn.below, this.drawn.root]) await bench.publish(spec)
    const list = Array.from({ length: this.#below(6) }, (_, i) => i)
    await bench.start(this.drawn.root.slug, { amount: this.#below(1000), list, flag: this.#below(2) === 0 })
    for (let i = 0; i < this.drawn.actions; i++) {
      await this.#act(this.#below(21))
      await this.#between()
    }
    await this.#end()
    for (let round = 0; round < 5; round++) {
      const parked = (await this.#family()).filter(({ status }) => status === 'parked')
      if (parked.length === 0) return
      for (const run of parked) {
        if (round < 2) await this.#resume(run)
        else if (run.id !== RUN_ID || this.#below(2) === 0) await bench.engine.cancel(run.id)
        await this.#quiet()
      }
      await this.#end()
    }
  }

  /** What was logged since this was asked last, in no order. */
  logged(): string[] {
    return this.#logged.splice(0).map((one) => JSON.stringify(one)).sort() // prettier-ignore
  }

  handler(call: ToolCall): Promise<CallResult> {
    this.#watch(() => this.watcher.called?.(call))
    const { promise, resolve, reject } = Promise.withResolvers<CallResult>()
    const end = (fate: number) => {
      if (fate % 8 < 5) resolve({ output: { n: fate } })
      else if (fate % 8 === 5) reject(error('TransientError'))
      else if (fate % 8 === 6) reject(error('FatalError'))
      else reject(error('RateLimitError', { retryAfter: 5 }))
    }
    this.#add(`${call.idempotencyKey} ${call.attempt}`, end)
    return promise
  }

  /** A model answers, asks for one or two of its tools, or fails. */
  model(request: ModelRequest): Promise<ModelReply> {
    this.#watch(() => this.watcher.asked?.(request))
    const { about, tools, signal } = request
    const { promise, resolve, reject } = Promise.withResolvers<ModelReply>()
    const end = (fate: number) => {
      const calls = tools.slice(0, fate % 3).map(({ name }) => ({ tool: name, input: fate }))
      if (fate % 8 < 6) resolve({ text: 'as drawn', calls: fate % 8 < 2 ? [] : calls, answer: {} })
      else reject(error(fate % 8 === 6 ? 'TransientError' : 'RateLimitError', { retryAfter: 5 }))
    }
    const pending = this.#add(`${about.runId}:${about.stepId}:${about.item} asks ${about.turn}`, end)
    signal.addEventListener('abort', () => this.#pending.delete(pending))
    return promise
  }

  readonly log: Scripted['log'] = {
    // Ids of gates are drawn, and when a run was stored is by another clock.
    event: (name, fields) =>
      this.#logged.push([
        name,
        { ...fields, gate_id: null, ...(name === 'run_finish' || name === 'step_park' ? { duration_ms: null } : {}) },
      ]),
    error: (message, cause) => (this.#failed ??= new Error(message, { cause })),
  }

  #add(label: string, end: (fate: number) => void): Pending {
    const pending: Pending = {
      label,
      end: (fate) => {
        this.#pending.delete(pending)
        end(fate)
      },
    }
    this.#pending.add(pending)
    return pending
  }

  #watch(look: () => void): void {
    try {
      look()
    } catch (thrown) {
      this.#failed ??= thrown
    }
  }

  #below(limit: number): number {
    return this.#random.below(limit)
  }

  #one<T>(list: readonly T[]): T | undefined {
    return list[this.#below(Math.max(list.length, 1))]
  }

  async #family(): Promise<SeenRun[]> {
    return (await this.#bench.family()).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async #between(): Promise<void> {
    await this.watcher.between?.()
  }

  async #act(action: number): Promise<void> {
    const fate = this.#below(1000)
    if (action < 6) await this.#startJobs(1 + this.#below(3))
    else if (action < 11) this.#one([...this.#pending].sort(byLabel))?.end(fate)
    else if (action < 13) await this.#decide(fate)
    else if (action === 13) await this.#pass(fate % 20 === 0 ? 300_000_000 : (fate % 7) * 60_000)
    else if (action === 14) await this.#lose(1 + (fate % 2))
    else if (action === 15) await this.#vanish(fate % 2)
    else if (action === 16) await (fate % 4 === 0 ? this.#cancel() : this.#startJobs(100))
    else if (action === 17) await this.#resume(this.#one(await this.#family()))
    else if (action === 18) await this.#recordOutcome(fate)
    else if (action === 19) await this.#limit(fate)
    else if (fate % 5 === 0) await this.#bench.publish(this.drawn.later)
    await this.#quiet()
  }

  async #cancel(): Promise<void> {
    const run = this.#one(await this.#family())
    if (run) await this.#bench.engine.cancel(run.id)
  }

  /** The team may do little at once, little in a day, or what it likes. */
  async #limit(fate: number): Promise<void> {
    const limits = { stepsPerDay: fate % 3 === 0 ? null : 1 + (fate % 5), concurrentSteps: fate % 2 === 0 ? null : 1 + (fate % 3) }
    await this.#bench.limit(fate % 7 === 0 ? null : limits)
  }

  async #lose(count: number): Promise<void> {
    const lost = this.#take(count)
    await this.#bench.queue.release(lost)
  }

  async #vanish(count: number): Promise<void> {
    await this.#bench.drop(this.#take(count))
    await this.#pass(0)
  }

  /** Jobs of this worker that are not its any more: whatever it still does with them comes too late. */
  #take(count: number): string[] {
    const held = [...this.#held.values()].sort(byLabel)
    const from = this.#below(Math.max(held.length, 1))
    const taken = held.slice(from, from + count).map(({ job }) => job.id)
    for (const id of taken) this.#held.delete(id)
    return taken
  }

  /** What a person may do with a run that has stopped; refused where it has not. */
  async #resume(run: SeenRun | undefined): Promise<void> {
    if (!run) return
    const { engine } = this.#bench
    const planned = await engine.planRedrive(run.id)
    const may = run.status === 'parked' && this.#state(run).compensating === undefined
    if (planned.ok !== may) throw new Error('a parked run that undoes nothing can be re-driven, no other')
    if (!planned.ok) return
    const answers = Object.fromEntries(planned.plan.ask.map((stepId) => [stepId, this.#below(2) === 0 ? 'repeat' : 'keep'] as const))
    const done = await engine.redrive(run.id, { by: PEOPLE[2], answers })
    if (!done.ok) throw new Error(`a re-drive that was answered for was refused: ${done.reason}`)
  }

  async #recordOutcome(fate: number): Promise<void> {
    const unknown = (await this.#family()).filter((run) => (this.#state(run).unknown ?? []).length > 0)
    const run = this.#one(unknown)
    const ref = run && this.#one(this.#state(run).unknown ?? [])
    if (!run || !ref) return
    const outcome = fate % 3 > 0 ? ({ happened: true, output: fate } as const) : ({ happened: false } as const)
    const { stepId, item } = ref
    const { ok } = await this.#bench.engine.recordOutcome(run.id, { by: PEOPLE[2], stepId, item, outcome })
    if (ok !== (run.status !== 'running')) throw new Error('an unknown outcome can be recorded once the run has stopped, and not before')
  }

  #state(run: SeenRun): RunState {
    return parseState(run.state)
  }

  async #end(): Promise<void> {
    for (let calm = 0; await this.#moves(); calm++) {
      if (calm > 1000) throw new Error(`the run does not end: ${JSON.stringify(await this.#family())}`)
      await this.#goWell()
      await this.#between()
    }
  }

  /** Whether anything is to come that can be named: work, a decision, a time. */
  async #moves(): Promise<boolean> {
    await this.#fetch()
    if (this.#pending.size > 0 || this.#held.size > 0 || (await this.#bench.due()) !== null) return true
    if (this.#bench.clock.untilNext() !== null || (await this.#gates()).length > 0) return true
    // What has lost its job is found by the sweep.
    await this.#pass(0)
    await this.#fetch()
    return this.#held.size > 0
  }

  /** What is left goes well. */
  async #goWell(): Promise<void> {
    await this.#startHeld(1000)
    for (const handler of [...this.#pending].sort(byLabel)) {
      handler.end(0)
      await this.#quiet()
    }
    await this.#decide(0)
    if (this.#pending.size > 0 || [...this.#held.values()].some(({ atWork }) => !atWork)) return
    const due = await this.#bench.due()
    const now = this.#bench.clock.now().getTime()
    const next = [due ? due.getTime() - now : null, this.#bench.clock.untilNext()].filter((ms) => ms !== null)
    await this.#pass(next.length === 0 ? 0 : Math.min(...next))
  }

  async #fetch(): Promise<void> {
    for (const job of await this.#bench.fetch()) this.#held.set(job.id, { label: labelOf(job.data), job, atWork: false })
  }

  async #startJobs(limit: number): Promise<void> {
    await this.#fetch()
    await this.#startHeld(limit)
  }

  async #startHeld(limit: number): Promise<void> {
    const waiting = [...this.#held.values()].filter(({ atWork }) => !atWork).sort(byLabel)
    const from = limit >= waiting.length ? 0 : this.#below(waiting.length)
    for (const held of waiting.slice(from, from + limit)) {
      held.atWork = true
      void this.#perform(held)
      await this.#quiet()
    }
  }

  async #perform(held: Held): Promise<void> {
    const { job } = held
    try {
      await this.#bench.engine.perform(job)
      if (this.#held.get(job.id) !== held) return
      this.#held.delete(job.id)
      await this.#bench.queue.complete([job.id])
    } catch (thrown) {
      this.#failed ??= thrown
    }
  }

  async #gates() {
    const gates = (await this.#family()).flatMap((run) => run.gates.map((gate) => ({ ...gate, label: `${run.id} ${gate.stepId}` })))
    return gates.filter(({ status }) => status === 'open').sort(byLabel)
  }

  async #decide(fate: number): Promise<void> {
    const gate = this.#one(await this.#gates())
    if (!gate) return
    const { engine, clock } = this.#bench
    const channel = gate.channels[0] as 'web'
    if (fate > 0) {
      const decision = fate % 4 === 1 ? 'reject' : 'approve'
      await engine.decideGate(gate.id, { userId: PEOPLE[fate % 3] ?? PEOPLE[0], decision, channel })
      return
    }
    for (const userId of PEOPLE) await engine.decideGate(gate.id, { userId, decision: 'approve', channel })
    // A form that these decisions do not fill in, and a gate that too few may decide: it expires.
    const still = (await this.#gates()).some(({ id }) => id === gate.id)
    if (still) await this.#pass(gate.expiresAt.getTime() - clock.now().getTime())
  }

  async #pass(ms: number): Promise<void> {
    const { clock, engine } = this.#bench
    clock.turn(Math.max(0, ms))
    await this.#bench.turned()
    do await this.#quiet()
    while (clock.wakeNext())
    await engine.sweep()
    await this.#quiet()
  }

  async #quiet(): Promise<void> {
    await this.#bench.calm()
    if (this.#failed) throw this.#failed
  }
}
