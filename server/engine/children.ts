import { checkInput, type Json } from '@/spec'
import type { Attempts, Outcome } from './attempt'
import { resolveCall, type Call } from './call'
import { fatal, type Failure } from './failure'
import { driveLocked } from './drive-locked'
import { uuidOf } from './hash'
import type { EngineError, EngineEvent, StepRef } from './model'
import { titleOf } from './new-run'
import { initialState } from './plan'
import type { Child, Claimed, NewChild, RunTx, SignalData } from './ports'
import type { Logged } from './driver'
import { logAll, refOf, type Context } from './record'
import { storable } from './result'
import { refersToInput } from './scope'
import { sealInput } from './secrets'
import { cancelOf } from './signals'
import { stepLogged } from './telemetry'

/*
 * Parents and children. Each transition locks one run and nothing else of its family: a child is inserted by its parent's transaction, and
 * whatever either must tell the other later is a job, inserted in the transaction that has something to tell, whose own transaction locks the
 * hearer and reads the teller without a lock. So no transaction waits for a relative while it holds one, with one exception: starting a child
 * counts it at the root, and a root waits for nobody below it. What is told is what the hearer finds when it looks, not what the job says:
 * jobs may be late, twice, or in another order, and where one is lost, the sweep looks.
 */

/** Of a tree of runs; its root stands at 1, and is counted from 0. */
const DEPTH_MAX = 8

/** Everything before a child is stored: which version, its input, and whether this person may start it now. Nothing has happened yet. */
export async function prepareChild(context: Context, claimed: Claimed, call: Call): Promise<Outcome> {
  try {
    return await prepared(context, claimed, call)
  } catch (error) {
    context.ports.log.error('a child run could not be prepared', error)
    const failure: Failure = { kind: 'not_performed', error: { code: 'platform_error', message: 'The platform could not start this run.' } }
    return { kind: 'failure', failure }
  }
}

async function prepared(context: Context, claimed: Claimed, call: Call): Promise<Outcome> {
  const { ports, plans } = context
  const { run, row } = claimed
  const reference = call.name
  const defId = Object.hasOwn(run.kin.pins, reference) ? run.kin.pins[reference] : undefined
  const definition = defId === undefined ? null : await ports.store.definition(defId)
  if (!definition) return refused(`When this run started there was no workflow '${reference}' that could be started.`)
  if (run.kin.depth + 1 >= DEPTH_MAX) return refused(`Workflows start each other at most ${DEPTH_MAX} levels deep.`)
  const id = uuidOf(`child ${run.id} ${row.stepId} ${row.item} ${row.epoch}`)
  const child = { id, slug: definition.slug, version: definition.version }
  const may = await ports.access.mayStart({ principal: run.principal, workflows: [definition.slug], from: { runId: run.id, child } })
  if (!may.ok) return refused(may.message)
  const plan = plans.of(definition)
  const resolved = (await resolveCall(call, claimed, refersToInput(call.with) ? (await run.given()).input : {}, (stepIds) =>
    ports.store.outputs(run.id, stepIds),
  )) as Record<string, Json>
  const checked = checkInput(plan.spec.input ?? {}, resolved)
  if (!checked.ok) {
    const listed = checked.problems.slice(0, 5).map(({ path, message }) => `${path}: ${message}`)
    return refused(`The workflow cannot take this input. ${listed.join('; ')}`)
  }
  const { input, secrets } = sealInput(ports.sealer, plan, id, checked.value)
  await ports.store.recordInput(run.id, refOf(row), row.attempt, input, null)
  const { principal } = run
  const parent = { runId: run.id, ...refOf(row) }
  const kin = { parent, rootId: run.kin.rootId, depth: run.kin.depth + 1, pins: run.kin.pins }
  const title = titleOf(plan, { id, input, principal })
  const trace = ports.newTrace?.(id, run.trace) ?? null
  const stored: NewChild = { id, definition, principal, title, input, secrets, kin, trace }
  // Who went on with the parent may not decide in its children either.
  const { initiators } = run.state
  const state = { ...initialState(plan), ...(initiators ? { initiators } : {}) }
  return { kind: 'child', child: { run: stored, state, stepsTotal: plan.spec.steps.length } }
}

/** A child that could not start is an ordinary failure (spec-v1.md §3). */
const refused = (message: string): Outcome => ({ kind: 'failure', failure: fatal('child_not_started', message) })

/** A signal's job: a run hears what became of a child, or that it is to stop. */
export async function hear(context: Context, attempts: Attempts, signal: SignalData): Promise<void> {
  if (signal.call === 'cancel') await cancelRun(context, attempts, signal.runId)
  else await hearChild(context, signal.runId, refOf({ ...signal, call: '' }))
}

/** Lets a stored run set off. */
export async function setOff(context: Context, runId: string): Promise<void> {
  await driveLocked(context, runId, (tx) => (tx.run.state.status === 'queued' ? [{ type: 'started' }] : []))
}

/** Asks a run to stop, and tells its handlers in this process. */
export async function cancelRun(context: Context, attempts: Attempts, runId: string): Promise<'done' | 'refused' | 'no such run'> {
  const done = await driveLocked(context, runId, ({ run: { state } }) => {
    if (state.status === 'succeeded' || state.status === 'rejected' || state.status === 'cancelled') return null
    return state.stopping?.to === 'cancelled' || state.stopping?.to === 'rejected' ? [] : [{ type: 'cancel_requested' }]
  })
  if (done === 'done') attempts.abort(runId)
  return done
}

/** Looks what a step's child has come to, and moves its run on by it. */
export async function hearChild(context: Context, runId: string, ref: StepRef): Promise<void> {
  const told: Logged[] = []
  const done = await driveLocked(context, runId, async (tx) => {
    const child = await tx.childOf(ref)
    if (!child || child.face === child.was) return []
    const event = await heard(context, tx, ref, child)
    if (!event) return []
    if (event.type === 'child_ended') told.push(await stepLogged(tx, ref, { end: ENDS[event.end], code: event.error?.code }, child.runId))
    return [event]
  })
  if (done === 'done') logAll(context.ports, told)
}

const ENDS = { succeeded: 'succeeded', withdrawn: 'cancelled', cancelled: 'failed', rejected: 'failed', parked: 'failed' } as const

async function heard(context: Context, tx: RunTx, ref: StepRef, child: Child): Promise<EngineEvent | null> {
  const { stepId, item, epoch } = ref
  const { state, definition } = tx.run
  const { followedPorts, steps } = context.plans.of(definition).graph
  const at = { stepId, item, epoch, was: child.was }
  const isCaught = followedPorts.get(stepId)?.has('failed') ?? false
  const ended = async (end: 'cancelled' | 'rejected' | 'parked', code: EngineError['code'], message: string): Promise<EngineEvent> => {
    const error: EngineError = { code, message, stepId, ...(item < 0 ? {} : { item }) }
    await tx.endChild(ref, { kind: 'failed', error, ambiguous: false })
    return { type: 'child_ended', ...at, end, error }
  }
  switch (child.face) {
    case 'succeeded': {
      const step = steps.get(stepId)
      const body = step && 'do' in step ? step.do : step
      const undoable = body !== undefined && 'compensate' in body && body.compensate !== undefined
      await tx.endChild(ref, { kind: 'succeeded', seq: state.seq + 1, result: storable({ output: child.output }), undoable })
      return { type: 'child_ended', ...at, end: 'succeeded' }
    }
    case 'cancelled':
      if (isGivenUp(state)) {
        await tx.endChild(ref, { kind: 'cancelled' })
        return { type: 'child_ended', ...at, end: 'withdrawn' }
      }
      return isCaught && child.error
        ? ended('parked', 'child_parked', `The run that this step started stopped: ${child.error.message}`.slice(0, 2000))
        : ended('cancelled', 'child_cancelled', 'The run that this step started was cancelled.')
    case 'rejected':
      return ended('rejected', 'child_rejected', 'The run that this step started was rejected.')
    case 'parked':
      // It is given up, and once that has happened, with all below it, the step fails. Until then it is not noted, so that the sweep asks again.
      if (isCaught && !isGivenUp(state)) {
        await tx.signal([{ id: context.ports.newId(), data: cancelOf(child.runId), teamId: tx.run.principal.teamId }])
        return null
      }
      break
    default:
  }
  await tx.noteChild(ref, child.face)
  return { type: 'child_changed', ...at, now: child.face }
}

/** Cancelled or rejected, or on the way there: whoever it started is told to stop. */
export function isGivenUp({ status, stopping }: RunTx['run']['state']): boolean {
  const to = stopping?.to ?? status
  return to === 'cancelled' || to === 'rejected'
}
