import { describe, toolOf, type WorkflowSpec } from '@/spec'
import type { ToolOverview } from '../../store/postgres/policies'

/** A stored definition's document. Its text was validated when it was published, so it is not validated again. */
export const storedSpec = (text: string) => JSON.parse(text) as WorkflowSpec

/** The names of all tools that a document calls or lets an agent call: steps, items of maps, compensations. */
export function toolNames(spec: WorkflowSpec): string[] {
  const bodies = spec.steps.map((step): Body => ('do' in step ? step.do : step))
  const called = bodies
    .flatMap((body) => (body.compensate ? [body, body.compensate] : [body]))
    .filter(({ uses }) => uses.startsWith('tool:'))
  return [...new Set([...called.map(toolOf), ...bodies.flatMap((body) => body.tools ?? [])])]
}
type Body = { uses: string; tools?: readonly string[] | undefined; compensate?: { uses: string } | undefined }

const SUMMARY_STEPS = 2

/** One line: what its author says it does, else its first steps in plain words. */
export function summaryOf(spec: WorkflowSpec, tools: ReadonlyMap<string, ToolOverview>, locale: string): string {
  const own = spec.description?.trim().split('\n')[0]
  if (own) return own
  const { steps } = describe(spec, { tools }, locale)
  return steps
    .slice(0, SUMMARY_STEPS)
    .map(({ sentence }) => sentence)
    .join(' ')
}
