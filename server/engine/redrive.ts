import { kindOf } from '@/spec'
import type { Draft } from './draft'
import { aliveIn, waitsForChildren } from './face'
import { resumeMap } from './map'
import type { EngineEvent, LaidOutMap, Plan, RedriveRequested, RunState, Waiting } from './model'
import type { Tool } from './ports'
import { propagate } from './settle'
import { compensate } from './stopping'

/** What a call does to the world, by its `uses` (`tool:NAME`, `job:KIND`). */
export type EffectOf = (uses: string) => Tool['effect']

/** What a re-drive runs again (engine.md §5): what failed or was undone, and everything that depends on that; in the order of the graph. */
export function runsAgain(plan: Plan, state: RunState): string[] {
  const seeds = new Set(state.undoneMaps)
  for (const [stepId, { at }] of state.steps) if (at === 'failed' || at === 'compensated') seeds.add(stepId)
  const { ancestors, order } = plan.graph
  return order.filter((stepId) => seeds.has(stepId) || [...(ancestors.get(stepId) ?? [])].some((before) => seeds.has(before)))
}

/**
 * Steps that did something which stands and which running them again would do twice: a person must say `repeat` or `keep` for each. A map that
 * depends on nothing that runs again keeps the items that are done, so there is nothing to ask.
 */
export function needsAnswer(plan: Plan, state: RunState, maps: readonly LaidOutMap[], effectOf: EffectOf): string[] {
  const again = new Set(runsAgain(plan, state))
  return [...again].filter((stepId) => {
    const cursor = state.steps.get(stepId)
    if (changes(plan, stepId, effectOf) === false) return false
    if (plan.graph.steps.get(stepId)?.uses === 'map') return stands(maps, stepId) && dependsOn(plan, stepId, again)
    return cursor?.at === 'settled' && cursor.port === 'succeeded'
  })
}

/** Back to work: R is pending in a new epoch, and what the stop had interrupted goes on. */
export function redrive(draft: Draft, event: RedriveRequested): void {
  const { plan, state } = draft
  if (state.status !== 'parked' || state.stopping || state.compensating)
    throw new Error('only a run that is parked and undoes nothing can be re-driven')
  const again = new Set(runsAgain(plan, state))
  const keep = new Set(event.keep)
  for (const stepId of keep) if (!again.has(stepId)) throw new Error(`step '${stepId}' does not run again: there is nothing to keep`)
  for (const stepId of plan.graph.order) {
    // What was started from outcomes that stand no longer.
    if (again.has(stepId) && waitsForChildren(draft.cursor(stepId))) draft.emit({ type: 'cancel_children', stepId })
    const cursor = draft.cursor(stepId)
    const laidOut = event.maps.some((map) => map.stepId === stepId)
    if (!again.has(stepId)) {
      if (cursor.at === 'waiting' && cursor.on === 'map') goOn(draft, stepId, cursor)
    } else if (keep.has(stepId)) {
      const done = cursor.at === 'settled' && cursor.port === 'succeeded' && !state.undoneMaps?.includes(stepId)
      if (!done) draft.runAgain(stepId, { at: 'pending', kept: true })
    } else {
      const goesOn = laidOut && !dependsOn(plan, stepId, again)
      draft.runAgain(stepId, goesOn ? { at: 'pending', kept: true } : { at: 'pending' })
    }
  }
  state.epoch = draft.epoch + 1
  delete state.unknown
  delete state.undoneMaps
  noteInitiator(draft, event.by)
  draft.setStatus('running')
  const pending = [...state.steps].flatMap(([stepId, { at }]) => (at === 'pending' ? [stepId] : []))
  const interrupted = pending.filter((stepId) => !again.has(stepId))
  draft.emit({ type: 'resume', again: pending.filter((stepId) => again.has(stepId)), interrupted, epoch: state.epoch })
  for (const [stepId, cursor] of state.steps) if (cursor.at === 'waiting' && cursor.on === 'map') resumeMap(draft, stepId, cursor)
  propagate(draft, plan.graph.order)
}

/** A map that the stop had interrupted. Where children of it live on, it waits for them still, and starts what is left. */
function goOn(draft: Draft, stepId: string, { epoch, map }: Extract<Waiting, { on: 'map' }>): void {
  if (aliveIn(map) === 0) return draft.runAgain(stepId, { at: 'pending', kept: true })
  draft.move(stepId, { at: 'waiting', epoch, on: 'map', map: { ...map, sparse: true, next: 0 } })
}

/** A person has said how a call ended of which nobody knew. With the last of them, what had to wait for it is undone. */
export function outcomeRecorded(draft: Draft, event: Extract<EngineEvent, { type: 'outcome_recorded' }>): void {
  const { state } = draft
  const { stepId, item, epoch, happened } = event
  const left = (state.unknown ?? []).filter((ref) => ref.stepId !== stepId || ref.item !== item || ref.epoch !== epoch)
  if (left.length === state.unknown?.length || !state.unknown) throw new Error(`the outcome of '${stepId}' is not unknown`)
  if (happened) {
    state.seq++
    if (item < 0) draft.move(stepId, { at: 'settled', epoch, port: 'succeeded' })
  }
  noteInitiator(draft, event.by)
  if (left.length > 0) state.unknown = left
  else delete state.unknown
  compensate(draft)
}

function noteInitiator(draft: Draft, by: string): void {
  draft.state.initiators = [...new Set([...(draft.state.initiators ?? []), by])]
}

const stands = (maps: readonly LaidOutMap[], stepId: string) => maps.some((map) => map.stepId === stepId && map.standing)

const dependsOn = (plan: Plan, stepId: string, again: ReadonlySet<string>) =>
  [...(plan.graph.ancestors.get(stepId) ?? [])].some((before) => again.has(before))

/** Does running this step again do anything to the world? */
function changes(plan: Plan, stepId: string, effectOf: EffectOf): boolean {
  const step = plan.graph.steps.get(stepId)
  if (!step) throw new Error(`the plan has no step '${stepId}'`)
  const body = 'do' in step ? step.do : step
  if (/^(tool|job):/.test(body.uses)) return effectOf(body.uses) !== 'read'
  if (body.uses === 'agent') return 'unattended' in body && body.unattended === true
  const kind = kindOf(step)
  return kind !== 'choice' && kind !== 'approve' && kind !== 'wait'
}
