import { canonicalText } from '../canonical'
import type { WorkflowSpec } from '../document'
import { splitEntry } from '../graph'
import { isObject, type Json, type JsonObject, member } from '../json'
import type { Step } from '../kinds'
import { pointer, type Path } from '../problems'
import type { Catalogue } from '../warnings'
import { type ApprovalChange, approvalChanges } from './approvals'
import { type NewEffect, newEffects } from './effects'

export type { Weakening } from './approvals'
export type { NewEffect } from './effects'

/** One change of a value. `path` is a JSON Pointer below the thing that changed; what was not there before, or is gone, has no `from` or `to`. */
export interface FieldChange {
  path: string
  from?: Json
  to?: Json
}

interface NamedChanges {
  added: string[]
  removed: string[]
  changed: { name: string; fields: FieldChange[] }[]
  /** The same names stand in another order. */
  reordered: boolean
}

/** An entry of a step's `after`, as it is written. */
interface Edge {
  step: string
  entry: string
}

/** What changed from one document to another, by their canonical form. */
export interface Diff {
  /** Nothing changed: both have the same canonical form. */
  same: boolean
  /** Titles of steps that have one, by id: the new ones, else the old ones. */
  titles: Record<string, string>
  steps: {
    added: { step: string; uses: string }[]
    removed: { step: string; uses: string }[]
    changed: { step: string; fields: FieldChange[] }[]
    /** Steps that both have stand in another order. */
    reordered: boolean
  }
  /** Of steps that both have: what they wait for. `moved`: one entry in the place of another. */
  edges: { added: Edge[]; removed: Edge[]; moved: { step: string; from: string; to: string }[] }
  input: NamedChanges
  output: NamedChanges
  /** Slug, title, description, title of runs, when compensations run. */
  settings: FieldChange[]
  /** Approvals that are gone, or let through what they did not, and steps that start without any approval in other cases than before. */
  approvals: ApprovalChange[]
  /** What may change something and could not before. */
  effects: NewEffect[]
}

const canonical = (spec: WorkflowSpec) => JSON.parse(canonicalText(spec)) as WorkflowSpec

/** What changed from the valid document `a` to the valid document `b`. Tools that `catalogue` knows only to read are no new effects. */
export function diff(a: WorkflowSpec, b: WorkflowSpec, catalogue: Catalogue = {}): Diff {
  const [before, after] = [canonical(a), canonical(b)]
  const old = new Map(before.steps.map((step) => [step.id, step]))
  const now = new Map(after.steps.map((step) => [step.id, step]))
  const both = after.steps.flatMap((step) => {
    const other = old.get(step.id)
    return other === undefined ? [] : [[other, step] as const]
  })
  const edges = edgeChanges(both)
  const kept = before.steps.filter(({ id }) => now.has(id)).map(({ id }) => id)
  const steps = {
    added: after.steps.filter(({ id }) => !old.has(id)).map(brief),
    removed: before.steps.filter(({ id }) => !now.has(id)).map(brief),
    changed: both.flatMap(([from, to]) => stepChanges(from, to)),
    reordered: kept.join() !== both.map(([, { id }]) => id).join(),
  }
  const { spec: _spec, steps: _steps, input: oldInput = {}, output: oldOutput, ...oldSettings } = before
  const { spec: _other, steps: _others, input = {}, output, ...settings } = after
  return {
    same: canonicalText(before) === canonicalText(after),
    titles: titlesOf(before, after),
    steps,
    edges,
    input: namedChanges(oldInput as unknown as JsonObject, input as unknown as JsonObject),
    output: namedChanges(oldOutput ?? {}, output ?? {}),
    settings: [
      ...fieldChanges(oldSettings as unknown as JsonObject, settings as unknown as JsonObject),
      // An empty output is something else than none.
      ...((oldOutput === undefined) === (output === undefined) || Object.keys(oldOutput ?? output ?? {}).length > 0
        ? []
        : [{ path: '/output', ...(oldOutput === undefined ? { to: {} } : { from: {} }) }]),
    ],
    approvals: approvalChanges(before, after, catalogue),
    effects: newEffects(old, after, catalogue),
  }
}

/** The ids of the steps that were added, removed, or changed in their fields or in what they wait for. */
export function touchedSteps({ steps, edges }: Diff): string[] {
  const all = [...steps.added, ...steps.removed, ...steps.changed, ...edges.added, ...edges.removed, ...edges.moved]
  return [...new Set(all.map(({ step }) => step))].sort()
}

const brief = ({ id, uses }: Step) => ({ step: id, uses })

function titlesOf(...specs: WorkflowSpec[]): Record<string, string> {
  return Object.fromEntries(specs.flatMap(({ steps }) => steps.flatMap(({ id, title }) => (title ? [[id, title]] : []))))
}

function stepChanges(from: Step, to: Step): Diff['steps']['changed'] {
  const { after: before, ...old } = from
  const { after, ...now } = to
  const fields = fieldChanges(old as unknown as JsonObject, now as unknown as JsonObject)
  // The same entries in another order are no other edges.
  const reordered = before.join() !== after.join() && [...before].sort().join() === [...after].sort().join()
  if (reordered) fields.push({ path: '/after', from: before, to: after })
  return fields.length === 0 ? [] : [{ step: to.id, fields }]
}

function edgeChanges(steps: readonly (readonly [Step, Step])[]): Diff['edges'] {
  const edges: Diff['edges'] = { added: [], removed: [], moved: [] }
  for (const [from, to] of steps) {
    const removed = from.after.filter((entry) => !to.after.includes(entry))
    const added = to.after.filter((entry) => !from.after.includes(entry))
    for (const entry of removed) {
      // Another port of the same step, else whatever else is new.
      const at = Math.max(
        0,
        added.findIndex((other) => splitEntry(other).id === splitEntry(entry).id),
      )
      const [other] = added.splice(at, 1)
      if (other === undefined) edges.removed.push({ step: to.id, entry })
      else edges.moved.push({ step: to.id, from: entry, to: other })
    }
    edges.added.push(...added.map((entry) => ({ step: to.id, entry })))
  }
  return edges
}

function namedChanges(from: JsonObject, to: JsonObject): NamedChanges {
  const names = Object.keys(to)
  const kept = names.filter((name) => Object.hasOwn(from, name))
  return {
    added: names.filter((name) => !Object.hasOwn(from, name)),
    removed: Object.keys(from).filter((name) => !Object.hasOwn(to, name)),
    changed: kept.flatMap((name) => {
      const fields = valueChanges(from[name], to[name], [])
      return fields.length === 0 ? [] : [{ name, fields }]
    }),
    reordered:
      kept.join() !==
      Object.keys(from)
        .filter((name) => Object.hasOwn(to, name))
        .join(),
  }
}

const fieldChanges = (from: JsonObject, to: JsonObject) => valueChanges(from, to, [])

/** The smallest parts that differ. Lists of another length, and objects that differ in the order of their keys alone, are changed as a whole. */
function valueChanges(from: Json | undefined, to: Json | undefined, path: Path): FieldChange[] {
  if (from !== undefined && to !== undefined && JSON.stringify(from) === JSON.stringify(to)) return []
  const whole = { path: pointer(path), ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  if (isObject(from) && isObject(to)) {
    const keys = new Set([...Object.keys(from), ...Object.keys(to)])
    const inner = [...keys].flatMap((key) => {
      const [old, now] = [member(from, key), member(to, key)]
      return old === undefined && now === undefined ? [] : valueChanges(old, now, [...path, key])
    })
    return inner.length === 0 ? [whole] : inner
  }
  if (Array.isArray(from) && Array.isArray(to) && from.length === to.length)
    return from.flatMap((item, i) => valueChanges(item, to[i], [...path, i]))
  return [whole]
}
