import { type Step, stepWords } from '@/spec'

/** Titles of tools by name. */
export type ToolTitles = Readonly<Record<string, string>>

/** The titles of the tools that a loaded plugin brings. */
export const titlesOf = (tools: Readonly<Record<string, { title: string } | null>>): ToolTitles =>
  Object.fromEntries(Object.entries(tools).flatMap(([name, tool]) => (tool === null ? [] : [[name, tool.title]])))

/** What a step is, in people's words: a tool's title (its name, where no title is known), *Decision*, *Approval* with its role … */
export function kindWords(step: Step, titles: ToolTitles = {}): string {
  return stepWords(step, { tools: new Map(Object.entries(titles).map(([name, title]) => [name, { title }])) })
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
