import { Random } from '@/spec/testing/random'
import { PEOPLE, RUN_ID, type ModelBench, type SeenRun } from './model.testsuite.bench'
import type { Drawn } from './model.testsuite.family'
import { byLabel, Script, type Watcher } from './model.testsuite.script'
import { Worker } from './model.testsuite.worker'
import type { RunState } from './model'
import { parseState } from './serialize'

/**
 * One random run with all that it starts: handlers and models end when and how chance says, in any order, among decisions, passing time, lost
 * workers, vanished jobs, cancels, re-drives and new versions. One thing happens after the other, and everything is chosen by what it is called and
 * not by when it came: so the same draws do the same on every store.
 */
export class Play {
  /** What the bench is made with. */
  readonly script: Script
  readonly #random: Random
  #bench!: ModelBench
  #worker!: Worker

  constructor(
    private readonly drawn: Drawn,
    private readonly watcher: Watcher,
  ) {
    this.#random = new Random(drawn.seed)
    this.script = new Script(watcher)
  }

  async whole(bench: ModelBench): Promise<void> {
    this.#bench = bench
    this.#worker = new Worker(bench, this.#random, this.script)
    for (const spec of [...this.drawn.below, this.drawn.root]) await bench.publish(spec)
    if (this.#below(3) === 0) await this.#limit(this.#below(1000))
    const list = Array.from({ length: this.#below(6) }, (_, i) => i)
    await bench.start(this.drawn.root.slug, { amount: this.#below(1000), list, flag: this.#below(2) === 0 })
    for (let i = 0; i < this.drawn.actions; i++) {
      await this.#act(this.#below(21))
      await this.#between()
    }
    await this.#end()
    for (let round = 0; round < 100; round++) {
      // The first run may stay parked; what is below it may not, since somebody waits for it.
      const parked = (await this.#family()).filter(({ id, status }) => status === 'parked' && (round < 5 || id !== RUN_ID))
      if (parked.length === 0) return
      for (const run of parked) {
        if (round < 2) await this.#resume(run)
        else if (run.id !== RUN_ID || this.#below(2) === 0) await bench.engine.cancel(run.id)
        await this.#worker.quiet()
      }
      await this.#end()
    }
    throw new Error(`runs go on parking: ${JSON.stringify(await this.#family())}`)
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
    if (action < 6) await this.#worker.startJobs(1 + this.#below(3))
    else if (action < 11) this.#one(this.script.pending)?.end(fate)
    else if (action < 13) await this.#decide(fate)
    else if (action === 13) await this.#pass(fate % 20 === 0 ? 300_000_000 : (fate % 7) * 60_000)
    else if (action === 14) await this.#lose(1 + (fate % 2))
    else if (action === 15) await this.#vanish(fate % 2)
    else if (action === 16) await (fate % 4 === 0 ? this.#cancel() : this.#worker.startJobs(100))
    else if (action === 17) await this.#resume(this.#one(await this.#family()))
    else if (action === 18) await this.#recordOutcome(fate)
    else if (action === 19) await this.#limit(fate)
    else if (fate % 5 === 0) await this.#bench.publish(this.drawn.later)
    await this.#worker.quiet()
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
    const lost = this.#worker.take(count)
    await this.#bench.queue.release(lost)
  }

  async #vanish(count: number): Promise<void> {
    await this.#bench.drop(this.#worker.take(count))
    await this.#pass(0)
  }

  /** What a person may do with a run that has stopped; refused where it has not. */
  async #resume(run: SeenRun | undefined): Promise<void> {
    if (!run) return
    const { engine } = this.#bench
    const planned = await engine.planRedrive(run.id)
    const { stopping, compensating } = this.#state(run)
    const may = run.status === 'parked' && !stopping && compensating === undefined
    if (planned.ok !== may) throw new Error('a parked run that undoes nothing and is not given up can be re-driven, no other')
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
    if (ok !== (run.status !== 'running' && !this.#state(run).stopping))
      throw new Error('an unknown outcome can be recorded once the run has stopped, and not before')
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
    await this.#worker.fetch()
    if (this.script.pending.length > 0 || this.#worker.hasJobs || (await this.#bench.due()) !== null) return true
    if (this.#bench.clock.untilNext() !== null || (await this.#gates()).length > 0) return true
    // What has lost its job is found by the sweep.
    await this.#pass(0)
    await this.#worker.fetch()
    return this.#worker.hasJobs
  }

  /** What is left goes well. */
  async #goWell(): Promise<void> {
    await this.#worker.startHeld(1000)
    for (const handler of this.script.pending) {
      handler.end(0)
      await this.#worker.quiet()
    }
    await this.#decide(0)
    if (this.script.pending.length > 0 || this.#worker.hasWaiting) return
    const due = await this.#bench.due()
    const now = this.#bench.clock.now().getTime()
    const next = [due ? due.getTime() - now : null, this.#bench.clock.untilNext()].filter((ms) => ms !== null)
    await this.#pass(next.length === 0 ? 0 : Math.min(...next))
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
    do await this.#worker.quiet()
    while (clock.wakeNext())
    await engine.sweep()
    await this.#worker.quiet()
  }
}
