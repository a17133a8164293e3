import { type Conditions, conditionsOf, isGuarded, neverHold, type Way, waysWithout } from '../conditions'
import { wayWords } from '../describe'
import { Speech } from '../describe/speech'
import type { WorkflowSpec } from '../document'
import type { Entry, Graph } from '../graph'
import { type Json, member } from '../json'
import { type Path, shorten } from '../problems'
import { parseReference, type Reference, referencesIn } from '../references'
import type { Field } from '../schema'
import { actsAlone } from '../settings'
import { type Body, bodyOf, effectOf, isWorkflow } from './sources'
import type { Catalogue, Warn } from './codes'

/** Bounds, so that a hostile document costs no seconds: ways around that are worded, references that are followed. */
const WORDED = 20
const FOLLOWED = 50_000

/** What approvals do not hold back, and what they do not show. See docs/decisions/015-warnings.md for the exact rules. */
export class Gates {
  readonly #spec: WorkflowSpec
  readonly #graph: Graph
  readonly #catalogue: Catalogue
  readonly #conditions: ReadonlyMap<string, Conditions>
  readonly #speech: Speech
  readonly #gates: readonly string[]
  readonly #references = new Map<string, readonly Reference[]>()
  /** Gates whose ways around were put into words, and references that were followed. */
  #worded = 0
  #followed = 0
  /** The steps behind each gate's approval, by gate. */
  readonly #behind: ReadonlyMap<string, ReadonlySet<string>>

  constructor(spec: WorkflowSpec, graph: Graph, catalogue: Catalogue) {
    this.#spec = spec
    this.#graph = graph
    this.#catalogue = catalogue
    this.#conditions = conditionsOf(graph)
    this.#speech = new Speech(spec, catalogue, 'en')
    this.#gates = graph.order.filter((id) => graph.steps.get(id)?.uses === 'approve')
    this.#behind = new Map(
      this.#gates.map((gate) => [gate, this.#reachedBy((graph.followers.get(gate) ?? []).filter(({ port }) => port === 'approved'))]),
    )
  }

  check(warn: Warn): void {
    const acts = this.#actsBehind()
    for (const gate of this.#gates) this.#checkSkips(gate, acts, warn)
    this.#spec.steps.forEach((step, i) => {
      this.#checkStarts(step.id, ['steps', i, 'after'], warn)
      if (step.uses === 'approve') this.#checkUsed(step.id, ['steps', i], warn)
      this.#checkShown(step.id, ['steps', i], warn)
    })
  }

  /** Behind a step that never starts, others never start either: the first of them says it all. */
  #checkStarts(id: string, path: Path, warn: Warn): void {
    const never = (one: string) => neverHold(this.#conditions.get(one))
    if (!never(id) || (this.#graph.entries.get(id) ?? []).some(({ step }) => never(step))) return
    warn('step_never_starts', path, `'${id}' never starts: what it waits for cannot all happen in one run`)
  }

  /** One that nobody follows may be the last word on what came before it. What may change something beside it does not ask it. */
  #checkUsed(gate: string, path: Path, warn: Warn): void {
    if ((this.#graph.followers.get(gate) ?? []).length > 0) return
    const beside = this.#graph.order.find((id) => id !== gate && this.#mayAct(id) && !this.#graph.ancestors.get(gate)?.has(id))
    if (beside === undefined) return
    const message = `nothing waits for the approval '${gate}': '${beside}' starts whatever is decided`
    warn('approval_unused', path, message, `add '${gate}' to the 'after' of what must wait for it`)
  }

  /** The steps that may change something, or that are followed by one that may. */
  #actsBehind(): Set<string> {
    const acts = new Set<string>()
    for (const id of this.#graph.order.toReversed()) {
      if (this.#mayAct(id) || (this.#graph.followers.get(id) ?? []).some(({ step }) => acts.has(step))) acts.add(id)
    }
    return acts
  }

  #reachedBy(followers: readonly Entry[]): Set<string> {
    const reached = new Set<string>()
    const left = followers.map(({ step }) => step)
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      if (reached.has(id)) continue
      reached.add(id)
      left.push(...(this.#graph.followers.get(id) ?? []).map(({ step }) => step))
    }
    return reached
  }

  /** Whether a step may change something: everything but what is known only to read. */
  #mayAct(id: string): boolean {
    const step = this.#graph.steps.get(id)
    const body = step === undefined ? null : bodyOf(step)
    if (body === null) return false
    if (body.uses === 'agent') return actsAlone(body)
    return effectOf(body, this.#catalogue) !== 'read'
  }

  /** At a join of `any`, some entries of which need the gate's approval and some not, when something from there on may act. */
  #checkSkips(gate: string, acts: ReadonlySet<string>, warn: Warn): void {
    const needs = ({ step, port }: Entry) => (step === gate && port === 'approved') || isGuarded(this.#conditions.get(step), gate)
    let ways: ReadonlyMap<string, readonly Way[] | null> | undefined
    this.#spec.steps.forEach((step, i) => {
      if (step.join !== 'any' || !acts.has(step.id) || !this.#behind.get(gate)?.has(step.id)) return
      if (isGuarded(this.#conditions.get(step.id), gate)) return
      const entries = this.#graph.entries.get(step.id) ?? []
      const first = entries.findIndex((entry) => !needs(entry))
      if (first < 0 || !entries.some(needs)) return
      ways ??= ++this.#worded > WORDED ? new Map() : waysWithout(this.#graph, gate)
      const around = ways.get(step.id) ?? null
      if (around?.length === 0) return
      const message = `'${step.id}' can start without the approval '${gate}': ${this.#aroundWords(around)}`
      warn('gate_can_be_skipped', ['steps', i, 'after', first], message)
    })
  }

  #aroundWords(ways: readonly Way[] | null): string {
    if (ways === null) return 'in some cases'
    const words = ways.map((way) => wayWords(this.#graph, way, this.#speech))
    return words.includes('') ? 'always' : `if ${words.join('; or if ')}`
  }

  /** What a step that changes something is given, and no approval on the way to it shows. */
  #checkShown(id: string, path: Path, warn: Warn): void {
    const step = this.#graph.steps.get(id)
    const body = step === undefined ? null : bodyOf(step)
    if (step === undefined || body === null) return
    const gates = this.#gates.filter((gate) => this.#behind.get(gate)?.has(id))
    if (gates.length === 0 || !this.#isKnownToAct(body)) return
    const shown = new Set(gates.flatMap((gate) => this.#shownBy(gate)))
    const given: [Path, Json][] =
      step.uses === 'map' ? [[[...path, 'over'], step.over], ...givenTo(body, [...path, 'do'])] : givenTo(body, path)
    const seen = new Set<string>()
    for (const [at, value] of given) {
      for (const { text, reference, place } of referencesAt(value, at)) {
        const unseen = this.#unseen(text, reference, gates, shown, seen)
        if (unseen === null) continue
        const via = unseen === text ? '' : `, which comes from ${unseen}`
        const names = gates.map((gate) => `'${gate}'`).join(' and ')
        warn(
          'effect_not_shown',
          place,
          `'${id}' acts on ${shorten(text)}${via}: the approval ${names} does not show it`,
          "add it to the approval's 'show'",
        )
      }
    }
  }

  /** A tool or job that changes something, an agent that may call one alone, and a child workflow, whose steps are opaque here. */
  #isKnownToAct(body: Body): boolean {
    if (isWorkflow(body)) return true
    const effects =
      body.uses === 'agent'
        ? actsAlone(body) && (body.tools ?? []).map((name) => this.#catalogue.tools?.get(name)?.effect)
        : [effectOf(body, this.#catalogue)]
    return effects !== false && effects.some((effect) => effect === 'write' || effect === 'once')
  }

  #shownBy(gate: string): string[] {
    const step = this.#graph.steps.get(gate)
    return step?.uses === 'approve' ? [...referencesIn(step.show ?? {}), ...referencesIn(step.message ?? null)].map(textOf) : []
  }

  /**
   * The first value behind a reference that approvers could have been shown and were not; null where there is none. What comes from
   * a step after the approval is followed to what that step was given.
   */
  #unseen(text: string, reference: Reference, gates: readonly string[], shown: ReadonlySet<string>, seen: Set<string>): string | null {
    if (covers(shown, reference)) return null
    if (reference.root === 'input') return isSecret(member(this.#spec.input ?? {}, reference.name)) ? null : text
    if (reference.root !== 'steps' || gates.includes(reference.step)) return null
    if (gates.some((gate) => this.#graph.ancestors.get(gate)?.has(reference.step))) return text
    if (seen.has(reference.step)) return null
    seen.add(reference.step)
    for (const inner of this.#referencesOf(reference.step)) {
      const unseen = this.#followed++ > FOLLOWED ? null : this.#unseen(textOf(inner), inner, gates, shown, seen)
      if (unseen !== null) return unseen
    }
    return null
  }

  #referencesOf(id: string): readonly Reference[] {
    const references = this.#references.get(id) ?? referencesIn(this.#graph.steps.get(id) as unknown as Json)
    this.#references.set(id, references)
    return references
  }
}

/** What a call is given, by the fields it stands in. Not its compensation: that undoes this call, whose values were shown. */
function givenTo(body: Body, path: Path): [Path, Json][] {
  if (body.uses !== 'agent') return [[[...path, 'with'], body.with ?? {}]]
  return [
    [[...path, 'goal'], body.goal],
    [[...path, 'context'], body.context ?? null],
  ]
}

/** Whether a reference, or something it is part of, is among those shown. */
function covers(shown: ReadonlySet<string>, reference: Reference): boolean {
  const path = 'path' in reference ? reference.path : []
  for (let length = path.length; length >= 0; length--) {
    if (shown.has(textOf('path' in reference ? { ...reference, path: path.slice(0, length) } : reference))) return true
  }
  return false
}

function textOf(reference: Reference): string {
  const path = 'path' in reference ? reference.path : []
  const head = { input: 'input', steps: 'steps', run: 'run', principal: 'principal', item: 'item', index: 'index' }[reference.root]
  const name =
    reference.root === 'input'
      ? [reference.name]
      : reference.root === 'steps'
        ? [reference.step, 'output']
        : 'field' in reference
          ? [reference.field]
          : []
  return `\${${[head, ...name, ...path].join('.')}}`
}

function isSecret(field: Json | Field | undefined): boolean {
  return JSON.stringify(field ?? null).includes('"secret":true')
}

function referencesAt(value: Json, place: Path): { text: string; reference: Reference; place: Path }[] {
  if (typeof value === 'string') {
    const reference = parseReference(value)
    return reference === null ? [] : [{ text: value, reference, place }]
  }
  if (Array.isArray(value)) return value.flatMap((item, i) => referencesAt(item, [...place, i]))
  return typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => referencesAt(inner, [...place, key]))
    : []
}
