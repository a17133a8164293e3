import { PROBLEM_MEANINGS } from './codes'

export type ProblemCode = keyof typeof PROBLEM_MEANINGS
/** Every code a problem can carry. */
export const PROBLEM_CODES = Object.keys(PROBLEM_MEANINGS) as ProblemCode[]

/** One thing wrong with a document. `path` is a JSON Pointer (RFC 6901) to it; `''` is the document. */
export interface Problem {
  code: ProblemCode
  path: string
  message: string
  hint?: string
}

/** Problems that are kept. A document with more is hostile, and its checks may stop. */
export const ENOUGH_PROBLEMS = 10_000

export type Path = readonly (string | number)[]

/** A hint may be worked out only if the problem is shown: looking for near names is the dear part of a hostile document. */
export type Hint = string | (() => string | undefined)

/** What a check is given to say what is wrong. */
export type Report = (code: ProblemCode, path: Path, message: string, hint?: Hint) => void

/** RFC 6901. */
export function pointer(path: Path): string {
  return path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The segments of a JSON Pointer. */
export function segments(jsonPointer: string): string[] {
  return jsonPointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Reports every item of a list that stands in it already. */
export function reportDuplicates(list: unknown, path: Path, report: Report): void {
  if (!Array.isArray(list)) return
  const seen = new Set<unknown>()
  list.forEach((item: unknown, i) => {
    if (typeof item === 'string' && seen.has(item)) report('duplicate_entry', [...path, i], `'${shorten(item)}' stands here already`)
    seen.add(item)
  })
}

/** Author's text as a message quotes it: never more than a line, or than so many UTF-16 units. No pair of them is cut in two. */
export function shorten(text: string, most = 60): string {
  if (text.length <= most) return text.toWellFormed()
  const isWhole = text.charCodeAt(most - 1) >> 10 !== 0xd800 >> 10
  return `${text.slice(0, isWhole ? most : most - 1).toWellFormed()}…`
}

/** The known name nearest to a mistyped one, as a hint; undefined where none is near. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > 64) return undefined
  let best: string | undefined
  let bestDistance = Math.min(3, Math.floor(name.length / 2) + 1)
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue
    const distance = editDistance(name, candidate)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best === undefined ? undefined : `did you mean '${best}'?`
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitute = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(substitute, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
