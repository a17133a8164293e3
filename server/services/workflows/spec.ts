import { describeWorkflow, kindOf, toolOf, type WorkflowSpec } from '@/spec'

/** A stored definition's document. Its text was validated when it was published, so it is not validated again. */
export const storedSpec = (text: string) => JSON.parse(text) as WorkflowSpec

/** The names of all tools that a document calls: steps, items of maps, compensations. */
export function toolNames(spec: WorkflowSpec): string[] {
  const calls = spec.steps.flatMap((step): { uses: string; compensate?: { uses: string } }[] => {
    if ('do' in step) return [step.do]
    return kindOf(step) === 'tool' ? [step] : []
  })
  return [...new Set(calls.flatMap((call) => (call.compensate ? [call, call.compensate] : [call])).map(toolOf))]
}

const SUMMARY_STEPS = 2

/** One line: what its author says it does, else its first steps in plain words. */
export function summaryOf(spec: WorkflowSpec, toolTitles: ReadonlyMap<string, string>): string {
  const own = spec.description?.trim().split('\n')[0]
  if (own) return own
  const sentences = describeWorkflow(spec, toolTitles).slice(0, SUMMARY_STEPS)
  return sentences.map(({ sentence }) => sentence).join(' ')
}
