import { compensateOn } from '@/spec'
import type { Draft } from './draft'
import { aliveIn, hasChildren } from './face'
import type { Stopping } from './model'

/**
 * The first decisive event wins; only a cancel overrides a coming park. What is queued is recalled, gates are withdrawn, timers
 * drop and keep their deadline, nothing new is decided, and what is on a worker drains: its results count.
 */
export function stop(draft: Draft, stopping: Stopping): void {
  const { state } = draft
  if (state.stopping) {
    if (stopping.to !== 'cancelled' || state.stopping.to !== 'parked') return
    state.stopping = stopping
    return cancelChildren(draft)
  }
  // At rest already: what a child came to later changes its own step only.
  if (state.status !== 'queued' && !draft.isMoving) return
  if (state.status === 'awaiting_approval') draft.setStatus('running')
  state.stopping = stopping
  delete state.toDecide
  for (const [stepId, cursor] of state.steps) {
    if (cursor.at === 'waiting' && (cursor.on === 'gate' || cursor.on === 'timer')) withdraw(draft, stepId, cursor.epoch)
  }
  draft.emit({ type: 'recall' })
  if (stopping.to !== 'parked') cancelChildren(draft)
}

/** They drain as attempts on workers do, and their ends count. Under a run that parks they live on. */
function cancelChildren(draft: Draft): void {
  if (hasChildren(draft.state)) draft.emit({ type: 'cancel_children' })
}

/** A parked run will not go on. The children that live on under it end first: it stays parked, and stopping, until they have. */
export function giveUp(draft: Draft): void {
  if (draft.state.stopping) return
  draft.state.stopping = { to: 'cancelled' }
  cancelChildren(draft)
}

/** A gate nobody will be asked any more, or a timer that is not waited for now. */
function withdraw(draft: Draft, stepId: string, epoch: number): void {
  draft.move(stepId, { at: 'pending' })
  draft.emit({ type: 'settle', stepId, epoch, status: 'cancelled' })
}

/** Takes the run to the status it is stopping for, once nothing is on a worker any more. */
export function comeToRest(draft: Draft): void {
  const { state } = draft
  if (!state.stopping) return
  const parks = state.stopping.to === 'parked'
  for (const cursor of state.steps.values()) {
    if (cursor.at === 'active' || cursor.at === 'deciding') return
    if (cursor.at !== 'waiting') continue
    if (cursor.on === 'child' && !parks) return
    if (cursor.on !== 'map') continue
    const underWay = cursor.map.active - (parks ? aliveIn(cursor.map) : 0)
    if (underWay > 0 || cursor.map.choosing || (cursor.map.active === 0 && isOver(cursor.map))) return
  }
  for (const [stepId, cursor] of state.steps) {
    if (cursor.at === 'waiting' && cursor.on === 'map' && cursor.map.active === 0)
      draft.emit({ type: 'settle', stepId, epoch: cursor.epoch, status: 'cancelled' })
  }
  const { to, error } = state.stopping
  delete state.stopping
  finishAs(draft, to, error)
}

/** A map with nothing under way that is about to be collected. */
export function isOver(map: { next: number; total: number; failing?: unknown; succeeded: number; failed: number }): boolean {
  return map.failing !== undefined || map.succeeded + map.failed === map.total
}

/** Ends the run in a status that stops it, and starts to undo what stands where the document says so. */
function finishAs(draft: Draft, to: Stopping['to'], error: Stopping['error']): void {
  // Why it had parked stays with it when it is cancelled.
  const keepsError = draft.state.status === 'parked'
  draft.setStatus(to)
  draft.emit({ type: 'finish', status: to, ...(error ? { error } : {}), ...(keepsError ? { keepsError } : {}) })
  compensate(draft)
}

/** Starts to undo what stands, where the document says so for the status that the run has. */
export function compensate(draft: Draft): void {
  const { status, unknown, compensating } = draft.state
  const wanted = compensateOn(draft.plan.spec).some((on) => on === status)
  // Undoing around a call of which nobody knows whether it happened could undo the wrong half: a person looks first.
  if (wanted && !unknown?.length && !compensating) draft.emit({ type: 'choose_undo' })
}
