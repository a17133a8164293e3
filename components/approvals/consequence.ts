import { kindWords, stepName, type ToolTitles } from '@/components/dag/words'
import type { WorkflowSpec } from '@/spec'

/** What an answer leads to, as a plain sentence; null where the definition does not say. */
export type Consequences = {
  approve: string
  reject: string
  /** a rejection is followed by steps, and does not end the run */ rejectionIsFollowed: boolean
}

/** Reads off a definition what follows each answer at an approval step. Plain text, names in typographic quotes. */
export function consequencesOf(spec: WorkflowSpec, stepId: string, titles: ToolTitles = {}): Consequences {
  const names = (steps: WorkflowSpec['steps']) => namesOf(steps, titles)
  const behind = (...entries: string[]) => spec.steps.filter(({ after }) => after.some((entry) => entries.includes(entry)))
  const approved = behind(stepId, `${stepId}.approved`)
  const rejected = behind(`${stepId}.rejected`)
  return {
    approve: approved.length === 0 ? 'nothing more happens.' : `${names(approved)} can go ahead.`,
    reject: rejected.length === 0 ? 'the run ends as rejected.' : `${names(rejected)} can go ahead instead.`,
    rejectionIsFollowed: rejected.length > 0,
  }
}

/** What happens after a gate was settled by this answer. Without the definition nothing is claimed about what a rejection leads to. */
export function outcome(decision: 'approve' | 'reject', consequences: Consequences | null): string {
  if (decision === 'approve') return 'The run goes on from here by itself.'
  if (consequences === null) return 'The run goes no further on the way that needed this approval.'
  return consequences.rejectionIsFollowed ? 'The run takes the path for a rejection.' : 'The run ends as rejected.'
}

function namesOf(steps: WorkflowSpec['steps'], titles: ToolTitles): string {
  const shown = steps.slice(0, 3).map((step) => (step.title ? `“${stepName(step)}” (${kindWords(step, titles)})` : `“${stepName(step)}”`))
  return `${shown.join(', ')}${steps.length > 3 ? ` and ${steps.length - 3} more` : ''}`
}
