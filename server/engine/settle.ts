import { kindOf } from '@/spec'
import type { Draft } from './draft'
import type { EngineError } from './model'
import { stop } from './stopping'

/** A step took a port: whoever waits for it decides, unless the run is stopping and nothing new is decided. */
export function settle(draft: Draft, stepId: string, epoch: number, port: string): void {
  draft.move(stepId, { at: 'settled', epoch, port })
  propagate(draft, followersOf(draft, stepId))
}

/** A step failed: somebody follows that, or the run parks. Some failures are never caught by `failed` (spec-v1.md §3). */
export function fail(draft: Draft, stepId: string, epoch: number, error: EngineError, mustPark: boolean): void {
  if (!mustPark && draft.isFollowed(stepId, 'failed')) return settle(draft, stepId, epoch, 'failed')
  draft.move(stepId, { at: 'failed', epoch })
  stop(draft, { to: 'parked', error: { ...error, stepId } })
}

/** An approval was refused or ran out: somebody follows that, or the run ends as rejected. */
export function refuse(draft: Draft, stepId: string, epoch: number, port: 'rejected' | 'expired'): void {
  if (draft.isFollowed(stepId, port)) return settle(draft, stepId, epoch, port)
  draft.move(stepId, { at: 'settled', epoch, port })
  const message = port === 'rejected' ? 'The approval was refused.' : 'Nobody decided in time.'
  stop(draft, { to: 'rejected', error: { code: `approval_${port}`, message, stepId } })
}

/**
 * Lets every given step that can decide do so, and whatever that settles in turn: in the order of the document, and one at a time where the
 * driver must be asked, because its answer may stop the run and then nothing is decided any more.
 */
export function propagate(draft: Draft, stepIds: readonly string[]): void {
  const open = new Set([...(draft.state.toDecide ?? []), ...stepIds])
  delete draft.state.toDecide
  if (!draft.isOpen) return
  if ([...draft.state.steps.values()].some(({ at }) => at === 'deciding')) {
    // An answer is on its way, and whatever it is, it comes back here.
    if (open.size > 0) draft.state.toDecide = [...open]
    return
  }
  for (let stepId = firstOf(draft, open); stepId !== undefined; stepId = firstOf(draft, open)) {
    open.delete(stepId)
    if (draft.cursor(stepId).at !== 'pending') continue
    const verdict = join(draft, stepId)
    if (verdict === 'start') {
      start(draft, stepId)
      if (draft.cursor(stepId).at !== 'deciding') continue
      if (open.size > 0) draft.state.toDecide = [...open]
      return
    }
    if (verdict === 'wait') continue
    draft.move(stepId, { at: 'skipped' })
    draft.emit({ type: 'settle', stepId, epoch: draft.epoch, status: 'skipped' })
    for (const follower of followersOf(draft, stepId)) open.add(follower)
  }
}

function firstOf(draft: Draft, open: ReadonlySet<string>): string | undefined {
  const { rank } = draft.plan.graph
  const [first, ...rest] = open
  return rest.reduce((least, stepId) => ((rank.get(stepId) ?? 0) < (rank.get(least ?? '') ?? 0) ? stepId : least), first)
}

function followersOf(draft: Draft, stepId: string): string[] {
  return (draft.plan.graph.followers.get(stepId) ?? []).map((entry) => entry.step)
}

/** A step decides when all its entries have settled: with `all` one dead entry skips it, with `any` one live entry starts it. */
function join(draft: Draft, stepId: string): 'wait' | 'start' | 'skip' {
  const entries = draft.plan.graph.entries.get(stepId) ?? []
  let live = 0
  for (const entry of entries) {
    const source = draft.cursor(entry.step)
    if (source.at === 'settled' || source.at === 'compensated') live += source.port === entry.port ? 1 : 0
    else if (source.at !== 'skipped') return 'wait'
  }
  const starts = draft.plan.graph.join.get(stepId) === 'any' ? live > 0 : live === entries.length
  return starts ? 'start' : 'skip'
}

function start(draft: Draft, stepId: string): void {
  const step = draft.plan.graph.steps.get(stepId)
  if (!step) throw new Error(`the plan has no step '${stepId}'`)
  const { epoch } = draft
  const kind = kindOf(step)
  if (kind === 'tool' || kind === 'job' || kind === 'workflow' || kind === 'agent') {
    draft.move(stepId, { at: 'active', epoch })
    draft.emit({ type: 'enqueue', ref: { stepId, item: -1, call: '', epoch } })
    return
  }
  const cursor = draft.cursor(stepId)
  const kept = cursor.at === 'pending' && cursor.kept
  draft.move(stepId, { at: 'deciding', epoch })
  draft.emit({ type: kept ? 'reopen_map' : DECIDES[kind], stepId, epoch })
}

const DECIDES = {
  choice: 'take_branch',
  approve: 'open_gate',
  map: 'open_map',
  wait: 'set_timer',
} as const
