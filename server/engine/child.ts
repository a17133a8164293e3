import type { Draft } from './draft'
import { aliveIn } from './face'
import { itemEnded, itemsReturned, restMap } from './map'
import type { ChildCursor, EngineEvent, MapCursor } from './model'
import { fail, settle } from './settle'
import { compensate, stop } from './stopping'

type Event<T extends EngineEvent['type']> = Extract<EngineEvent, { type: T }>

/** A child run is stored: its step, or its map's item, now waits for it. */
export function childStarted(draft: Draft, { stepId, item, epoch }: Event<'child_started'>): void {
  if (item >= 0) return count(draft, stepId, epoch, undefined, 'busy')
  draft.expect(stepId, epoch, 'active')
  draft.move(stepId, { at: 'waiting', epoch, on: 'child', child: 'busy' })
}

/** A child waits for people or goes on, stands still or moves again. */
export function childChanged(draft: Draft, { stepId, item, epoch, was, now }: Event<'child_changed'>): void {
  if (item >= 0) return count(draft, stepId, epoch, was, now)
  draft.expectWaiting(stepId, epoch, 'child')
  draft.move(stepId, { at: 'waiting', epoch, on: 'child', child: now })
}

/**
 * A child's end is its step's. It also counts when this run has come to rest meanwhile: children live on under a parked run. What then
 * succeeds late is undone as everything else was.
 */
export function childEnded(draft: Draft, event: Event<'child_ended'>): void {
  const { stepId, item, epoch, was, end } = event
  if (item >= 0) count(draft, stepId, epoch, was, undefined)
  else draft.expectWaiting(stepId, epoch, 'child')
  if (event.end === 'withdrawn') withdrawn(draft, stepId, item)
  else if (item >= 0) itemEnded(draft, { type: 'item_ended', stepId, epoch, item, ...(event.error ? { error: event.error } : {}) })
  else if (!event.error) {
    draft.state.seq++
    settle(draft, stepId, epoch, 'succeeded')
  } else if (event.end === 'rejected' && !draft.isFollowed(stepId, 'failed')) {
    draft.move(stepId, { at: 'failed', epoch })
    stop(draft, { to: 'rejected', error: event.error })
  } else fail(draft, stepId, epoch, event.error, false)
  if (draft.isMoving) return
  if (item >= 0) restMap(draft, stepId)
  if (end === 'succeeded') compensate(draft)
}

/** Cancelled because this run is: it has no result, and that is nobody's failure. */
function withdrawn(draft: Draft, stepId: string, item: number): void {
  if (item >= 0) itemsReturned(draft, stepId, 1)
  else draft.move(stepId, { at: 'pending' })
}

/** Moves one item's child from one count of its map to another. */
function count(draft: Draft, stepId: string, epoch: number, from: ChildCursor | undefined, to: ChildCursor | undefined): void {
  const map = draft.expectMap(stepId, epoch)
  const children = { busy: 0, asking: 0, idle: 0, parked: 0, ...map.children }
  if (from) children[from]--
  if (to) children[to]++
  const counted: MapCursor = { ...map, children }
  if (Math.min(...Object.values(children)) < 0 || aliveIn(counted) > map.active)
    throw new Error(`the children of map '${stepId}' do not add up`)
  draft.move(stepId, { at: 'waiting', epoch, on: 'map', map: counted })
}
