import { mapSettings } from '@/spec'
import type { Draft } from './draft'
import type { EngineError, EngineEvent, MapCursor } from './model'
import { stepOf } from './plan'
import { fail, propagate, settle } from './settle'
import { isOver, stop } from './stopping'

/** A map's items are there: as many start as may run at once. */
export function mapOpened(draft: Draft, event: Extract<EngineEvent, { type: 'map_opened' }>): void {
  const { stepId, epoch, total } = event
  draft.expect(stepId, epoch, 'deciding')
  const map: MapCursor = { total, next: 0, active: 0, succeeded: 0, failed: 0 }
  moveMap(draft, stepId, epoch, startItems(draft, stepId, epoch, map))
  propagate(draft, [])
}

/** A map goes on after a re-drive: what is done counts, the rest is to do. */
export function mapReopened(draft: Draft, event: Extract<EngineEvent, { type: 'map_reopened' }>): void {
  const { stepId, epoch, total, succeeded } = event
  draft.expect(stepId, epoch, 'deciding')
  const map: MapCursor = { total, next: 0, active: 0, succeeded, failed: 0, sparse: true }
  moveMap(draft, stepId, epoch, startItems(draft, stepId, epoch, map))
  propagate(draft, [])
}

/** After a re-drive: a map whose children have lived on starts what else it may. */
export function resumeMap(draft: Draft, stepId: string, { epoch, map }: { epoch: number; map: MapCursor }): void {
  moveMap(draft, stepId, epoch, startItems(draft, stepId, epoch, map))
}

export function itemsChosen(draft: Draft, event: Extract<EngineEvent, { type: 'items_chosen' }>): void {
  const { stepId, epoch, items } = event
  const { choosing, ...map } = draft.expectMap(stepId, epoch)
  if (!choosing) throw new Error(`nobody asked for items of '${stepId}'`)
  if (!draft.isOpen || map.failing) return draft.move(stepId, { at: 'waiting', epoch, on: 'map', map })
  const last = items.at(-1)
  if (last === undefined) throw new Error(`step '${stepId}' has no items left, and is not done`)
  for (const item of items) draft.emit({ type: 'enqueue', ref: { stepId, item, call: '', epoch } })
  const started = { ...map, next: last + 1, active: map.active + items.length }
  moveMap(draft, stepId, epoch, startItems(draft, stepId, epoch, started))
}

/** One item's end. The same work whether the map has ten items or ten thousand. */
export function itemEnded(draft: Draft, event: Extract<EngineEvent, { type: 'item_ended' }>): void {
  const { stepId, epoch, error } = event
  const map = { ...draft.expectMap(stepId, epoch) }
  map.active--
  if (error) {
    map.failed++
    moveMap(draft, stepId, epoch, itemFailed(draft, stepId, epoch, map, { ...error, stepId, item: event.item }, event.mustPark ?? false))
    return
  }
  map.succeeded++
  draft.state.seq++
  moveMap(draft, stepId, epoch, startItems(draft, stepId, epoch, map))
}

/** Items that were queued, or that a worker gave back, are pending again. */
export function itemsReturned(draft: Draft, stepId: string, count: number): void {
  const cursor = draft.cursor(stepId)
  if (cursor.at !== 'waiting' || cursor.on !== 'map') throw new Error(`step '${stepId}' is not a map with items under way`)
  moveMap(draft, stepId, cursor.epoch, { ...cursor.map, active: cursor.map.active - count })
}

/** In a run that has come to rest: a map whose last child has ended, and which goes no further. */
export function restMap(draft: Draft, stepId: string): void {
  const cursor = draft.cursor(stepId)
  if (cursor.at !== 'waiting' || cursor.on !== 'map' || cursor.map.active > 0 || isOver(cursor.map)) return
  draft.emit({ type: 'settle', stepId, epoch: cursor.epoch, status: 'cancelled' })
}

/** The map's output is stored: it settles by what its items came to. */
export function mapCollected(draft: Draft, event: Extract<EngineEvent, { type: 'map_collected' }>): void {
  const { stepId, epoch } = event
  const { failing } = draft.expectMap(stepId, epoch)
  if (failing) fail(draft, stepId, epoch, failing.error, failing.mustPark)
  else settle(draft, stepId, epoch, 'succeeded')
}

function itemFailed(draft: Draft, stepId: string, epoch: number, map: MapCursor, error: EngineError, mustPark: boolean): MapCursor {
  if (mustPark) {
    // Never tolerated, and never caught by `failed`: the run parks at once, the map fails when its other items have drained.
    stop(draft, { to: 'parked', error })
    return { ...map, failing: { error, mustPark } }
  }
  const { tolerate } = mapSettings(stepOf(draft.plan, stepId, 'map'))
  if (map.failing || map.failed <= tolerate) return startItems(draft, stepId, epoch, map)
  const allowed = tolerate === 0 ? 'none may fail here' : `at most ${tolerate} may fail here`
  const last = error.item === undefined ? 'The last one' : `Item ${error.item + 1}`
  const message = `${map.failed} of ${map.total} ${map.total === 1 ? 'item' : 'items'} failed, and ${allowed}. ${last}: ${error.message}`
  if (map.active > 0) draft.emit({ type: 'recall', stepId })
  return { ...map, failing: { error: { code: 'map_failed', message: message.slice(0, 2000), stepId }, mustPark: false } }
}

function startItems(draft: Draft, stepId: string, epoch: number, map: MapCursor): MapCursor {
  if (!draft.isOpen || map.failing) return map
  if (map.sparse) return chooseItems(draft, stepId, epoch, map)
  const { concurrency } = mapSettings(stepOf(draft.plan, stepId, 'map'))
  const started = { ...map }
  while (started.active < concurrency && started.next < started.total) {
    draft.emit({ type: 'enqueue', ref: { stepId, item: started.next, call: '', epoch } })
    started.next++
    started.active++
  }
  return started
}

/** After a re-drive the items that are left have gaps between them: the rows are asked for the next ones, once at a time. */
function chooseItems(draft: Draft, stepId: string, epoch: number, map: MapCursor): MapCursor {
  const { concurrency } = mapSettings(stepOf(draft.plan, stepId, 'map'))
  const left = map.total - map.succeeded - map.failed - map.active
  const count = Math.min(concurrency - map.active, left)
  if (map.choosing || count <= 0) return map
  draft.emit({ type: 'choose_items', stepId, epoch, from: map.next, count })
  return { ...map, choosing: true }
}

/** Stores the counters; with nothing under way and nothing to come the map is collected. */
function moveMap(draft: Draft, stepId: string, epoch: number, map: MapCursor): void {
  draft.move(stepId, { at: 'waiting', epoch, on: 'map', map })
  if (map.active > 0) return
  if (map.failing) draft.emit({ type: 'collect_map', stepId, epoch, error: map.failing.error })
  else if (map.succeeded + map.failed === map.total) draft.emit({ type: 'collect_map', stepId, epoch })
}
