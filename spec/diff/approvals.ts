import { conditionsOf, isGuarded } from '../conditions'
import type { WorkflowSpec } from '../document'
import { compileGraph, type Graph } from '../graph'
import { type Json, member } from '../json'
import type { Step } from '../kinds'
import type { ApproveStep } from '../kinds/approve'
import { type Reference, referencesIn } from '../references'
import { approveSettings } from '../settings'
import type { Catalogue } from '../warnings'
import { callKey } from './effects'
import { newlyUnseen, type Unseen } from './shown'
import { type Threshold, thresholdChanges } from './thresholds'
import { type Unasked, unaskedChanges } from './unasked'

/** One way in which an approval lets through what it did not, or lets people decide who know less. */
export type Weakening =
  | { code: 'role_changed'; from: string; to: string }
  | { code: 'fewer_approvals'; from: number; to: number }
  | { code: 'self_approval' }
  | { code: 'no_sign_in' }
  | { code: 'more_channels'; channels: string[] }
  | { code: 'shows_less'; names: string[] }
  | { code: 'message_removed' }
  /** It told of something that people now neither read nor see. */
  | { code: 'message_tells_less' }
  /** A step behind it acts on something that it did not act on, and that it does not show. */
  | Unseen
  /** Steps that needed it and now start without. */
  | { code: 'can_be_skipped'; steps: string[] }

export type ApprovalChange = { step: string; kind: 'removed' } | { step: string; kind: 'weakened'; why: Weakening[] } | Unasked | Threshold

/** What the approvals of `before` hold back less, or otherwise, in `after`. Both in canonical form. */
export function approvalChanges(before: WorkflowSpec, after: WorkflowSpec, catalogue: Catalogue): ApprovalChange[] {
  const graphs = { before: compileGraph(before), after: compileGraph(after) }
  const guarded = { before: guardsOf(graphs.before), after: guardsOf(graphs.after) }
  const skips = new Set<string>()
  const renamed = renamedGates(graphs)
  const gates = before.steps.flatMap((gate): ApprovalChange[] => {
    if (gate.uses !== 'approve') return []
    const now = renamed.get(gate.id) ?? graphs.after.steps.get(gate.id)
    if (now?.uses !== 'approve') return [{ step: gate.id, kind: 'removed' }]
    const held = guarded.before.get(gate.id) ?? new Set()
    const free = sameSteps(held, graphs).filter((id) => !guarded.after.get(now.id)?.has(id))
    for (const id of free) skips.add(id)
    const kept = [...held].flatMap((id): [string, Step][] =>
      graphs.after.steps.has(id) ? [[id, graphs.before.steps.get(id) as Step]] : [],
    )
    const why = [...weakened(gate, now, free), ...newlyUnseen(gate, now, kept, graphs)]
    return why.length === 0 ? [] : [{ step: now.id, kind: 'weakened', why }]
  })
  const ids = new Map([...renamed].map(([old, { id }]) => [id, old]))
  const unasked = unaskedChanges(graphs, catalogue, ids).filter(({ step }) => !skips.has(step))
  return [...gates, ...unasked, ...thresholdChanges(before, after, graphs.after)]
}

/** The gates that are gone and stand, with the same role and showing the same, in the same place under a new id: by the old one. */
function renamedGates({ before, after }: { before: Graph; after: Graph }): Map<string, ApproveStep> {
  const taken = new Set<string>()
  const renamed = new Map<string, ApproveStep>()
  for (const gate of before.steps.values()) {
    if (gate.uses !== 'approve' || after.steps.has(gate.id)) continue
    const key = placeKey(gate)
    const found = [...after.steps.values()].find(
      (step): step is ApproveStep => step.uses === 'approve' && !before.steps.has(step.id) && !taken.has(step.id) && placeKey(step) === key,
    )
    if (found === undefined) continue
    taken.add(found.id)
    renamed.set(gate.id, found)
  }
  return renamed
}

const placeKey = ({ role, show = {}, after, join }: ApproveStep) => JSON.stringify([role, show, [...after].sort(), join ?? 'all'])

/** What became of steps: those of the same id, and those that make under another id the very call of one that is gone. */
function sameSteps(ids: ReadonlySet<string>, graphs: { before: Graph; after: Graph }): string[] {
  const gone = new Set([...ids].filter((id) => !graphs.after.steps.has(id)).map((id) => callKey(graphs.before.steps.get(id) as Step)))
  const isSame = (step: Step) => ids.has(step.id) || (!graphs.before.steps.has(step.id) && gone.has(callKey(step)))
  return graphs.after.order.filter((id) => isSame(graphs.after.steps.get(id) as Step))
}

/** The steps that make calls and start only after its approval, by gate. */
function guardsOf(graph: Graph): Map<string, Set<string>> {
  const conditions = conditionsOf(graph)
  const steps = [...graph.steps.values()]
  const calls = steps.filter(({ uses }) => !['approve', 'choice', 'wait'].includes(uses))
  const gates = steps.filter(({ uses }) => uses === 'approve')
  return new Map(
    gates.map(({ id }) => [id, new Set(calls.filter((step) => isGuarded(conditions.get(step.id), id)).map((step) => step.id))]),
  )
}

const keyOf = (reference: Reference) => JSON.stringify(reference)

/**
 * How `to` is a weaker approval than `from`. Another time to answer, other reminders and another form are changes and no weaknesses: without an
 * answer nothing happens, however long that takes.
 */
function weakened(from: ApproveStep, to: ApproveStep, free: string[]): Weakening[] {
  const [old, now] = [approveSettings(from), approveSettings(to)]
  const [shown, shows] = [from.show ?? {}, to.show ?? {}] as [Record<string, Json>, Record<string, Json>]
  const seen = new Set(referencesIn([shows, to.message ?? null]).map(keyOf))
  const unseen = Object.entries(shown).flatMap(([name, value]) => {
    // The same name over another value hides what it showed.
    const isKept = member(shows, name) !== undefined && referencesIn(value).every((reference) => seen.has(keyOf(reference)))
    return isKept ? [] : [name]
  })
  const untold = to.message !== undefined && !referencesIn(from.message ?? null).every((reference) => seen.has(keyOf(reference)))
  const channels = now.channels.filter((channel) => !old.channels.includes(channel))
  const all: (Weakening | false)[] = [
    from.role !== to.role && { code: 'role_changed', from: from.role, to: to.role },
    now.approvals < old.approvals && { code: 'fewer_approvals', from: old.approvals, to: now.approvals },
    now.selfApproval && !old.selfApproval && { code: 'self_approval' },
    old.requireSignIn && !now.requireSignIn && { code: 'no_sign_in' },
    channels.length > 0 && { code: 'more_channels', channels },
    unseen.length > 0 && { code: 'shows_less', names: unseen },
    from.message !== undefined && to.message === undefined && { code: 'message_removed' },
    untold && { code: 'message_tells_less' },
    free.length > 0 && { code: 'can_be_skipped', steps: free },
  ]
  return all.filter((weakening) => weakening !== false)
}
