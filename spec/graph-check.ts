import { emissionOrder, splitEntry } from './graph'
import { isObject, type Json } from './json'
import { KINDS, kindNamed, type Step, type StepKind } from './kinds'
import { portsHint } from './hints'
import { nearest, type Path, type Report, shorten } from './problems'
import { ENTRY_PATTERN, ID_PATTERN } from './schema'

/** What the check of references needs of a graph that may be broken. Sets of steps are bit sets over author indexes. */
export interface RawGraph {
  index: Map<string, number>
  ancestors: bigint[]
}

/** One usable entry of a step's `after`. */
interface Edge {
  from: number
  port: string | null
  /** Its place in `after`. */
  at: number
}

/** Checks ids and edges of steps that may be otherwise broken, and goes on with those that can be followed. */
export function checkGraph(steps: readonly Json[], report: Report): RawGraph {
  const index = indexIds(steps, report)
  const edges = steps.map((step, i) => (isObject(step) ? readAfter(step.after, steps, index, ['steps', i, 'after'], report) : []))
  const order = emissionOrder(edges.map((list) => list.map((edge) => edge.from)))
  const ancestors = findAncestors(edges, order)
  const names = steps.map((step, i) => (isObject(step) && typeof step.id === 'string' ? shorten(step.id, 64) : `#${i}`))
  if (order.length < steps.length) reportCycles(edges, order, ancestors, names, report)
  reportNeverStarts(steps, edges, order, names, report)
  return { index, ancestors }
}

function indexIds(steps: readonly Json[], report: Report): Map<string, number> {
  const index = new Map<string, number>()
  steps.forEach((step, i) => {
    if (!isObject(step) || typeof step.id !== 'string' || !ID_PATTERN.test(step.id)) return
    if (index.has(step.id)) report('duplicate_id', ['steps', i, 'id'], `another step is already called '${step.id}'`)
    else index.set(step.id, i)
  })
  return index
}

function readAfter(after: Json | undefined, steps: readonly Json[], index: Map<string, number>, path: Path, report: Report): Edge[] {
  const edges: Edge[] = []
  const seen = new Set<string>()
  if (!Array.isArray(after)) return edges
  after.forEach((entry, at) => {
    if (typeof entry !== 'string' || !ENTRY_PATTERN.test(entry)) return
    const { id, port } = splitEntry(entry)
    const from = index.get(id)
    const target = from === undefined ? undefined : steps[from]
    if (from === undefined || !isObject(target)) {
      report('unknown_step', [...path, at], `there is no step '${shorten(id)}'`, () => nearest(id, index.keys()))
      return
    }
    const kind = typeof target.uses === 'string' ? kindNamed(target.uses) : null
    const resolved = kind === null ? port : checkPort(kind, target as unknown as Step, port, [...path, at], report)
    // An unknown port is its own mistake, and no other unknown port is the same.
    const key = resolved === null ? entry : `${id}.${resolved}`
    if (seen.has(key)) report('duplicate_entry', [...path, at], `'${entry}' is waited for already`)
    else edges.push({ from, port: resolved, at })
    seen.add(key)
  })
  return edges
}

/** The port an entry means, or null where none can be told. */
function checkPort(kind: StepKind, step: Step, port: string | null, path: Path, report: Report): string | null {
  const definition = KINDS[kind]
  // Each kind's `ports` survives any fields, so the exact type does not matter here.
  const ports = (definition.ports as (step: Step) => readonly string[])(step)
  const known = () => portsHint(step.id, ports)
  if (port === null) {
    if (definition.defaultPort === null) report('port_required', path, `'${step.id}' is a ${kind}: say which of its ports`, known)
    return definition.defaultPort
  }
  if (ports.length > 0 && !ports.includes(port)) {
    report('unknown_port', path, `'${step.id}' has no port '${port}'`, () => nearest(port, ports) ?? `its ports are ${known()}`)
    return null
  }
  return port
}

/** Ancestors by any path. On a cycle everything that can be reached counts, so that one mistake is not reported many times. */
function findAncestors(edges: readonly Edge[][], order: readonly number[]): bigint[] {
  const ancestors = edges.map((list) => list.reduce((set, { from }) => set | (1n << BigInt(from)), 0n))
  for (const i of order) {
    ancestors[i] = (edges[i] ?? []).reduce((set, { from }) => set | (ancestors[from] ?? 0n), ancestors[i] ?? 0n)
  }
  if (order.length === edges.length) return ancestors
  // Warshall's closure, for what lies on a cycle or behind one.
  for (let via = 0; via < edges.length; via++) {
    for (let i = 0; i < edges.length; i++) if (has(ancestors[i] ?? 0n, via)) ancestors[i] = (ancestors[i] ?? 0n) | (ancestors[via] ?? 0n)
  }
  return ancestors
}

/** One problem for each step that waits for itself, and one for each other knot of steps that wait for each other. */
function reportCycles(
  edges: readonly Edge[][],
  order: readonly number[],
  ancestors: readonly bigint[],
  names: readonly string[],
  report: Report,
): void {
  const done = new Set(order)
  edges.forEach((list, i) => {
    for (const { from, at } of list) if (from === i) report('cycle', ['steps', i, 'after', at], `'${names[i]}' waits for itself`)
  })
  for (let start = 0; start < edges.length; start++) {
    const above = ancestors[start] ?? 0n
    if (done.has(start) || !has(above, start)) continue
    const cycle = shortestCycle(edges, start)
    const last = cycle.at(-1)
    const entry = edges[start]?.find((edge) => edge.from === last)
    if (entry !== undefined) {
      const shown = [...cycle, start].map((i) => names[i]).join(' → ')
      report('cycle', ['steps', start, 'after', entry.at], `these steps wait for each other: ${shown}`)
    }
    // Everything that start reaches and that reaches start is the same knot.
    for (let i = start; i < edges.length; i++) if (has(above, i) && has(ancestors[i] ?? 0n, start)) done.add(i)
  }
}

/** The steps of a shortest cycle of two or more through `start`, in the order they would run; empty if there is none. */
function shortestCycle(edges: readonly Edge[][], start: number): number[] {
  const next = new Map<number, number>()
  const queue = [start]
  for (const i of queue) {
    for (const { from } of edges[i] ?? []) {
      if (from === i) continue
      if (from === start) {
        const cycle = [start]
        for (let at = i; at !== start; at = next.get(at) ?? start) cycle.push(at)
        return cycle
      }
      if (!next.has(from)) {
        next.set(from, i)
        queue.push(from)
      }
    }
  }
  return []
}

function has(set: bigint, i: number): boolean {
  return ((set >> BigInt(i)) & 1n) === 1n
}

/**
 * The publish check `never_starts`: a step that needs two ports of one step waits for what cannot be. must(step) is the union
 * ('all') or the intersection ('any') over its entries of must(entry) plus the entry's port. A contradiction is reported
 * where it arises, not again at every follower.
 */
function reportNeverStarts(
  steps: readonly Json[],
  edges: readonly Edge[][],
  order: readonly number[],
  names: readonly string[],
  report: Report,
): void {
  const { bits, groups } = contestedPorts(edges)
  if (groups.length === 0) return
  const must = edges.map(() => 0n)
  for (const i of order) {
    const step = steps[i]
    const needs = (edges[i] ?? []).map(({ from, port }) => (must[from] ?? 0n) | (bits.get(`${from}.${port}`) ?? 0n))
    const any = isObject(step) && step.join === 'any'
    must[i] = needs.length === 0 ? 0n : needs.reduce((a, b) => (any ? a & b : a | b))
    if (any || needs.length < 2) continue
    const broken = groups.find(({ mask }) => several((must[i] ?? 0n) & mask) && !needs.some((need) => several(need & mask)))
    if (broken === undefined) continue
    const ports = broken.ports.filter(({ bit }) => ((must[i] ?? 0n) & bit) !== 0n).map(({ port }) => `${names[broken.step]}.${port}`)
    report(
      'never_starts',
      ['steps', i, 'after'],
      `'${names[i]}' can never start: it needs ${ports.join(' and ')}, and only one of them is taken`,
      '"join": "any"',
    )
  }
}

/** A bit for each port of the steps that are followed by two ports or more: only those can contradict each other. */
function contestedPorts(edges: readonly Edge[][]) {
  const followed = new Map<number, Set<string>>()
  for (const { from, port } of edges.flat()) {
    if (port !== null) followed.set(from, (followed.get(from) ?? new Set()).add(port))
  }
  const bits = new Map<string, bigint>()
  const groups: { step: number; mask: bigint; ports: { port: string; bit: bigint }[] }[] = []
  for (const [step, names] of followed) {
    if (names.size < 2) continue
    const ports = [...names].map((port) => {
      const bit = 1n << BigInt(bits.size)
      bits.set(`${step}.${port}`, bit)
      return { port, bit }
    })
    groups.push({ step, ports, mask: ports.reduce((mask, { bit }) => mask | bit, 0n) })
  }
  return { bits, groups }
}

function several(set: bigint): boolean {
  return (set & (set - 1n)) !== 0n
}
