import { approveSettings, resolveValue, takeBranch, type Json } from '@/spec'
import { hashOf } from './hash'
import type { EngineError, EngineEvent, Plan, StepRef } from './model'
import { stepOf } from './plan'
import type { RunTx } from './ports'
import { scopeFor } from './scope'
import { later } from './time'

/*
 * What depends on a run's data and costs no job: decided by the driver inside the transaction, answered to the reducer as an event.
 */

/** What driving a run needs: its transaction, its plan, and ids for what is made. */
export type Driving = { tx: RunTx; plan: Plan; newId: () => string }

const MAP_ITEMS_MAX = 10_000

type At = { stepId: string; epoch: number }
const rowOf = ({ stepId, epoch }: At): StepRef => ({ stepId, item: -1, call: '', epoch })

/** Takes the first branch of a choice that holds; none, or types that cannot be compared, fails the step. */
export async function takeBranchOf({ tx, plan }: Driving, at: At): Promise<EngineEvent> {
  const step = stepOf(plan, at.stepId, 'choice')
  const values = step.branches.flatMap(({ when }) => (when ? [when.left, when.right] : []))
  const taken = takeBranch(step, await scopeFor(tx, ...values))
  if (!taken.ok) {
    const error = { code: taken.code, message: taken.message, stepId: at.stepId }
    await tx.settleStep(rowOf(at), 'failed', { error })
    return { type: 'choice_failed', stepId: at.stepId, epoch: at.epoch, error }
  }
  await tx.settleStep(rowOf(at), 'succeeded', { output: { branch: taken.branch } })
  return { type: 'choice_taken', stepId: at.stepId, epoch: at.epoch, branch: taken.branch }
}

/** Opens a gate with exactly what its approvers will see; the hash proves later what that was. */
export async function openGate({ tx, plan, newId }: Driving, at: At): Promise<EngineEvent> {
  const step = stepOf(plan, at.stepId, 'approve')
  const settings = approveSettings(step)
  const scope = await scopeFor(tx, step.message, step.show)
  const message = step.message === undefined ? null : resolveValue(step.message, scope)
  const show = Object.fromEntries(Object.entries(step.show ?? {}).map(([name, value]) => [name, resolveValue(value, scope)]))
  const title = step.title ?? at.stepId.replaceAll('_', ' ')
  await tx.openGate({
    id: newId(),
    stepId: at.stepId,
    epoch: at.epoch,
    role: step.role,
    channels: [...settings.channels],
    approvals: settings.approvals,
    selfApproval: settings.selfApproval,
    requireSignIn: settings.requireSignIn,
    title,
    message,
    show,
    form: step.form ?? null,
    shownHash: hashOf({ title, message, show }),
    expiresAt: later(tx.now, settings.ttlSeconds * 1000),
  })
  await tx.settleStep(rowOf(at), 'waiting', { input: { message, show } })
  return { type: 'gate_opened', stepId: at.stepId, epoch: at.epoch }
}

/** Lays out a map's items. */
export async function openMap({ tx, plan }: Driving, at: At): Promise<EngineEvent> {
  const step = stepOf(plan, at.stepId, 'map')
  const over = resolveValue(step.over, await scopeFor(tx, step.over))
  if (!Array.isArray(over)) return refuseMap(tx, at, 'map_over_not_array', `'over' is not an array but ${typeName(over)}`)
  if (over.length > MAP_ITEMS_MAX)
    return refuseMap(tx, at, 'map_too_large', `${over.length} items are more than the ${MAP_ITEMS_MAX} a map may have`)
  await tx.openMap(rowOf(at), over)
  return { type: 'map_opened', stepId: at.stepId, epoch: at.epoch, total: over.length }
}

/** Lays out a map again: items that are done stay done. */
export async function reopenMap({ tx }: Driving, at: At): Promise<EngineEvent> {
  return { type: 'map_reopened', stepId: at.stepId, epoch: at.epoch, ...(await tx.reopenMap(rowOf(at))) }
}

async function refuseMap(tx: RunTx, at: At, code: EngineError['code'], message: string): Promise<EngineEvent> {
  const error: EngineError = { code, message, stepId: at.stepId }
  await tx.settleStep(rowOf(at), 'failed', { error })
  return { type: 'map_failed_to_open', stepId: at.stepId, epoch: at.epoch, error }
}

const typeName = (value: Json) => (value === null ? 'null' : typeof value === 'object' ? 'an object' : `a ${typeof value}`)

/** The document's `output`, for a run that succeeded. */
export async function resolveOutput({ tx, plan }: Driving): Promise<Json | null> {
  const { output } = plan.spec
  return output === undefined ? null : resolveValue(output, await scopeFor(tx, output))
}
