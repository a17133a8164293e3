import { conditionsOf, isGuarded } from '../conditions'
import type { Graph } from '../graph'
import type { Json } from '../json'
import type { Step } from '../kinds'
import type { ApproveStep } from '../kinds/approve'
import { type Reference, referencesIn } from '../references'

/** A step behind a gate acts on what that does not show. */
export interface Unseen {
  code: 'acts_on_unseen'
  step: string
  references: string[]
}

/** A reference as it is written, without its braces: `input.amount`. */
function textOf(reference: Reference): string {
  switch (reference.root) {
    case 'input':
      return ['input', reference.name, ...reference.path].join('.')
    case 'steps':
      return ['steps', reference.step, 'output', ...reference.path].join('.')
    case 'item':
      return ['item', ...reference.path].join('.')
    case 'index':
      return 'index'
    default:
      return `${reference.root}.${reference.field}`
  }
}

/** What a step works on, as its call is written. */
function actsOn(step: Step): Map<string, Reference> {
  const body = step.uses === 'map' ? step.do : step
  const values: (Json | undefined)[] = [
    'over' in step ? step.over : null,
    'with' in body ? body.with : null,
    'goal' in body ? body.goal : null,
    'context' in body ? body.context : null,
  ]
  return new Map(values.flatMap((value) => referencesIn(value ?? null).map((reference) => [textOf(reference), reference])))
}

/**
 * What steps behind a gate act on now and did not before, and no gate before them shows, itself or something it is part of: by step. What the
 * gates bring themselves, what comes from a step after them, and the facts of the run could not have been shown.
 */
export function newlyUnseen(
  from: ApproveStep,
  to: ApproveStep,
  kept: readonly [string, Step][],
  graphs: { before: Graph; after: Graph },
): Unseen[] {
  const now = graphs.after
  const conditions = kept.length === 0 ? undefined : conditionsOf(now)
  return kept.flatMap(([id, old]) => {
    const step = now.steps.get(id) as Step
    const gates = now.order.filter((one) => now.steps.get(one)?.uses === 'approve' && isGuarded(conditions?.get(id), one))
    if (!gates.includes(to.id)) return []
    const known = new Set([...actsOn(old).keys(), ...shownBy(graphs.before, [from.id])])
    const shown = new Set(shownBy(now, gates))
    const above = (one: string) => gates.every((other) => now.ancestors.get(other)?.has(one))
    const unseen = [...actsOn(step)].filter(([text, reference]) => {
      if (known.has(text) || isCovered(text, shown)) return false
      return reference.root === 'input' || (reference.root === 'steps' && above(reference.step))
    })
    return unseen.length === 0 ? [] : [{ code: 'acts_on_unseen', step: id, references: unseen.map(([text]) => `\${${text}}`) }]
  })
}

function shownBy(graph: Graph, gates: readonly string[]): string[] {
  return gates.flatMap((id) => {
    const step = graph.steps.get(id)
    return step?.uses === 'approve' ? referencesIn([step.show ?? {}, step.message ?? null] as Json).map(textOf) : []
  })
}

/** Whether this, or something that it is part of, is shown. */
function isCovered(text: string, shown: ReadonlySet<string>): boolean {
  return shown.has(text) || [...shown].some((whole) => text.startsWith(`${whole}.`))
}
