import type { Step } from '@/spec'

/** What a step is, in people's words: a tool's name, *Decision*, *For each* with its tool, *Approval* with its role. */
export function kindWords(step: Step): string {
  switch (step.uses) {
    case 'choice':
      return 'Decision'
    case 'map':
      return `For each: ${toolName(step.do.uses)}`
    case 'approve':
      return `Approval: ${step.role}`
    default:
      return toolName(step.uses)
  }
}

/** A step's own title, else its id. */
export const stepName = (step: { id: string; title?: string | null | undefined }) => step.title || step.id

/** Cut off after so many characters (code points, so that none is torn in two). */
export function shorten(text: string, length: number): string {
  const chars = Array.from(text.slice(0, length * 4))
  return text.length <= length || (chars.length <= length && text.length <= length * 4)
    ? text
    : `${chars
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`
}

const toolName = (uses: string) => uses.slice('tool:'.length)
