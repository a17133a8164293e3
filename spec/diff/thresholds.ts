import type { WorkflowSpec } from '../document'
import type { Graph } from '../graph'
import { type Json, member } from '../json'
import { referencesIn } from '../references'
import type { Field } from '../schema'

/** Whether a gate asks depends on an input, and what that is when nobody gives it has changed. */
export interface Threshold {
  step: string
  kind: 'threshold'
  input: string
  /** Its default; absent: none. */
  from?: Json
  to?: Json
}

/** The inputs on which the decisions before a gate depend and whose defaults changed. */
export function thresholdChanges(before: WorkflowSpec, after: WorkflowSpec, graph: Graph): Threshold[] {
  const changed = new Map(
    Object.entries(after.input ?? {}).flatMap(([name, field]) => {
      const old = member(before.input ?? {}, name) as Field | undefined
      const [from, to] = [old?.default, field.default] as (Json | undefined)[]
      return JSON.stringify(from) === JSON.stringify(to) ? [] : [[name, { from, to }] as const]
    }),
  )
  if (changed.size === 0) return []
  return graph.order.flatMap((gate) => {
    if (graph.steps.get(gate)?.uses !== 'approve') return []
    const decisions = [...(graph.ancestors.get(gate) ?? [])].flatMap((id) => {
      const step = graph.steps.get(id)
      return step?.uses === 'choice' ? step.branches.map(({ when }) => [when?.left ?? null, when?.right ?? null]) : []
    })
    const used = new Set(referencesIn(decisions).flatMap((reference) => (reference.root === 'input' ? [reference.name] : [])))
    return [...changed].flatMap(([input, { from, to }]): Threshold[] => {
      const values = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
      return used.has(input) ? [{ step: gate, kind: 'threshold', input, ...values }] : []
    })
  })
}
