import type { WorkflowSpec } from './document'
import { definitionOf, type Step } from './kinds'
import type { Join } from './schema'

export interface Entry {
  step: string
  port: string
}

/** A valid document's graph. Maps, because `constructor` is a legal step id. */
export interface Graph {
  /** Every step after all that it waits for; a document already in such an order keeps it. */
  order: string[]
  /** Each step's place in it. */
  rank: Map<string, number>
  steps: Map<string, Step>
  /** What each step waits for, ports made explicit. */
  entries: Map<string, Entry[]>
  join: Map<string, Join>
  /** Who waits for each step, and by which of its ports. */
  followers: Map<string, Entry[]>
  followedPorts: Map<string, Set<string>>
  /** Every step that comes before each step, by any path. */
  ancestors: Map<string, Set<string>>
}

/** Splits an entry of `after`; the port is null where it is a plain id. */
export function splitEntry(entry: string): { id: string; port: string | null } {
  const dot = entry.indexOf('.')
  return dot < 0 ? { id: entry, port: null } : { id: entry.slice(0, dot), port: entry.slice(dot + 1) }
}

const EMITTED = -1

/**
 * Repeatedly emits the ready step with the lowest author index. `waitsFor[i]` lists the indexes step i waits for.
 * Steps on a cycle, and behind one, are never ready and are left out.
 */
export function emissionOrder(waitsFor: readonly (readonly number[])[]): number[] {
  const before = waitsFor.map((list) => (list.length > 1 ? [...new Set(list)] : list))
  const missing = before.map((list) => list.length)
  const followers: number[][] = before.map(() => [])
  before.forEach((list, i) => list.forEach((one) => followers[one]?.push(i)))
  const order: number[] = []
  let from = 0
  for (;;) {
    let next = from
    while (next < missing.length && missing[next] !== 0) next++
    if (next >= missing.length) return order
    order.push(next)
    missing[next] = EMITTED
    from = next + 1
    for (const follower of followers[next] ?? []) {
      missing[follower] = (missing[follower] ?? 0) - 1
      if (missing[follower] === 0) from = Math.min(from, follower)
    }
  }
}

/** Compiles the graph of a valid document. Linear in edges, but for the ancestors (at most 500 × 500). */
export function compileGraph(spec: WorkflowSpec): Graph {
  const steps = new Map<string, Step>(spec.steps.map((step) => [step.id, step]))
  const index = new Map(spec.steps.map((step, i) => [step.id, i]))
  const entries = new Map<string, Entry[]>()
  const followers = new Map<string, Entry[]>(spec.steps.map((step) => [step.id, []]))
  const followedPorts = new Map<string, Set<string>>(spec.steps.map((step) => [step.id, new Set()]))
  for (const step of spec.steps) {
    const list = step.after.map((text) => entryOf(text, steps))
    entries.set(step.id, list)
    for (const { step: before, port } of list) {
      followers.get(before)?.push({ step: step.id, port })
      followedPorts.get(before)?.add(port)
    }
  }
  const waitsFor = spec.steps.map((step) => (entries.get(step.id) ?? []).map((entry) => index.get(entry.step) ?? -1))
  const order = emissionOrder(waitsFor).map((i) => spec.steps[i]?.id ?? '')
  const ancestors = new Map<string, Set<string>>()
  for (const id of order) {
    const above = new Set<string>()
    for (const { step: before } of entries.get(id) ?? []) {
      above.add(before)
      ancestors.get(before)?.forEach((ancestor) => above.add(ancestor))
    }
    ancestors.set(id, above)
  }
  return {
    order,
    rank: new Map(order.map((id, i) => [id, i])),
    steps,
    entries,
    join: new Map(spec.steps.map((step) => [step.id, step.join ?? 'all'])),
    followers,
    followedPorts,
    ancestors,
  }
}

function entryOf(text: string, steps: ReadonlyMap<string, Step>): Entry {
  const { id, port } = splitEntry(text)
  const step = steps.get(id)
  const named = port ?? (step === undefined ? null : definitionOf(step).defaultPort)
  if (named === null) throw new Error(`'${text}' names no port: the document was not validated`)
  return { step: id, port: named }
}
