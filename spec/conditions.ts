import type { Entry, Graph } from './graph'
import { kindOf, portsOf } from './kinds'

/** What must have happened before a step starts: for each of these steps, that it took one of these of its ports. */
export type Conditions = ReadonlyMap<string, ReadonlySet<string>>

/** One way to come to a step: the ports taken that were not sure to be taken (branches, failures, rejections, expiries), by step. */
export type Way = ReadonlyMap<string, string>

/** Ways that are told apart. With more of them nobody reads a list, and their number grows with every join. */
const WAYS = 6
/** Entries of one join that are looked at: what a hostile document joins must not cost seconds. */
const JOINED = 12
const PLAIN_PORTS = new Set(['succeeded', 'approved'])

/** Whether this port is not the one on which a run simply goes on: every branch of a choice, `failed`, `rejected`, `expired`. */
export function turnsOff(graph: Graph, { step, port }: Entry): boolean {
  const found = graph.steps.get(step)
  return found !== undefined && (kindOf(found) === 'choice' || !PLAIN_PORTS.has(port))
}

/**
 * The conditions of every step of a valid document. Sound: whatever stands here holds whenever the step starts; what several
 * joins in a row imply together may be missing.
 */
export function conditionsOf(graph: Graph): Map<string, Conditions> {
  const conditions = new Map<string, Conditions>()
  for (const id of graph.order) {
    const entries = (graph.entries.get(id) ?? []).map((entry) => conditionsOfEntry(conditions, entry))
    const [first = new Map<string, ReadonlySet<string>>(), ...rest] = entries
    const join = graph.join.get(id) === 'any' ? either : both
    conditions.set(
      id,
      rest.reduce((one, other) => join(one, other, graph), first),
    )
  }
  return conditions
}

/** The conditions under which one entry of a step's `after` is live. */
export function conditionsOfEntry(conditions: ReadonlyMap<string, Conditions>, { step, port }: Entry): Conditions {
  return new Map([...(conditions.get(step) ?? []), [step, new Set([port])]])
}

function both(one: Conditions, other: Conditions): Conditions {
  const joined = new Map(one)
  for (const [step, ports] of other) joined.set(step, joined.get(step)?.intersection(ports) ?? ports)
  return joined
}

function either(one: Conditions, other: Conditions, graph: Graph): Conditions {
  const joined = new Map<string, ReadonlySet<string>>()
  for (const [step, ports] of one) {
    const others = other.get(step)
    if (others === undefined) continue
    const union = ports.union(others)
    const found = graph.steps.get(step)
    if (found !== undefined && union.size < portsOf(found).length) joined.set(step, union)
  }
  return joined
}

/** Whether a step starts only after this gate was approved. */
export function isGuarded(conditions: Conditions | undefined, gate: string): boolean {
  const ports = conditions?.get(gate)
  return ports !== undefined && ports.size === 1 && ports.has('approved')
}

/**
 * How every step can be reached without taking a blocked entry: none if it cannot, null if in more ways than are worth telling apart.
 * A way without ports is one that is always open.
 */
export function waysWithout(graph: Graph, blocked: (entry: Entry) => boolean): Map<string, readonly Way[] | null> {
  const ways = new Map<string, readonly Way[] | null>()
  for (const id of graph.order) {
    const entries = (graph.entries.get(id) ?? []).map((entry) => waysOfEntry(graph, ways, blocked, entry))
    ways.set(id, joinWays(graph, entries, graph.join.get(id) === 'any'))
  }
  return ways
}

/** The same for one entry of a step's `after`, from the ways of the steps before. */
export function waysOfEntry(
  graph: Graph,
  ways: ReadonlyMap<string, readonly Way[] | null>,
  blocked: (entry: Entry) => boolean,
  entry: Entry,
): readonly Way[] | null {
  const before = ways.get(entry.step) ?? null
  if (blocked(entry)) return []
  if (before === null || !turnsOff(graph, entry)) return before
  return before.map((way) => new Map([...way, [entry.step, entry.port]]))
}

function joinWays(graph: Graph, entries: readonly (readonly Way[] | null)[], any: boolean): readonly Way[] | null {
  if (entries.length === 0) return [new Map()]
  if (!any && entries.some((ways) => ways?.length === 0)) return []
  if (entries.includes(null) || entries.length > JOINED) return null
  let joined: Way[] = any ? [] : [new Map()]
  for (const ways of entries as (readonly Way[])[]) {
    joined = simplify(graph, any ? [...joined, ...ways] : joined.flatMap((one) => ways.flatMap((other) => along(one, other) ?? [])))
    if (joined.length > WAYS) return null
  }
  return joined
}

/** Both ways at once; null where they need two ports of one step. */
function along(one: Way, other: Way): Way | null {
  const joined = new Map(one)
  for (const [step, port] of other) {
    if ((joined.get(step) ?? port) !== port) return null
    joined.set(step, port)
  }
  return joined
}

/** Drops ways that are special cases of others, and joins those that together take every branch of a choice. */
function simplify(graph: Graph, ways: readonly Way[]): Way[] {
  let left: Way[] = []
  for (const way of ways) {
    if (left.some((other) => includes(way, other))) continue
    left = [...left.filter((other) => !includes(other, way)), way]
  }
  for (const way of left) {
    for (const [step, port] of way) {
      const found = graph.steps.get(step)
      if (found === undefined || kindOf(found) !== 'choice') continue
      const rest = new Map([...way].filter(([id]) => id !== step))
      const every = portsOf(found).every(
        (branch) => branch === port || left.some((other) => same(other, new Map([...rest, [step, branch]]))),
      )
      if (every) return simplify(graph, [...left, rest])
    }
  }
  return left
}

const includes = (way: Way, part: Way) => [...part].every(([step, port]) => way.get(step) === port)
const same = (one: Way, other: Way) => one.size === other.size && includes(one, other)
