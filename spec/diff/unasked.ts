import { type Way, waysWithout } from '../conditions'
import type { Graph } from '../graph'
import type { Step } from '../kinds'
import type { Predicate } from '../kinds/choice'
import type { Catalogue } from '../warnings'
import { callKey, effectsOf } from './effects'

/** A port that was taken and need not have been. Of a choice: the branches before it did not hold, and its own did, if it has a condition. */
export interface Turn {
  step: string
  port: string
  unless?: Predicate[]
  when?: Predicate | undefined
}

/** One case: all of these turns. None: always. */
export type Case = Turn[]

/** A step that may change something without anybody's approval in cases in which that needed one. */
export interface Unasked {
  step: string
  kind: 'unasked'
  /** What it uses so: `tool:NAME`, `job:KIND`, `workflow:SLUG`. */
  uses: string[]
  /** When it needed no approval (`[]`: never), and when it needs none now; null: in more cases than can be told. */
  from: Case[] | null
  to: Case[] | null
}

/** How a step is reached without anybody's approval, to be told and to be compared. */
interface Open {
  cases: Case[] | null
  /** Each case as the set of its turns' conditions; where they are too many, those of all choices before the step as one. */
  keys: ReadonlySet<string>[]
}

/** The size, as JSON, of cases that are told. Where there are more nobody reads them, and a hostile document repeats them hundreds of times. */
const TOLD = 2_000

/**
 * Steps that may do without an approval what could not be done so before: by the step of the same id if that did it; else by one that is
 * gone and made the very same call; else by any step that did it. Where nothing was asked before, nothing is weaker.
 * `renamed`: the old ids of gates, by the new ones.
 */
export function unaskedChanges(
  graphs: { before: Graph; after: Graph },
  catalogue: Catalogue,
  renamed: ReadonlyMap<string, string>,
): Unasked[] {
  const [before, after] = [waysWithout(graphs.before), waysWithout(graphs.after)]
  const old = [...graphs.before.steps.values()].map((step) => ({ step, does: doneBy(step, catalogue), key: callKey(step) }))
  const gone = old.filter(({ step }) => !graphs.after.steps.has(step.id))
  return graphs.after.order.flatMap((id) => {
    const step = graphs.after.steps.get(id) as Step
    const now = openOf(graphs.after, [[step, after.get(id) ?? null]], renamed)
    if (now.cases?.length === 0) return []
    const call = callKey(step)
    const found = new Map<string, Unasked>()
    for (const uses of doneBy(step, catalogue)) {
      const own = old.filter((one) => one.step.id === id && one.does.has(uses))
      const moved = own.length > 0 ? own : gone.filter((one) => one.does.has(uses) && one.key === call)
      const like = (moved.length > 0 ? moved : old.filter((one) => one.does.has(uses))).map((one) => one.step)
      if (!like.some((one) => hasGateAbove(graphs.before, one.id))) continue
      const was = openOf(
        graphs.before,
        like.map((one) => [one, before.get(one.id) ?? null]),
      )
      if (now.keys.every((turns) => was.keys.some((known) => known.isSubsetOf(turns)))) continue
      const key = JSON.stringify(was.cases)
      const told: Unasked = found.get(key) ?? { step: id, kind: 'unasked', uses: [], from: was.cases, to: now.cases }
      told.uses.push(uses)
      found.set(key, told)
    }
    return [...found.values()]
  })
}

/** What a step does when it runs; what undoes it is no step's beginning. */
function doneBy(step: Step, catalogue: Catalogue): Set<string> {
  return new Set(effectsOf(step, catalogue).flatMap(({ uses, by }) => (by === 'undo' ? [] : [uses])))
}

function hasGateAbove(graph: Graph, id: string): boolean {
  return [...(graph.ancestors.get(id) ?? [])].some((above) => graph.steps.get(above)?.uses === 'approve')
}

function openOf(graph: Graph, steps: readonly (readonly [Step, readonly Way[] | null])[], renamed?: ReadonlyMap<string, string>): Open {
  const cases: Case[] = []
  const keys: Set<string>[] = []
  let isTold = true
  for (const [step, ways] of steps) {
    if (ways === null) {
      isTold = false
      const choices = [...(graph.ancestors.get(step.id) ?? [])].flatMap((id) => graph.steps.get(id) ?? [])
      // Which of them matter is not known: a change of any may.
      keys.push(new Set([`any of ${JSON.stringify(choices.map((one) => (one.uses === 'choice' ? one.branches : one.id)))}`]))
      continue
    }
    for (const way of ways) {
      const turns = [...way].map(([id, port]) => turnOf(graph, id, port))
      cases.push(turns)
      keys.push(
        new Set(
          turns.map(({ step: id, port, unless, when }) =>
            JSON.stringify(unless === undefined ? [renamed?.get(id) ?? id, port] : [unless, when]),
          ),
        ),
      )
    }
  }
  return { cases: isTold && JSON.stringify(cases).length <= TOLD ? cases : null, keys }
}

function turnOf(graph: Graph, id: string, port: string): Turn {
  const step = graph.steps.get(id)
  if (step?.uses !== 'choice') return { step: id, port }
  const at = step.branches.findIndex(({ name }) => name === port)
  const unless = step.branches.slice(0, at).flatMap(({ when }) => (when === undefined ? [] : [when]))
  const when = step.branches[at]?.when
  return { step: id, port, unless, ...(when === undefined ? {} : { when }) }
}
