import { isFinal, resolveValue, type Field, type Fields, type Json } from '@/spec'
import { ClewError } from '@/server/errors'
import { Attempts } from './attempt'
import { drive, type Logged } from './driver'
import { decideGate, type DecideResult, type Deciding } from './gates'
import type { Plan, Principal } from './model'
import { perform } from './perform'
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
import { logAll, type Context } from './record'
import type { EffectOf } from './redrive'
import { scopeOf } from './scope'
import { sweep, sweepDue, type Swept } from './sweep'
import { bytesOf } from './telemetry'

const TITLE_MAX = 200

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
   * Refuses a document with secret inputs (`invalid_input`). Once this returns, the run is stored and will move, whatever crashes.
   * A caller that must not start it twice gives the `id`: the second start with it fails.
   */
  async start(run: { id?: string; definition: Definition; principal: Principal; input: Record<string, Json> }): Promise<string> {
    const { ports, plans } = this.#context
    const { id = ports.newId(), definition, principal, input } = run
    const plan = plans.of(definition)
    if (hasSecret(plan.spec.input ?? {})) {
      throw new ClewError('invalid_input', 'This workflow asks for a secret, and secret inputs cannot be stored safely yet.')
    }
    const title = titleOf(plan, { id, input, principal })
    const trace = ports.newTrace?.(null) ?? null
    await ports.store.insertRun({ id, definition, principal, title, input, trace }, initialState(plan), plan.spec.steps.length)
    const { teamId } = principal
    const { slug, version } = definition
    ports.log.event('run_start', { run_id: id, team_id: teamId, slug, version, input_bytes: bytesOf(input) })
    try {
      await this.#drive(id, (tx) => (tx.run.state.status === 'queued' ? [{ type: 'started' }] : []))
    } catch (error) {
      // The run is stored: were this an error, the caller would start it twice. The sweep moves it.
      ports.log.error('a run was stored but not moved yet', error)
    }
    return id
  }

  /** Does one job; see `perform`. */
  perform(job: Job): Promise<void> {
    return perform(this.#context, this.#attempts, job)
  }

  /** Takes one person's decision on a gate; a refusal has changed nothing. */
  decideGate(gateId: string, deciding: Deciding): Promise<DecideResult> {
    return decideGate(this.#context, gateId, deciding)
  }

  /** Asks a run to stop. What is on a worker is told, drains, and counts; then the run is `cancelled`. Asking twice is no error. */
  async cancel(runId: string): Promise<CancelResult> {
    const done = await this.#drive(runId, ({ run: { state } }) => {
      if (isFinal(state.status)) return null
      return state.stopping?.to === 'cancelled' || state.stopping?.to === 'rejected' ? [] : [{ type: 'cancel_requested' }]
    })
    if (done === 'no such run') return { ok: false, reason: 'not_found' }
    if (done === 'refused') return { ok: false, reason: 'finished' }
    this.abort(runId)
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

  /** Drives the run by the events chosen under its lock; `null` refuses, none changes nothing. */
  async #drive(runId: string, choose: (tx: Driven) => Parameters<typeof drive>[1] | null): Promise<'done' | 'refused' | 'no such run'> {
    const { ports, plans } = this.#context
    const done = await ports.store.transact(runId, async (tx): Promise<{ logged: Logged[]; refused: boolean }> => {
      const events = choose(tx)
      if (!events || events.length === 0) return { logged: [], refused: events === null }
      return { logged: await drive({ tx, plan: plans.of(tx.run.definition), newId: ports.newId }, events), refused: false }
    })
    if (!done) return 'no such run'
    logAll(ports, done.logged)
    return done.refused ? 'refused' : 'done'
  }
}
type Driven = Parameters<typeof drive>[0]['tx']

/** What a run is called in lists: `run_title`, resolved once. Data: hidden from whoever may not read data. */
function titleOf(plan: Plan, run: Parameters<typeof scopeOf>[0]): string | null {
  if (plan.spec.run_title === undefined) return null
  const title = resolveValue(plan.spec.run_title, scopeOf(run, new Map()))
  if (title === null) return null
  const text = (typeof title === 'string' ? title : JSON.stringify(title)).replaceAll(/\s+/g, ' ').trim()
  return text === '' ? null : text.slice(0, TITLE_MAX).toWellFormed()
}

function hasSecret(fields: Fields): boolean {
  const isSecret = (field: Field): boolean =>
    field.secret === true || (field.items !== undefined && isSecret(field.items)) || hasSecret(field.properties ?? {})
  return Object.values(fields).some(isSecret)
}
