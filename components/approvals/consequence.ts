import { kindWords, stepName } from '@/components/dag/words'
import type { WorkflowSpec } from '@/spec'

/** What an answer leads to, as a plain sentence; null where the definition does not say. */
export type Consequences = { approve: string; reject: string }

/** Reads off a definition what follows each answer at an approval step. Plain text, names in typographic quotes. */
export function consequencesOf(spec: WorkflowSpec, stepId: string): Consequences {
  const behind = (...entries: string[]) => spec.steps.filter(({ after }) => after.some((entry) => entries.includes(entry)))
  const approved = behind(stepId, `${stepId}.approved`)
  const rejected = behind(`${stepId}.rejected`)
  return {
    approve: approved.length === 0 ? 'nothing more happens.' : `${names(approved)} can go ahead.`,
    reject: rejected.length === 0 ? 'the run ends as rejected.' : `${names(rejected)} can go ahead instead.`,
  }
}

function names(steps: WorkflowSpec['steps']): string {
  const shown = steps.slice(0, 3).map((step) => (step.title ? `“${stepName(step)}” (${kindWords(step)})` : `“${stepName(step)}”`))
  return `${shown.join(', ')}${steps.length > 3 ? ` and ${steps.length - 3} more` : ''}`
}
