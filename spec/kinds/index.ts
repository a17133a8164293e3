import type { Json } from '../json'
import { agent, type AgentStep } from './agent'
import { approve, type ApproveStep } from './approve'
import { choice, type ChoiceStep } from './choice'
import { job, type JobStep } from './job'
import type { Kind } from './kind'
import { map, type MapStep } from './map'
import { tool, type ToolStep } from './tool'
import { wait, type WaitStep } from './wait'
import { workflow, type WorkflowStep } from './workflow'

export interface StepByKind {
  tool: ToolStep
  job: JobStep
  agent: AgentStep
  workflow: WorkflowStep
  approve: ApproveStep
  choice: ChoiceStep
  map: MapStep
  wait: WaitStep
}
/** The part of `uses` before the colon. */
export type StepKind = keyof StepByKind
export type Step = StepByKind[StepKind]

/** The one registry of kinds: a kind that is not wholly described here does not compile. */
export const KINDS: { [K in StepKind]: Kind<StepByKind[K]> } = {
  tool,
  job,
  agent,
  workflow,
  approve,
  choice,
  map,
  wait,
}
export const KIND_NAMES = Object.keys(KINDS) as StepKind[]

/** The kind a `uses` names, or null where this revision knows none. */
export function kindNamed(uses: string): StepKind | null {
  const colon = uses.indexOf(':')
  const name = colon < 0 ? uses : uses.slice(0, colon)
  return Object.hasOwn(KINDS, name) ? (name as StepKind) : null
}

/** The kind of a valid step. */
export function kindOf(step: Step): StepKind {
  const kind = kindNamed(step.uses)
  if (kind === null) throw new Error(`unknown kind of step: '${step.uses}'`)
  return kind
}

/** The registry entry of a step, typed for any step: the step is of that kind by construction. */
export function definitionOf(step: Step): Kind<Step> {
  return KINDS[kindOf(step)] as unknown as Kind<Step>
}

/** The ports of a step, in the order the format lists them. */
export function portsOf(step: Step): readonly string[] {
  return definitionOf(step).ports(step)
}

/** Defaults of a step that depend on its other fields. */
export function dependentDefaults(step: Step): Record<string, Json> {
  return definitionOf(step).dependentDefaults(step)
}
