import type { WorkflowSpec } from '../document'
import { compileGraph, type Graph } from '../graph'
import { isObject, type Json, member } from '../json'
import { type Path, pointer } from '../problems'
import { referencesIn } from '../references'
import { actsAlone } from '../settings'
import { checkStructure, type ValuePosition } from '../structure'
import { checkCalls, checkPaths } from './calls'
import type { Catalogue, Warn, Warning } from './codes'
import { Gates } from './gates'
import { checkSecrets } from './secrets'
import { bodyOf, effectOf, Sources } from './sources'

export { WARNING_CODES, WARNING_MEANINGS } from './codes'
export type { Catalogue, Warning, WarningCode } from './codes'

/** As many as are listed of problems. */
const LISTED = 1_000

/**
 * What may be a mistake in a valid document, in its order. Never a reason to refuse it: tools, workflows and roles come and go, and what
 * cannot be known is not complained of. Paths lead into `spec` as it is given; places in a text need the document that was parsed from it.
 */
export function warningsOf(spec: WorkflowSpec, catalogue: Catalogue = {}): Warning[] {
  const graph = compileGraph(spec)
  const sources = new Sources(spec, graph, catalogue)
  const document = spec as unknown as Json
  const positions = checkStructure(document, () => {})
  const found: { path: Path; warning: Warning }[] = []
  const warn: Warn = (code, path, message, hint) => {
    found.push({ path, warning: { code, path: pointer(path), message, ...(hint === undefined ? {} : { hint }) } })
  }
  checkCalls(spec, catalogue, sources, warn)
  for (const { path, value } of positions) checkPaths(value, path, sources, warn)
  new Gates(spec, graph, catalogue).check(warn)
  checkAgents(spec, warn)
  checkUnused(spec, graph, positions, catalogue, warn)
  checkSecrets(document, [], warn)
  const keys: Keys = new Map()
  const inOrder = found
    .map(({ path, warning }) => ({ place: placeOf(document, path, keys), warning }))
    .sort((a, b) => comparePlaces(a.place, b.place))
    .map(({ warning }) => warning)
  if (inOrder.length <= LISTED) return inOrder
  const left = inOrder.length - LISTED
  return [...inOrder.slice(0, LISTED), { code: 'more_warnings', path: '', message: `and ${left} more warnings` }]
}

function checkAgents(spec: WorkflowSpec, warn: Warn): void {
  spec.steps.forEach((step, i) => {
    const body = bodyOf(step)
    if (body?.uses !== 'agent' || !actsAlone(body)) return
    const path = step.uses === 'map' ? ['steps', i, 'do', 'unattended'] : ['steps', i, 'unattended']
    warn('unattended_agent', path, `'${step.id}' may call every tool it lists without asking anyone`)
  })
}

/** Steps that only read, that nobody follows and whose output nobody refers to. */
function checkUnused(spec: WorkflowSpec, graph: Graph, positions: readonly ValuePosition[], catalogue: Catalogue, warn: Warn): void {
  const used = new Set(positions.flatMap(({ value, path }) => usesOf(value, spec.steps[Number(path[1])]?.id, path)))
  spec.steps.forEach((step, i) => {
    const body = bodyOf(step)
    if (body === null || used.has(step.id) || (graph.followers.get(step.id) ?? []).length > 0) return
    const reads = body.uses === 'agent' ? !actsAlone(body) : effectOf(body, catalogue) === 'read'
    if (reads) warn('result_unused', ['steps', i], `'${step.id}' only reads, and nothing uses what it finds or waits for it`)
  })
}

/** The steps whose output a value refers to; a step's own compensation does not count. */
function usesOf(value: Json, own: string | undefined, path: Path): string[] {
  return referencesIn(value).flatMap((reference) =>
    reference.root === 'steps' && !(path[0] === 'steps' && reference.step === own) ? [reference.step] : [],
  )
}

/** The place of each key of the objects that were looked into: they may have many, and be asked for each. */
type Keys = Map<Json, ReadonlyMap<string, number>>

/** A path as numbers that sort as the document reads: the place of each key among its siblings. What does not exist comes last. */
function placeOf(document: Json, path: Path, keys: Keys): number[] {
  let at: Json | undefined = document
  return path.map((segment) => {
    if (Array.isArray(at)) {
      at = at[Number(segment)]
      return Number(segment)
    }
    if (!isObject(at)) return Infinity
    const places = keys.get(at) ?? new Map(Object.keys(at).map((key, i) => [key, i]))
    keys.set(at, places)
    at = member(at, String(segment))
    return places.get(String(segment)) ?? Infinity
  })
}

function comparePlaces(a: readonly number[], b: readonly number[]): number {
  for (const [i, place] of a.entries()) {
    const other = b[i]
    if (other === undefined) return 1
    if (place !== other) return place < other ? -1 : 1
  }
  return a.length - b.length
}
