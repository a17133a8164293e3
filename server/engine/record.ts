import { windUp } from './agent/wind-up'
import { callOf, jobFor, type Call } from './call'
import type { Outcome } from './attempt'
import { fatal } from './failure'
import { drive, type Logged } from './driver'
import type { EngineError, EngineEvent, Plan, RunState, StepRef } from './model'
import type { AttemptEnd, NewChild, Ports, RunTx, StepRow, Tool } from './ports'
import type { PlanCache } from './plan'
import { judge, type Verdict } from './retry'
import { bytesOf, spanOf } from './telemetry'
import { later } from './time'

/** What the parts of the engine share. */
export type Context = { ports: Ports; plans: PlanCache }

/**
 * An attempt that is over: whose, and how it ended. `lost`: the row was taken over from a lost worker and nothing was started again, so the end is that
 * of the attempt before.
 */
export type Ended = {
  row: StepRow
  undoes: StepRow | null
  jobId: string
  effect: Tool['effect']
  outcome: Outcome
  durationMs?: number
  lost?: boolean
}

/**
 * Records how an attempt ended and advances the run by it, in one transaction. A result that comes after somebody else took the row over
 * changes nothing. The first recorded success of an epoch is the only one.
 */
export async function record(context: Context, runId: string, ended: Ended): Promise<void> {
  const done = await context.ports.store.transact(runId, async (tx) => {
    const plan = context.plans.of(tx.run.definition)
    const step = await endAttempt(context, tx, plan, ended)
    if (!step.recorded) return step
    if (!step.event) {
      await tx.save(tx.run.state)
      return step
    }
    return { ...step, logged: [...step.logged, ...(await drive({ tx, plan, newId: context.ports.newId }, [step.event]))] }
  })
  if (done) logAll(context.ports, done.logged)
}

export type Recorded = { recorded: boolean; event: EngineEvent | undefined; logged: Logged[] }

/** Writes an attempt's end within the run's transaction, and says which event that is for the run. */
export async function endAttempt(context: Context, tx: RunTx, plan: Plan, given: Ended): Promise<Recorded> {
  const ended = given.lost ? await endedLost(tx, given) : given
  const { row, jobId } = ended
  const call = callOf(plan, row, ended.undoes)
  const unknown = call.kind === 'agent' && ended.outcome.kind === 'failure' ? await windUp(tx, row, context.ports.tools) : undefined
  const written = endOf(context, tx, plan, call, unknown ? { ...ended, outcome: { kind: 'failure', failure: unknown } } : ended)
  const recorded = await tx.endAttempt(refOf(row), row.attempt, jobId, written.end)
  const fields = { run_id: tx.run.id, step_id: row.stepId, item: row.item, call: row.call, attempt: row.attempt }
  if (recorded && ended.outcome.kind === 'child' && written.end.kind === 'child') {
    if (!(await tx.insertChild(ended.outcome.child))) return tooMany(tx, row, fields)
    return { recorded, event: written.event, logged: [childLogged(tx, ended.outcome.child.run)] }
  }
  const code = 'error' in written.end ? written.end.error.code : null
  if (!recorded) return { recorded, event: undefined, logged: [['step_complete', { ...fields, code: 'late_result_refused' }]] }
  const name = written.end.kind === 'retry' ? 'step_retry' : 'step_complete'
  const { outcome, durationMs = 0 } = ended
  const size = outcome.kind === 'result' ? bytesOf(outcome.result.output) : null
  const causes = outcome.kind === 'failure' ? (outcome.causes ?? []) : []
  const span = { ...spanOf(tx.run, later(tx.now, -durationMs), tx.now), causes }
  const logged: Logged[] = [
    [name, { ...fields, code, end: written.end.kind, duration_ms: ended.durationMs ?? null, output_bytes: size }, span],
  ]
  return { recorded, event: written.event, logged }
}

/** Where the row is another's by now, it is so under this attempt too. */
async function endedLost(tx: RunTx, { row, ...ended }: Ended): Promise<Ended> {
  await tx.backToLost(refOf(row), row.attempt, ended.jobId)
  return { ...ended, row: { ...row, attempt: row.attempt - 1 } }
}

/** Whether what is on a worker may only finish: the run is stopping, or more items of its map failed than are tolerated. */
export function onlyDrains(state: RunState, { stepId, item, call }: StepRef): boolean {
  if (state.stopping) return true
  const cursor = state.steps.get(stepId)
  return item >= 0 && call === '' && cursor?.at === 'waiting' && cursor.on === 'map' && cursor.map.failing !== undefined
}

function childLogged(tx: RunTx, { id, definition, principal, input }: NewChild): Logged {
  const { slug, version } = definition
  const fields = { run_id: id, team_id: principal.teamId, slug, version, parent_run_id: tx.run.id, input_bytes: bytesOf(input) }
  return ['run_start', fields]
}

/** The guard has let the child's row pass, but its root has all the descendants it may have. */
async function tooMany(tx: RunTx, row: StepRow, fields: Logged[1]): Promise<Recorded> {
  const { error } = fatal('child_not_started', 'All the runs that the first one may have started, and those that they started, are 10,000.')
  const at = { ...error, stepId: row.stepId, ...(row.item < 0 ? {} : { item: row.item }) }
  await tx.settleStep(refOf(row), 'failed', { error: at })
  return { recorded: true, event: endEvent(row, at), logged: [['step_complete', { ...fields, code: error.code, end: 'failed' }]] }
}

export const refOf = ({ stepId, item, call, epoch }: StepRef): StepRef => ({ stepId, item, call, epoch })

export function logAll(ports: Ports, logged: Logged[]): void {
  for (const [name, fields, span] of logged) ports.log.event(name, fields, span)
}

/** No event: the attempt is tried again, and for the run nothing has changed. */
type Written = { end: AttemptEnd; event: EngineEvent | undefined }

function endOf(context: Context, tx: RunTx, plan: Plan, call: Call, ended: Ended): Written {
  const { row, outcome } = ended
  if (outcome.kind === 'result') {
    const isUndo = row.call === 'undo'
    const undoable = !isUndo && (call.compensated || outcome.result.compensation !== undefined)
    const end: AttemptEnd = { kind: 'succeeded', seq: isUndo ? null : tx.run.state.seq + 1, result: outcome.result, undoable }
    return { end, event: endEvent(row) }
  }
  if (outcome.kind === 'child') {
    // Nothing has started, and where what is under way may only finish nothing will.
    if (onlyDrains(tx.run.state, row)) return writtenFor(context, tx, plan, row, { kind: 'interrupted', ambiguous: false })
    const { stepId, item, epoch } = row
    return { end: { kind: 'child', runId: outcome.child.run.id }, event: { type: 'child_started', stepId, item, epoch } }
  }
  const verdict = judge(outcome.failure, {
    attempt: row.attempt,
    retry: call.retry,
    effect: ended.effect,
    stopping: onlyDrains(tx.run.state, row),
    startedAt: row.startedAt,
    now: tx.now,
    random: context.ports.random(),
  })
  return writtenFor(context, tx, plan, row, verdict)
}

function writtenFor(context: Context, tx: RunTx, plan: Plan, row: StepRow, verdict: Verdict): Written {
  switch (verdict.kind) {
    case 'interrupted':
      return {
        end: { kind: 'interrupted', ambiguous: verdict.ambiguous },
        event: { type: 'attempt_interrupted', stepId: row.stepId, epoch: row.epoch, item: row.item },
      }
    case 'failed': {
      const error = { ...verdict.error, stepId: row.stepId, ...(row.item < 0 ? {} : { item: row.item }) }
      return { end: { kind: 'failed', error, ambiguous: verdict.ambiguous }, event: endEvent(row, error, verdict.mustPark) }
    }
    case 'retry': {
      const job = jobFor({ run: tx.run, plan, newId: context.ports.newId }, row, later(tx.now, verdict.delayMs))
      return { end: { kind: 'retry', error: verdict.error, ambiguous: verdict.ambiguous, job, attempt: verdict.attempt }, event: undefined }
    }
  }
}

/** The event of a row that ended for good. */
function endEvent({ stepId, item, call, epoch }: StepRef, error?: EngineError, mustPark = false): EngineEvent {
  if (call === 'undo') return { type: 'compensation_ended', stepId, item, epoch, succeeded: error === undefined }
  if (item >= 0) return { type: 'item_ended', stepId, epoch, item, ...(error ? { error, mustPark } : {}) }
  return error ? { type: 'step_failed', stepId, epoch, error, mustPark } : { type: 'step_succeeded', stepId, epoch }
}
