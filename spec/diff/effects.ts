import type { WorkflowSpec } from '../document'
import type { Step } from '../kinds'
import { agentSettings, toolOf } from '../settings'
import type { Catalogue } from '../warnings'

/** Something that a step may do and that it could not do before. */
export interface NewEffect {
  step: string
  /** `tool:NAME`, `job:KIND` or `workflow:SLUG`. */
  uses: string
  /** What it does to the world; null: not known. */
  effect: 'write' | 'once' | null
  /** Called by the step itself, by an agent on its own, or to undo the step. */
  by: 'call' | 'agent' | 'undo'
  /** No step at all could do it before. */
  first: boolean
}

type Use = Pick<NewEffect, 'uses' | 'by'>

/** What the steps of a document may do that the steps of the same id could not do before. */
export function newEffects(before: ReadonlyMap<string, Step>, after: WorkflowSpec, { tools, jobs }: Catalogue): NewEffect[] {
  const known = new Set([...before.values()].flatMap((step) => usesOf(step).map(({ uses }) => uses)))
  return after.steps.flatMap((step) => {
    const old = before.get(step.id)
    const had = new Set((old === undefined ? [] : usesOf(old)).map(keyOf))
    return usesOf(step).flatMap((use): NewEffect[] => {
      const { uses, by } = use
      const catalogue = uses.startsWith('tool:') ? tools : uses.startsWith('job:') ? jobs : undefined
      const effect = catalogue?.get(toolOf(use))?.effect ?? null
      return had.has(keyOf(use)) || effect === 'read' ? [] : [{ step: step.id, uses, effect, by, first: !known.has(uses) }]
    })
  })
}

const keyOf = ({ uses, by }: Use) => `${by} ${uses}`

/** An agent that only reads can do nothing, whatever its tools. */
function usesOf(step: Step): Use[] {
  const body = step.uses === 'map' ? step.do : step
  if (body.uses === 'approve' || body.uses === 'choice' || body.uses === 'wait') return []
  const undo: Use[] = 'compensate' in body && body.compensate !== undefined ? [{ uses: body.compensate.uses, by: 'undo' }] : []
  if (body.uses !== 'agent') return [{ uses: body.uses, by: 'call' }, ...undo]
  const { tools, unattended } = agentSettings(body)
  return [...(unattended ? tools.map((tool): Use => ({ uses: `tool:${tool}`, by: 'agent' })) : []), ...undo]
}
