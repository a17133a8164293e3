import type { WorkflowSpec } from './document'
import { compileGraph } from './graph'
import type { Json } from './json'
import { definitionOf, type Step } from './kinds'
import type { Words } from './kinds/kind'
import { shorten } from './problems'
import { parseReference } from './references'

/** Titles of tools by name; a tool without one is called by its name. */
export type ToolTitles = Record<string, string> | ReadonlyMap<string, string>

/** One plain sentence for one step of a valid document. */
export function describeStep(step: Step, toolTitles: ToolTitles = {}): string {
  const title = (name: string) => {
    if (toolTitles instanceof Map) return (toolTitles as ReadonlyMap<string, string>).get(name)
    return Object.hasOwn(toolTitles, name) ? (toolTitles as Record<string, string>)[name] : undefined
  }
  const words: Words = { tool: (name) => title(name) ?? name, value: valueWords }
  return definitionOf(step).describe(step, words)
}

/** One plain sentence for each step of a valid document, in the order of the run. */
export function describeWorkflow(spec: WorkflowSpec, toolTitles: ToolTitles = {}): { step: string; sentence: string }[] {
  const { order, steps } = compileGraph(spec)
  return order.flatMap((id) => {
    const step = steps.get(id)
    return step === undefined ? [] : [{ step: id, sentence: describeStep(step, toolTitles) }]
  })
}

function valueWords(value: Json): string {
  const reference = typeof value === 'string' ? parseReference(value) : null
  if (reference === null) return typeof value === 'string' ? `“${shorten(value)}”` : shorten(JSON.stringify(value))
  switch (reference.root) {
    case 'input':
      return plain([reference.name, ...reference.path])
    case 'steps':
      return `${reference.path.length === 0 ? 'the result' : plain(reference.path)} of ${plain([reference.step])}`
    case 'item':
      return reference.path.length === 0 ? 'the item' : `${plain(reference.path)} of the item`
    case 'index':
      return "the item's number"
    case 'run':
      return "the run's id"
    case 'principal':
      return `the starter's ${reference.field === 'locale' ? 'language' : reference.field.replace('_id', '')}`
  }
}

function plain(names: readonly string[]): string {
  return names.map((name) => name.replaceAll('_', ' ')).join(' ')
}
