import type { ChildCursor, Face, MapCursor, RunState, StepCursor } from './model'

/** What goes on in a run that moves. `idle`: something waits for time, or for a child that stands still. */
type Activity = { busy: boolean; asking: boolean; idle: boolean; pending: boolean }

/** Looks at every step once. */
export function activityOf({ steps }: RunState): Activity {
  const seen: Activity = { busy: false, asking: false, idle: false, pending: false }
  for (const cursor of steps.values()) {
    if (cursor.at === 'active' || cursor.at === 'deciding') seen.busy = true
    else if (cursor.at === 'pending') seen.pending = true
    else if (cursor.at === 'waiting') {
      if (cursor.on === 'map') lookAtMap(cursor.map, seen)
      else if (cursor.on === 'gate') seen.asking = true
      else lookAtChild(cursor.on === 'child' ? cursor.child : 'idle', seen)
    }
  }
  return seen
}

function lookAtChild(child: ChildCursor, seen: Activity): void {
  if (child === 'busy') seen.busy = true
  else if (child === 'asking') seen.asking = true
  else seen.idle = true
}

/** A map is at work unless all that it has under way are children that wait. */
function lookAtMap(map: MapCursor, seen: Activity): void {
  const { children } = map
  if (!children || map.active === 0 || map.active > aliveIn(map) || children.busy > 0) seen.busy = true
  else if (children.asking > 0) seen.asking = true
  else seen.idle = true
}

/** Items of a map whose child runs have not ended. */
export function aliveIn({ children }: MapCursor): number {
  return children ? children.busy + children.asking + children.idle + children.parked : 0
}

/** What a parent is told of its child. */
export function faceOf(state: RunState): Face {
  switch (state.status) {
    case 'queued':
      return 'busy'
    case 'awaiting_approval':
      return 'asking'
    case 'running':
      return state.stopping || activityOf(state).busy ? 'busy' : 'idle'
    default:
      return state.status
  }
}

/** Whether a child run of this one has not ended as far as this one knows. */
export function hasChildren({ steps }: RunState): boolean {
  return [...steps.values()].some(waitsForChildren)
}

export function waitsForChildren(cursor: StepCursor): boolean {
  return cursor.at === 'waiting' && (cursor.on === 'child' || (cursor.on === 'map' && aliveIn(cursor.map) > 0))
}

/** Something is or should be under way: work, compensation, or children to hear of. The sweep looks at these runs. */
export function isUnderWay(state: RunState): boolean {
  return state.status === 'queued' || state.status === 'running' || state.compensating !== undefined || hasChildren(state)
}
