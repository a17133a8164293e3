import { stepLook, type Look } from '@/components/runs/status'
import { compileGraph, kindOf, type Entry, type RunStatus, type Step, type StepKind, type StepStatus, type WorkflowSpec } from '@/spec'
import { kindWords, shorten, stepName, type ToolTitles } from './words'

/** What is known of each step of a run, by step id; `child`: the run that it waits for. */
export type StepStatuses = Record<
  string,
  { status: StepStatus; port: string | null; child?: { status: RunStatus } | null; startedAt?: string | null }
>

/** A kind's outline in Mermaid's syntax. A new kind does not compile until it has one. */
const SHAPES: { [K in StepKind]: { open: string; close: string } } = {
  tool: { open: '[', close: ']' },
  job: { open: '[/', close: '/]' },
  agent: { open: '([', close: '])' },
  workflow: { open: '[(', close: ')]' },
  choice: { open: '{', close: '}' },
  map: { open: '[[', close: ']]' },
  approve: { open: '{{', close: '}}' },
  wait: { open: '((', close: '))' },
}

const TITLE_LENGTH = 60

/**
 * A workflow as the text of a Mermaid flowchart. Node ids are made up (`n0`, `n1` …) and every label is written in character
 * codes, so nothing that an author wrote can become syntax, markdown or HTML.
 * With statuses, each node carries its look's class, an icon and a word; the ports taken are thick, those not taken dotted.
 */
export function toMermaid(spec: WorkflowSpec, statuses?: StepStatuses, titles: ToolTitles = {}): string {
  const graph = compileGraph(spec)
  const names = new Map(graph.order.map((id, i) => [id, `n${i}`]))
  const lines = ['flowchart TB']
  for (const [id, name] of names) {
    const step = graph.steps.get(id)
    if (step === undefined) continue
    const { open, close } = SHAPES[kindOf(step)]
    const known = statuses === undefined ? undefined : own(statuses, id)
    lines.push(`  ${name}${open}"${labelOf(step, graph.entries.get(id) ?? [], known, titles)}"${close}`)
    lines.push(`  class ${name} ${known === undefined ? `kind-${kindOf(step)}` : diagramClass(stepLook({ kind: kindOf(step), ...known }))}`)
  }
  for (const [id, name] of names) {
    for (const entry of graph.entries.get(id) ?? []) {
      const from = graph.steps.get(entry.step)
      if (from === undefined) continue
      const words = portWords(from, entry.port, graph.followedPorts.get(entry.step)?.size ?? 1)
      const arrow = arrowOf(entry, statuses)
      lines.push(`  ${names.get(entry.step)} ${arrow}${words === null ? '' : `|"${inert(words)}"|`} ${name}`)
    }
  }
  return lines.join('\n')
}

/** The class of a node with that look; the diagram's style sheet gives it the look's colour. */
const diagramClass = (look: Look) => look.color.slice('--'.length)

function labelOf(step: Step, entries: Entry[], known: StepStatuses[string] | undefined, titles: ToolTitles): string {
  const kind = kindOf(step)
  const rows = [stepName(step), kindWords(step, titles)]
  if (entries.length > 1) rows.push(step.join === 'any' ? 'after any one of these' : 'after all of these')
  if (known !== undefined) {
    const { glyph, word } = stepLook({ kind, ...known })
    rows.push(`${glyph} ${word}`)
  }
  return rows.map(inert).join('<br/>')
}

/** What stands on an edge. An ordinary success says nothing, unless its failure is followed too. */
function portWords(from: Step, port: string, followed: number): string | null {
  if (kindOf(from) === 'choice' || kindOf(from) === 'approve') return port
  if (port === 'failed') return 'if it fails'
  return followed > 1 ? 'if it succeeds' : null
}

function arrowOf(entry: Entry, statuses: StepStatuses | undefined): string {
  const from = statuses === undefined ? undefined : own(statuses, entry.step)
  if (from?.status === 'skipped') return '-.->'
  if (from === undefined || from.port === null) return '-->'
  return from.port === entry.port ? '==>' : '-.->'
}

const own = (statuses: StepStatuses, id: string) => (Object.hasOwn(statuses, id) ? statuses[id] : undefined)

/** Shortened, on one line, and every character but letters, digits and spaces written as its code: `#38;`. */
function inert(text: string): string {
  const shown = shorten(
    text
      .slice(0, TITLE_LENGTH * 8)
      .replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
      .trim(),
    TITLE_LENGTH,
  )
  return Array.from(shown === '' ? '(no title)' : shown, (char) => (/[A-Za-z0-9 ]/.test(char) ? char : `#${char.codePointAt(0)};`)).join('')
}
