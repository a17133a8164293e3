import { childChanged, childEnded, childStarted } from './child'
import { compensationEnded, undoChosen } from './compensation'
import { Draft } from './draft'
import { activityOf } from './face'
import { itemEnded, itemsChosen, itemsReturned, mapCollected, mapOpened, mapReopened } from './map'
import type { Advanced, EngineEvent, Plan, RunState, WorkRef } from './model'
import { outcomeRecorded, redrive } from './redrive'
import { fail, propagate, refuse, settle } from './settle'
import { comeToRest, giveUp, stop } from './stopping'

/**
 * The heart: what a run becomes by an event, and what must be done about it. Pure, and it never sees data: what depends on data is an effect
 * that the driver answers with another event in the same transaction. Throws on an event that cannot happen in this state.
 */
export function advance(plan: Plan, state: RunState, event: EngineEvent): Advanced {
  const draft = new Draft(plan, state)
  apply(draft, event)
  if (draft.state.stopping) comeToRest(draft)
  else progress(draft)
  return draft.done()
}

function apply(draft: Draft, event: EngineEvent): void {
  switch (event.type) {
    case 'started':
    case 'swept':
      return setOff(draft)
    case 'step_succeeded':
      draft.expect(event.stepId, event.epoch, 'active')
      draft.state.seq++
      return settle(draft, event.stepId, event.epoch, 'succeeded')
    case 'step_failed':
      draft.expect(event.stepId, event.epoch, 'active')
      noteUnknown(draft, { stepId: event.stepId, item: -1, epoch: event.epoch }, event.error.code)
      return fail(draft, event.stepId, event.epoch, event.error, event.mustPark)
    case 'item_ended':
      noteUnknown(draft, { stepId: event.stepId, item: event.item, epoch: event.epoch }, event.error?.code)
      return itemEnded(draft, event)
    case 'attempt_interrupted':
      return returned(draft, [event])
    case 'recalled':
      return returned(draft, event.refs)
    case 'gate_opened':
    case 'gate_decided':
    case 'gate_expired':
      return gate(draft, event)
    case 'child_started':
      return childStarted(draft, event)
    case 'child_changed':
      return childChanged(draft, event)
    case 'child_ended':
      return childEnded(draft, event)
    case 'choice_taken':
      draft.expect(event.stepId, event.epoch, 'deciding')
      return settle(draft, event.stepId, event.epoch, event.branch)
    case 'timer_set':
    case 'timer_fired':
      return timer(draft, event)
    case 'choice_failed':
    case 'wait_failed':
      draft.expect(event.stepId, event.epoch, 'deciding')
      return fail(draft, event.stepId, event.epoch, event.error, true)
    case 'map_opened':
      return mapOpened(draft, event)
    case 'map_reopened':
      return mapReopened(draft, event)
    case 'items_chosen':
      return itemsChosen(draft, event)
    case 'map_failed_to_open':
      draft.expect(event.stepId, event.epoch, 'deciding')
      return fail(draft, event.stepId, event.epoch, event.error, false)
    case 'map_collected':
      return mapCollected(draft, event)
    case 'redrive_requested':
      return redrive(draft, event)
    case 'outcome_recorded':
      return outcomeRecorded(draft, event)
    case 'cancel_requested':
      return cancel(draft)
    case 'undo_chosen':
      return undoChosen(draft, event)
    case 'compensation_ended':
      return compensationEnded(draft, event)
  }
}

/** The run's first event; after a crash also one that lets everything decide that could have. */
function setOff(draft: Draft): void {
  if (draft.state.status === 'queued') draft.setStatus('running')
  if (draft.isMoving) propagate(draft, draft.plan.graph.order)
}

function cancel(draft: Draft): void {
  if (draft.state.status === 'parked') return giveUp(draft)
  if (draft.state.status !== 'queued' && !draft.isMoving) throw new Error(`a run that is ${draft.state.status} cannot be cancelled`)
  stop(draft, { to: 'cancelled' })
}

function gate(draft: Draft, event: Extract<EngineEvent, { type: 'gate_opened' | 'gate_decided' | 'gate_expired' }>): void {
  const { stepId, epoch } = event
  if (event.type === 'gate_opened') {
    draft.expect(stepId, epoch, 'deciding')
    draft.move(stepId, { at: 'waiting', epoch, on: 'gate' })
    return propagate(draft, [])
  }
  draft.expectWaiting(stepId, epoch, 'gate')
  if (event.type === 'gate_expired') return refuse(draft, stepId, epoch, 'expired')
  if (event.port === 'rejected') return refuse(draft, stepId, epoch, 'rejected')
  settle(draft, stepId, epoch, 'approved')
}

function timer(draft: Draft, event: Extract<EngineEvent, { type: 'timer_set' | 'timer_fired' }>): void {
  const { stepId, epoch } = event
  if (event.type === 'timer_fired') {
    if (draft.cursor(stepId).at === 'waiting') draft.expectWaiting(stepId, epoch, 'timer')
    else draft.expect(stepId, epoch, 'deciding')
    return settle(draft, stepId, epoch, 'succeeded')
  }
  draft.expect(stepId, epoch, 'deciding')
  draft.move(stepId, { at: 'waiting', epoch, on: 'timer' })
  propagate(draft, [])
}

/** Work that ended without a result: its step, or its map's item, is pending again. */
function returned(draft: Draft, refs: readonly { stepId: string; item: number }[]): void {
  const items = new Map<string, number>()
  for (const { stepId, item } of refs) {
    if (item < 0) draft.move(stepId, { at: 'pending' })
    else items.set(stepId, (items.get(stepId) ?? 0) + 1)
  }
  for (const [stepId, count] of items) itemsReturned(draft, stepId, count)
}

function noteUnknown(draft: Draft, ref: WorkRef, code: string | undefined): void {
  if (code === 'outcome_unknown') draft.state.unknown = [...(draft.state.unknown ?? []), ref]
}

/** What the run as a whole now is. A run that neither moves nor waits nor is done would hang for ever: better to stop this transaction. */
function progress(draft: Draft): void {
  if (!draft.isMoving) return
  const { busy, asking, idle, pending } = activityOf(draft.state)
  if (busy) return draft.setStatus('running')
  if (asking) return draft.setStatus('awaiting_approval')
  if (idle) return draft.setStatus('running')
  if (pending) throw new Error('the run is stuck: nothing moves, and steps are pending')
  draft.setStatus('running')
  draft.setStatus('succeeded')
  draft.emit({ type: 'finish', status: 'succeeded' })
}
