import type { Json } from '@/spec'
import { callOf } from './call'
import { drive, type Logged } from './driver'
import type { EngineError, EngineEvent, StepRef } from './model'
import type { RunTx } from './ports'
import { logAll, type Context } from './record'
import { needsAnswer, runsAgain, type EffectOf } from './redrive'
import { storable } from './result'

/* What a person does with a run that has stopped: re-drive it, or record how a call ended of which nobody knows. */

export type Answer = 'repeat' | 'keep'

/** What a re-drive would do: which steps run again, which of them must be answered, and of which calls nobody knows whether they happened. */
type RedrivePlan = { again: string[]; ask: string[]; unknown: { stepId: string; item: number }[] }

type NotNow = 'not_found' | 'not_parked' | 'compensating'

export type PlanResult = { ok: true; plan: RedrivePlan } | { ok: false; reason: NotNow }

/** `unanswered`: an answer is missing, or one was given that nobody asked for; `plan` says what is asked now. */
export type RedriveResult = { ok: true } | { ok: false; reason: NotNow } | { ok: false; reason: 'unanswered'; plan: RedrivePlan }

/** What a re-drive of this run would do now. Changes nothing. */
export async function planRedrive(context: Context, runId: string, effectOf: EffectOf): Promise<PlanResult> {
  const found = await context.ports.store.transact(runId, (tx) => planOf(context, tx, effectOf))
  return found ?? { ok: false, reason: 'not_found' }
}

/** Runs again what failed or was undone and what depends on it. A refusal has changed nothing. */
export async function redriveRun(
  context: Context,
  runId: string,
  { by, answers, effectOf }: { by: string; answers: Record<string, Answer>; effectOf: EffectOf },
): Promise<RedriveResult> {
  return acting<RedriveResult>(context, runId, async (tx) => {
    const planned = await planOf(context, tx, effectOf)
    if (!planned.ok) return { result: planned }
    const { ask } = planned.plan
    const given = new Map(Object.entries(answers))
    if (given.size !== ask.length || ask.some((stepId) => !given.has(stepId))) {
      return { result: { ok: false, reason: 'unanswered', plan: planned.plan } }
    }
    const keep = ask.filter((stepId) => given.get(stepId) === 'keep')
    return { result: { ok: true }, event: { type: 'redrive_requested', by, keep, maps: await tx.laidOutMaps() } }
  })
}

/** `happened: false`: it certainly did not; the step stays failed, and may be re-driven. */
export type Outcome = { happened: true; output: Json } | { happened: false }

export type OutcomeResult = { ok: true } | { ok: false; reason: 'not_found' | 'not_unknown' | 'too_large' }

/** Records how a call ended of which nobody knew. `output` was checked by the caller against what the tool says it returns. */
export async function recordOutcome(
  context: Context,
  runId: string,
  { by, stepId, item, outcome }: { by: string; stepId: string; item: number; outcome: Outcome },
): Promise<OutcomeResult> {
  return acting<OutcomeResult>(context, runId, async (tx) => {
    const { state } = tx.run
    const unknown = state.unknown?.find((ref) => ref.stepId === stepId && ref.item === item)
    if (!unknown || state.stopping || state.status === 'running') return { result: { ok: false, reason: 'not_unknown' } }
    const ref: StepRef = { ...unknown, call: '' }
    if (outcome.happened && storable({ output: outcome.output }).flag) return { result: { ok: false, reason: 'too_large' } }
    const undoable = callOf(context.plans.of(tx.run.definition), ref, null).compensated
    const error: EngineError = {
      code: 'not_performed',
      message: 'It did not happen: recorded by hand.',
      stepId,
      ...(item < 0 ? {} : { item }),
    }
    const written = outcome.happened ? { ...outcome, seq: state.seq + 1, undoable } : { ...outcome, error }
    if (!(await tx.recordOutcome(ref, written))) return { result: { ok: false, reason: 'not_unknown' } }
    return { result: { ok: true }, event: { type: 'outcome_recorded', by, ...unknown, happened: outcome.happened } }
  })
}

async function planOf(context: Context, tx: RunTx, effectOf: EffectOf): Promise<PlanResult> {
  const { state, definition } = tx.run
  if (state.status !== 'parked' || state.stopping) return { ok: false, reason: 'not_parked' }
  if (state.compensating) return { ok: false, reason: 'compensating' }
  const plan = context.plans.of(definition)
  const ask = needsAnswer(plan, state, await tx.laidOutMaps(), effectOf)
  return {
    ok: true,
    plan: { again: runsAgain(plan, state), ask, unknown: (state.unknown ?? []).map(({ stepId, item }) => ({ stepId, item })) },
  }
}

async function acting<R extends { ok: boolean }>(
  context: Context,
  runId: string,
  choose: (tx: RunTx) => Promise<{ result: R; event?: EngineEvent }>,
): Promise<R | { ok: false; reason: 'not_found' }> {
  const { ports, plans } = context
  const done = await ports.store.transact(runId, async (tx): Promise<{ result: R; logged: Logged[] }> => {
    const { result, event } = await choose(tx)
    if (!event) return { result, logged: [] }
    return { result, logged: await drive({ tx, plan: plans.of(tx.run.definition), newId: ports.newId }, [event]) }
  })
  if (!done) return { ok: false, reason: 'not_found' }
  logAll(ports, done.logged)
  return done.result
}
