import type { WorkflowSpec } from './document'
import type { Step } from './kinds'

export type ToolTitles = Record<string, string> | ReadonlyMap<string, string>

/** One plain sentence for one step. */
export function describeStep(step: Step, toolTitles?: ToolTitles): string {
  throw new Error(`being built: ${step.id} ${typeof toolTitles}`)
}

/** One plain sentence for each step, in order. */
export function describeWorkflow(spec: WorkflowSpec, toolTitles?: ToolTitles): { step: string; sentence: string }[] {
  return spec.steps.map((step) => ({ step: step.id, sentence: describeStep(step, toolTitles) }))
}
