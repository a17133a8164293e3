import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalText } from './canonical'
import type { WorkflowSpec } from './document'
import { readExact } from './exact'
import { checkGraph } from './graph-check'
import { isObject, type Json } from './json'
import { ENOUGH_PROBLEMS, type Hint, type Path, pointer, type Problem, type ProblemCode, segments } from './problems'
import { checkReferences } from './reference-check'
import { LIMITS } from './schema'
import { jsonText } from './serialize'
import { checkStructure } from './structure'
import { offsetOf, positionsAt, readText, readValue } from './text'

const ASCII = /^[\0-\x7F]*$/

export type ParseResult = { ok: true; spec: WorkflowSpec; canonical: string; hash: string } | { ok: false; problems: Problem[] }

/**
 * The only door: text to a valid spec in canonical form, its canonical text and that text's hash (hex SHA-256 of its UTF-8),
 * or every problem in document order.
 */
export function parseWorkflow(text: string): ParseResult {
  if (text.length > LIMITS.textLength) {
    return refuse('document_too_large', `the text is longer than ${LIMITS.textLength} characters, too long to be read`)
  }
  const found = new Findings(text)
  const root = readExact(text) ?? readValue(text, (code, path, message, at) => found.add({ code, path, message, at }))
  if (root === null) return { ok: false, problems: found.problems() }
  check(root.value, (code, path, message, hint) => found.add({ code, path, message, hint }))
  if (found.count > 0) return { ok: false, problems: found.problems() }
  const canonical = canonicalText(root.value as unknown as WorkflowSpec)
  const bytes = utf8Length(canonical)
  if (bytes > LIMITS.documentBytes) {
    return refuse('document_too_large', `the document has ${bytes} bytes; at most ${LIMITS.documentBytes} are allowed`)
  }
  return accept(canonical)
}

/** The hash is worked out when somebody asks for it: an editor, which checks at every key stroke, never does. */
function accept(canonical: string): ParseResult {
  let hash: string | undefined
  return {
    ok: true,
    spec: JSON.parse(canonical) as WorkflowSpec,
    canonical,
    get hash() {
      return (hash ??= bytesToHex(sha256(utf8ToBytes(canonical))))
    },
  }
}

/** The same for a value that is already parsed, as a builder has it: it is written as text and goes through the same door. */
export function validateWorkflow(value: unknown): ParseResult {
  const json = jsonText(value)
  if (json.ok) return parseWorkflow(json.text)
  return { ok: false, problems: [{ code: json.code, path: pointer(json.path), message: json.message }] }
}

/**
 * Where problems begin in a text, counted from 1: in document order, as `parseWorkflow` lists them, or places by their JSON Pointers alone. Where
 * a place does not exist, its nearest ancestor. Reads the text once.
 */
export function problemPositions(
  text: string,
  problems: readonly (string | { code: string; path: string })[],
): { line: number; column: number }[] {
  // Too long to be read, for this as well.
  if (text.length > LIMITS.textLength) return problems.map(() => ({ line: 1, column: 1 }))
  let broken = 0
  // A comment or a comma has no JSON Pointer of its own: what was found while reading is found again by its code, one after the other.
  const found = new Map<string, number[]>()
  const root = readText(text, (code, path, _message, at) => {
    if (code === 'syntax_error' || code === 'too_deep') broken = at
    const key = `${code} ${pointer(path)}`
    const places = found.get(key)
    if (places === undefined) found.set(key, [at])
    else places.push(at)
  })
  for (const places of found.values()) places.reverse()
  return positionsAt(
    text,
    problems.map((problem) => {
      const path = typeof problem === 'string' ? problem : problem.path
      const read = typeof problem === 'string' ? undefined : found.get(`${problem.code} ${path}`)?.pop()
      return read ?? (root === null ? broken : offsetOf(root, segments(path)))
    }),
  )
}

/** Most text is ASCII, and whether it is costs less to find out than to encode it. */
function utf8Length(text: string): number {
  return ASCII.test(text) ? text.length : utf8ToBytes(text).length
}

function check(document: Json, report: Parameters<typeof checkStructure>[1]): void {
  const positions = checkStructure(document, report)
  if (!isObject(document)) return
  const steps = Array.isArray(document.steps) ? document.steps.slice(0, LIMITS.steps) : []
  const graph = checkGraph(steps, report)
  checkReferences(document, positions, graph, report)
}

function refuse(code: ProblemCode, message: string): ParseResult {
  return { ok: false, problems: [{ code, path: '', message }] }
}

interface Finding {
  code: ProblemCode
  path: Path
  message: string
  hint?: Hint | undefined
  /** Where it stands in the text; absent: where its path leads. */
  at?: number
}

/** Collects problems and lists them in document order, as many as anybody could read. */
class Findings {
  static readonly #LISTED = 1_000
  /** Keys may be as long as the text. Problems below such keys are listed until their paths have so many UTF-16 units; they take no room of others. */
  static readonly #LONG_PATH = 1_000
  static readonly #LONG_PATHS = 1_000_000
  readonly #text: string
  readonly #findings: Finding[] = []
  count = 0

  constructor(text: string) {
    this.#text = text
  }

  add(finding: Finding): void {
    this.count++
    if (this.#findings.length < ENOUGH_PROBLEMS) this.#findings.push(finding)
  }

  problems(): Problem[] {
    const problems: Problem[] = []
    let long = 0
    for (const { code, path, message, hint } of this.#inOrder()) {
      if (problems.length === Findings.#LISTED) break
      const length = path.reduce<number>((sum, segment) => sum + String(segment).length, 0)
      if (length > Findings.#LONG_PATH && long > Findings.#LONG_PATHS) continue
      if (length > Findings.#LONG_PATH) long += length
      const problem = { code, path: pointer(path), message }
      const shown = typeof hint === 'function' ? hint() : hint
      problems.push(shown === undefined ? problem : { ...problem, hint: shown })
    }
    const left = this.count - problems.length
    if (left > 0) problems.push({ code: 'more_problems', path: '', message: `and at least ${left} more problems` })
    return problems
  }

  #inOrder(): Finding[] {
    const document = readText(this.#text, () => {})
    const place = ({ at, path }: Finding) => at ?? (document === null ? 0 : offsetOf(document, path))
    const placed = this.#findings.map((finding) => ({ finding, at: place(finding) }))
    return placed.sort((a, b) => a.at - b.at).map(({ finding }) => finding)
  }
}
