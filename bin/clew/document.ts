import { parseWorkflow, problemPositions, type ParseResult, type Problem, type Warning } from '@/spec'
import type { Terminal } from './terminal'

/** A problem or warning with its place in the text, counted from 1. */
export type Placed<T extends Problem | Warning> = T & { line: number; column: number }

export function placed<T extends Problem | Warning>(text: string, list: readonly T[]): Placed<T>[] {
  const places = problemPositions(text, list)
  return list.map((one, i) => ({ ...one, line: places[i]?.line ?? 1, column: places[i]?.column ?? 1 }))
}

/** As compilers write it: editors jump to `file:line:column`. */
export function lineOf(
  file: string,
  kind: 'error' | 'warning',
  { line, column, code, message, hint, path }: Placed<Problem | Warning>,
): string {
  const where = `${file === '-' ? '<stdin>' : file}:${line}:${column}`
  const lines = [`${where}: ${kind}: ${message} [${code}] ${path}`, ...(hint === undefined ? [] : [`    ${hint}`])]
  return lines.map(shown).join('\n')
}

/** What moves a cursor, colours or turns the reading direction, written as JSON escapes: names in a document are anybody's text. */
function shown(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** The valid document of a file, or null after its problems were told. */
export function readValid(file: string, terminal: Terminal): (ParseResult & { ok: true }) | null {
  const text = terminal.read(file)
  const result = parseWorkflow(text)
  if (result.ok) return result
  for (const problem of placed(text, result.problems)) terminal.complain(lineOf(file, 'error', problem))
  return null
}
