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
  /** Called by the step itself, once for each item of a map, by an agent on its own, or to undo the step. */
  by: 'call' | 'each' | 'agent' | 'undo'
  /** No step at all could do it before. */
  first: boolean
}

type Use = Pick<NewEffect, 'uses' | 'by'>

/** What the steps of a document may do that the steps of the same id could not do before. */
export function newEffects(before: ReadonlyMap<string, Step>, after: WorkflowSpec, catalogue: Catalogue): NewEffect[] {
  const known = new Set([...before.values()].flatMap((step) => usesOf(step).map(({ uses }) => uses)))
  return after.steps.flatMap((step) => {
    const old = before.get(step.id)
    // What did something for each of many did it for one.
    const uses = old === undefined ? [] : usesOf(old)
    const one = uses.filter(({ by }) => by === 'each').map(({ uses: name }) => keyOf({ uses: name, by: 'call' }))
    const had = new Set(uses.map(keyOf).concat(one))
    return effectsOf(step, catalogue).flatMap((use): NewEffect[] =>
      had.has(keyOf(use)) ? [] : [{ step: step.id, ...use, first: !known.has(use.uses) }],
    )
  })
}

/** What a step may do, without what is known to read only. */
export function effectsOf(step: Step, { tools, jobs }: Catalogue): Omit<NewEffect, 'step' | 'first'>[] {
  return usesOf(step).flatMap((use) => {
    const catalogue = use.uses.startsWith('tool:') ? tools : use.uses.startsWith('job:') ? jobs : undefined
    const effect = catalogue?.get(toolOf(use))?.effect ?? null
    return effect === 'read' ? [] : [{ ...use, effect }]
  })
}

/** The call that a step makes, or its like: what it uses, over which values, and what those are. */
export function callKey(step: Step): string {
  const body = step.uses === 'map' ? step.do : step
  return JSON.stringify([
    body.uses,
    'over' in step ? step.over : null,
    'goal' in body ? [body.goal, body.tools] : null,
    'with' in body ? body.with : null,
  ])
}

const keyOf = ({ uses, by }: Use) => `${by} ${uses}`

/** An agent that only reads can do nothing, whatever its tools. */
function usesOf(step: Step): Use[] {
  const body = step.uses === 'map' ? step.do : step
  if (body.uses === 'approve' || body.uses === 'choice' || body.uses === 'wait') return []
  const undo: Use[] = 'compensate' in body && body.compensate !== undefined ? [{ uses: body.compensate.uses, by: 'undo' }] : []
  if (body.uses !== 'agent') return [{ uses: body.uses, by: step.uses === 'map' ? 'each' : 'call' }, ...undo]
  const { tools, unattended } = agentSettings(body)
  return [...(unattended ? tools.map((tool): Use => ({ uses: `tool:${tool}`, by: 'agent' })) : []), ...undo]
}
