import type { Json } from '@/spec'
import { ClewError } from '@/server/errors'
import { Attempts } from './attempt'
import { cancelRun, setOff } from './children'
import { decideGate, type DecideResult, type Deciding } from './gates'
import type { Principal } from './model'
import { titleOf } from './new-run'
import { perform } from './perform'
import { pinsOf } from './pins'
import { initialState, PlanCache } from './plan'
import type { Definition, Job, Ports } from './ports'
import {
  planRedrive,
  recordOutcome,
  redriveRun,
  type Answer,
  type Outcome,
  type OutcomeResult,
  type PlanResult,
  type RedriveResult,
} from './operator'
import type { Context } from './record'
import type { EffectOf } from './redrive'
import { isInputOf, sealInput } from './secrets'
import { sweep, sweepDue, type Swept } from './sweep'
import { bytesOf } from './telemetry'

export type CancelResult = { ok: true } | { ok: false; reason: 'not_found' | 'finished' }

/** The workflow engine: the same code on PostgreSQL and in memory, by what its ports are. */
export class WorkflowEngine {
  readonly #context: Context
  readonly #attempts = new Attempts()

  constructor(ports: Ports) {
    this.#context = { ports, plans: new PlanCache() }
  }

  /**
   * Starts a run and returns its id. `input` was checked by the caller (`checkInput`), who also decided that this person may start it.
   * Seals what is secret in it. Fixes which versions its child workflows mean. Refuses a document that starts workflows which this person may
   * not start (`forbidden`). Once this returns, the run is stored and will move, whatever crashes.
   * A caller that must not start it twice gives the `id`: the second start with it fails.
   */
  async start(run: { id?: string; definition: Definition; principal: Principal; input: Record<string, Json> }): Promise<string> {
    const { ports, plans } = this.#context
    const { id = ports.newId(), definition, principal } = run
    const plan = plans.of(definition)
    const { pins, definitions } = await pinsOf(this.#context, definition)
    if (definitions.length > 0) {
      const may = await ports.access.mayStart({ principal, workflows: definitions.map(({ slug }) => slug) })
      if (!may.ok) throw new ClewError('forbidden', may.message)
    }
    const { input, secrets } = sealInput(ports.sealer, plan, id, run.input)
    const title = titleOf(plan, { id, input, principal })
    const kin = { parent: null, rootId: id, depth: 0, pins }
    const trace = ports.newTrace?.(id, null) ?? null
    const stored = { id, definition, principal, title, input, secrets, kin, trace }
    await ports.store.insertRun(stored, initialState(plan), plan.spec.steps.length)
    const { teamId } = principal
    const { slug, version } = definition
    ports.log.event('run_start', { run_id: id, team_id: teamId, slug, version, input_bytes: bytesOf(input) })
    try {
      await setOff(this.#context, id)
    } catch (error) {
      // The run is stored: were this an error, the caller would start it twice. The sweep moves it.
      ports.log.error('a run was stored but not moved yet', error)
    }
    return id
  }

  /** Whether this run was started with this input, its secrets included. */
  async wasStartedWith(runId: string, input: Record<string, Json>): Promise<boolean> {
    const { ports, plans } = this.#context
    const found = await ports.store.transact(runId, async ({ run }) =>
      isInputOf(ports.sealer, plans.of(run.definition), { id: run.id, ...(await run.given()) }, input),
    )
    return found ?? false
  }

  /** Does one job; see `perform`. */
  perform(job: Job): Promise<void> {
    return perform(this.#context, this.#attempts, job)
  }

  /** Takes one person's decision on a gate; a refusal has changed nothing. */
  decideGate(gateId: string, deciding: Deciding): Promise<DecideResult> {
    return decideGate(this.#context, gateId, deciding)
  }

  /** Asks a run to stop, and its children. What is on a worker is told, drains, and counts; then the run is `cancelled`. Asking twice is no error. */
  async cancel(runId: string): Promise<CancelResult> {
    const done = await cancelRun(this.#context, this.#attempts, runId)
    if (done === 'no such run') return { ok: false, reason: 'not_found' }
    if (done === 'refused') return { ok: false, reason: 'finished' }
    return { ok: true }
  }

  /** What a re-drive would do now; see `redrive`. */
  planRedrive(runId: string, effectOf = this.#effectOf): Promise<PlanResult> {
    return planRedrive(this.#context, runId, effectOf)
  }

  /**
   * Runs a parked run's failed and undone steps again, and what depends on them. `answers` says for each step of `planRedrive`'s `ask`
   * whether it is done once more or its result stays. `effectOf`: for processes that have no tools.
   */
  redrive(runId: string, given: { by: string; answers: Record<string, Answer>; effectOf?: EffectOf }): Promise<RedriveResult> {
    return redriveRun(this.#context, runId, { effectOf: this.#effectOf, ...given })
  }

  /** Records how a call ended of which nobody knows; see `Outcome`. */
  recordOutcome(runId: string, given: { by: string; stepId: string; item: number; outcome: Outcome }): Promise<OutcomeResult> {
    return recordOutcome(this.#context, runId, given)
  }

  /** Tells the handlers of this run in this process that it was cancelled: for the processes that did not take the cancel themselves. */
  abort(runId: string): void {
    this.#attempts.abort(runId)
  }

  /** What time and crashes leave to do; see `sweep`. */
  sweep(): Promise<Swept> {
    return sweep(this.#context)
  }

  /** The part of `sweep` that is due by the clock; cheap enough to be asked every second. */
  sweepDue(): Promise<Omit<Swept, 'revived'>> {
    return sweepDue(this.#context)
  }

  readonly #effectOf: EffectOf = (uses) => this.#context.ports.tools.find(uses.replace(/^tool:/, ''))?.effect ?? 'write'
}
