import type { WorkflowSpec } from './document'
import { emissionOrder, splitEntry } from './graph'
import type { Json } from './json'
import { definitionOf, type Step } from './kinds'
import { shorten } from './problems'
import { parseReference } from './references'

/** Titles of tools by name; a tool without one is called by its name. */
export type ToolTitles = Record<string, string> | ReadonlyMap<string, string>

/** What the other steps of a document have to do with a step: what they are called, and who waits for which of its ports. */
interface Around {
  names: ReadonlyMap<string, string>
  /** The names of the steps that wait for an entry of `after`, as it is written. */
  waiting: ReadonlyMap<string, readonly string[]>
}

/** One plain sentence for one step of a valid document, which begins with the step's title where it has one. */
export function describeStep(step: Step, toolTitles: ToolTitles = {}, around?: Around): string {
  const title = (name: string) => {
    if (toolTitles instanceof Map) return (toolTitles as ReadonlyMap<string, string>).get(name)
    return Object.hasOwn(toolTitles, name) ? (toolTitles as Record<string, string>)[name] : undefined
  }
  const kind = definitionOf(step)
  const text = kind.describe(step, {
    tool: (name) => title(name) ?? name,
    value: (value) => valueWords(value, around?.names),
    next: (port) => (around === undefined ? null : (around.waiting.get(`${step.id}.${port}`) ?? [])),
  })
  const head = step.title ? shorten(step.title) : kind.label
  if (head === null) return `${capital(text)}.`
  return /[.!?:…]$/.test(head) ? `${head} ${capital(text)}.` : `${head}: ${text}.`
}

/** One plain sentence for each step of a valid document, in the order of the run. */
export function describeWorkflow(spec: WorkflowSpec, toolTitles: ToolTitles = {}): { step: string; sentence: string }[] {
  const index = new Map(spec.steps.map(({ id }, i) => [id, i]))
  const order = emissionOrder(spec.steps.map(({ after }) => after.map((entry) => index.get(splitEntry(entry).id) ?? -1)))
  const around = aroundOf(spec)
  return order.flatMap((i) => {
    const step = spec.steps[i]
    return step === undefined ? [] : [{ step: step.id, sentence: describeStep(step, toolTitles, around) }]
  })
}

function aroundOf(spec: WorkflowSpec): Around {
  const names = new Map(spec.steps.map(({ id, title }) => [id, title ? shorten(title) : plain([id])]))
  const waiting = new Map<string, string[]>()
  for (const { id, after } of spec.steps) {
    for (const entry of after) {
      const known = waiting.get(entry)
      if (known === undefined) waiting.set(entry, [names.get(id) ?? id])
      else known.push(names.get(id) ?? id)
    }
  }
  return { names, waiting }
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function valueWords(value: Json, names?: ReadonlyMap<string, string>): string {
  const reference = typeof value === 'string' ? parseReference(value) : null
  if (reference === null) return typeof value === 'string' ? `“${shorten(value)}”` : shorten(JSON.stringify(value))
  switch (reference.root) {
    case 'input':
      return plain([reference.name, ...reference.path])
    case 'steps':
      return `${reference.path.length === 0 ? 'the result' : plain(reference.path)} of ${names?.get(reference.step) ?? plain([reference.step])}`
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
