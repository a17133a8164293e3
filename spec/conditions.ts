import type { Entry, Graph } from './graph'
import { kindOf, portsOf, type Step } from './kinds'

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
    const any = graph.join.get(id) === 'any'
    let joined: Map<string, ReadonlySet<string>> | undefined
    for (const { step, port } of graph.entries.get(id) ?? []) {
      const before = conditions.get(step) ?? new Map()
      const own = ownPorts(graph, { step, port })
      if (joined === undefined) joined = new Map([...before, [step, own]])
      else if (any) either(joined, (other) => (other === step ? own : before.get(other)), graph)
      // What was found to take this port before came with all that holds then.
      else if (joined.get(step) !== own) both(both(joined, before), [[step, own]])
    }
    const several = (graph.entries.get(id)?.length ?? 0) > 1
    conditions.set(id, several ? settled(graph, id, joined ?? new Map()) : (joined ?? new Map()))
  }
  return conditions
}

/**
 * What else holds when a step starts: it decides when everything before it has settled, so each of its ancestors that surely ran took
 * a port by which a run goes on. A gate beside another entry of an `any` is thus no less needed, unless it can be skipped or
 * its rejection is followed.
 */
function settled(graph: Graph, id: string, known: Map<string, ReadonlySet<string>>): Map<string, ReadonlySet<string>> {
  const sure = new Map<string, boolean>()
  for (const above of graph.ancestors.get(id) ?? []) {
    const ports = goesOnBy(graph, above)
    if (ports.size === portsOf(graph.steps.get(above) as Step).length || !surelyRuns(graph, above, known, sure)) continue
    both(known, [[above, ports]])
  }
  return known
}

/** Whether a step surely starts where these conditions hold, in a run that goes on past it. `sure` keeps what was found. */
function surelyRuns(graph: Graph, id: string, known: Conditions, sure: Map<string, boolean>): boolean {
  const found = sure.get(id)
  if (found !== undefined) return found
  const taken = ({ step, port }: Entry) => {
    const ports = known.get(step) ?? (surelyRuns(graph, step, known, sure) ? goesOnBy(graph, step) : new Set())
    return ports.size === 1 && ports.has(port)
  }
  const entries = graph.entries.get(id) ?? []
  const runs = entries.length === 0 || (graph.join.get(id) === 'any' ? entries.some(taken) : entries.every(taken))
  sure.set(id, runs)
  return runs
}

const goingOn = new WeakMap<Graph, Map<string, ReadonlySet<string>>>()

/** The ports by which a run goes on past a step: a failure, a rejection or an expiry that nobody follows ends it. */
export function goesOnBy(graph: Graph, id: string): ReadonlySet<string> {
  const kept = goingOn.get(graph) ?? new Map<string, ReadonlySet<string>>()
  goingOn.set(graph, kept)
  const known = kept.get(id)
  if (known !== undefined) return known
  const step = graph.steps.get(id) as Step
  const followed = graph.followedPorts.get(id)
  const ports = new Set(portsOf(step).filter((port) => kindOf(step) === 'choice' || PLAIN_PORTS.has(port) || followed?.has(port)))
  kept.set(id, ports)
  return ports
}

/** The port of an entry, as a set: the very set of `goesOnBy` where that is the same, since equal sets are quickly told by that. */
function ownPorts(graph: Graph, { step, port }: Entry): ReadonlySet<string> {
  const usual = goesOnBy(graph, step)
  const isUsual = usual.size === 1 && usual.has(port) && portsOf(graph.steps.get(step) as Step).length > 1
  return isUsual ? usual : new Set([port])
}

/** Everything that holds for one or the other; put into `one`. */
function both(one: Map<string, ReadonlySet<string>>, other: Iterable<[string, ReadonlySet<string>]>): Map<string, ReadonlySet<string>> {
  for (const [step, ports] of other) {
    const known = one.get(step)
    // The conditions of one step are handed on as they are: most are the very same.
    if (known !== ports) one.set(step, known?.intersection(ports) ?? ports)
  }
  return one
}

/** What holds in both cases; left in `one`. */
function either(one: Map<string, ReadonlySet<string>>, other: (step: string) => ReadonlySet<string> | undefined, graph: Graph): void {
  for (const [step, ports] of one) {
    const others = other(step)
    if (others === ports) continue
    const union = others === undefined ? undefined : ports.union(others)
    const found = graph.steps.get(step)
    if (union === undefined || found === undefined || union.size >= portsOf(found).length) one.delete(step)
    else one.set(step, union)
  }
}

/** Whether conditions can never all hold, so that the step never starts. */
export function neverHold(conditions: Conditions | undefined): boolean {
  return [...(conditions?.values() ?? [])].some((ports) => ports.size === 0)
}

/** Whether a step starts only after this gate was approved. */
export function isGuarded(conditions: Conditions | undefined, gate: string): boolean {
  const ports = conditions?.get(gate)
  return ports !== undefined && ports.size === 1 && ports.has('approved')
}

/**
 * How every step can be reached without a gate's approval, or without that of any: no way if it cannot, null if in more ways than are
 * worth telling apart. A way without ports is one that is always open.
 */
export function waysWithout(graph: Graph, gate?: string): Map<string, readonly Way[] | null> {
  const blocked = ({ step, port }: Entry) =>
    port === 'approved' && graph.steps.get(step)?.uses === 'approve' && (gate === undefined || step === gate)
  const ways = new Map<string, readonly Way[] | null>()
  for (const id of graph.order) {
    const entries = graph.entries.get(id) ?? []
    const any = graph.join.get(id) === 'any'
    const joined = joinWays(
      graph,
      entries.map((entry) => (blocked(entry) ? [] : waysOfEntry(graph, ways, entry))),
      any,
    )
    const gates =
      entries.length > 1 ? [...(graph.ancestors.get(id) ?? [])].filter((above) => blocked({ step: above, port: 'approved' })) : []
    ways.set(id, joined?.flatMap((way) => settledWays(graph, way, gates, blocked)) ?? null)
  }
  return ways
}

function waysOfEntry(graph: Graph, ways: ReadonlyMap<string, readonly Way[] | null>, entry: Entry): readonly Way[] | null {
  const before = ways.get(entry.step) ?? null
  return before === null || !turnsOff(graph, entry) ? before : before.map((way) => new Map([...way, [entry.step, entry.port]]))
}

/** A way to a step, where it still leads past the gates before it: those that surely ask must have been turned down, with the run going on. */
function settledWays(graph: Graph, way: Way, gates: readonly string[], blocked: (entry: Entry) => boolean): Way[] {
  if (gates.length === 0) return [way]
  const known = new Map([...way].map(([step, port]) => [step, new Set([port])]))
  const sure = new Map<string, boolean>()
  let ways: Way[] = [way]
  for (const id of gates) {
    if (known.has(id) || !surelyRuns(graph, id, known, sure)) continue
    const others = [...goesOnBy(graph, id)].filter((port) => !blocked({ step: id, port }))
    ways = ways.flatMap((one) => others.map((port) => new Map([...one, [id, port]])))
    if (ways.length > WAYS) return [way]
  }
  return ways
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
      const branches = portsOf(found)
      if (branches.length > left.length) continue
      const every = branches.every(
        (branch) => branch === port || left.some((other) => other.get(step) === branch && differs(other, way, step)),
      )
      if (every) return simplify(graph, [...left, new Map([...way].filter(([id]) => id !== step))])
    }
  }
  return left
}

const includes = (way: Way, part: Way) => [...part].every(([step, port]) => way.get(step) === port)
/** Whether two ways are the same. */
export const same = (one: Way, other: Way) => one.size === other.size && includes(one, other)
/** Whether two ways are the same but for the port of this step. */
export const differs = (one: Way, other: Way, step: string) =>
  one.size === other.size && [...other].every(([id, port]) => id === step || one.get(id) === port)
