import type { RawGraph } from './graph-check'
import { isObject, type Json, type JsonObject, member } from './json'
import { KINDS, kindNamed } from './kinds'
import type { ReferenceRules } from './kinds/kind'
import { nearest, type Path, type Report, shorten } from './problems'
import { parseReference, type Reference } from './references'
import type { ValuePosition } from './structure'

const WRITE_A_TOOL = 'a value is a literal or exactly one reference; to build a text, call a tool that does it'

/** Names that a hint lists. */
const OFFERED = 8

interface Place extends ReferenceRules {
  /** The author index of the step the value belongs to; null for the document's own values. */
  step: number | null
  /** Only `input` may be referenced (`run_title`). */
  inputOnly?: boolean
}

/** Checks every reference of a document: its form, its place, and that what it names comes before. */
export function checkReferences(document: JsonObject, positions: readonly ValuePosition[], graph: RawGraph, report: Report): void {
  const checker = new Checker(document, graph, report)
  for (const { path, value } of positions) checker.position(path, value)
}

class Checker {
  readonly #document: JsonObject
  readonly #graph: RawGraph
  readonly #report: Report

  constructor(document: JsonObject, graph: RawGraph, report: Report) {
    this.#document = document
    this.#graph = graph
    this.#report = report
  }

  position(path: Path, value: Json): void {
    const place = this.#place(path)
    if (place.only && (typeof value !== 'string' || !value.includes('${'))) {
      this.#report('reference_required', path, 'must be a reference such as ${input.amount}')
      return
    }
    this.#value(value, path, place, true)
  }

  #place(path: Path): Place {
    if (path[0] === 'run_title') return { step: null, inputOnly: true }
    const steps = this.#document.steps
    if (path[0] !== 'steps' || !Array.isArray(steps)) return { step: null }
    const step = Number(path[1])
    const raw = steps[step]
    if (!isObject(raw)) return { step }
    const kind = typeof raw.uses === 'string' ? kindNamed(raw.uses) : null
    return { step, ...(kind === null ? {} : KINDS[kind].references(path.slice(2), raw)) }
  }

  #value(value: Json, path: Path, place: Place, whole: boolean): void {
    if (typeof value === 'string') {
      if (value.includes('${')) this.#text(value, path, place, whole)
    } else if (Array.isArray(value)) {
      value.forEach((item, i) => mayRefer(item) && this.#value(item, [...path, i], place, false))
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (key.includes('${')) this.#report('reference_in_key', [...path, key], "a key must not contain '${'")
        if (mayRefer(inner)) this.#value(inner, [...path, key], place, false)
      }
    }
  }

  #text(text: string, path: Path, place: Place, whole: boolean): void {
    const reference = parseReference(text)
    if (reference === null) {
      this.#report('invalid_reference', path, `'${shorten(text)}' is not exactly one reference`, WRITE_A_TOOL)
    } else if (place.whole && !whole) {
      this.#report('reference_not_allowed', path, "'right' is one reference, or a literal with none inside")
    } else if (place.inputOnly && reference.root !== 'input') {
      this.#report('reference_not_allowed', path, "'run_title' may refer to inputs only")
    } else {
      this.#reference(reference, path, place)
    }
  }

  #reference(reference: Reference, path: Path, place: Place): void {
    if (reference.root === 'input') this.#input(reference, path, place)
    else if (reference.root === 'steps') this.#step(reference.step, path, place)
    else if ((reference.root === 'item' || reference.root === 'index') && !place.item) {
      this.#report('reference_not_allowed', path, `'\${${reference.root}}' means something inside a map's 'do' only`)
    }
  }

  #input(reference: Reference & { root: 'input' }, path: Path, place: Place): void {
    const declared = this.#document.input ?? {}
    if (!isObject(declared)) return
    const field = member(declared, reference.name)
    if (field === undefined) {
      const names = Object.keys(declared)
      const hint = () => nearest(reference.name, names) ?? inputsWords(names)
      this.#report('unknown_input', path, `there is no input '${shorten(reference.name)}'`, hint)
    } else if (!place.secret && touchesSecret(field, reference.path)) {
      this.#report('secret_not_allowed', path, `the input '${shorten(reference.name)}' is secret: only a tool's input may take it`)
    }
  }

  #step(id: string, path: Path, place: Place): void {
    const { index, ancestors } = this.#graph
    const target = index.get(id)
    if (target === undefined) {
      const hint = () => nearest(id, index.keys()) ?? this.#offer(place)
      this.#report('unknown_step', path, `there is no step '${shorten(id)}'`, hint)
    } else if (place.step === null || (target === place.step && place.self)) {
      return
    } else if (target === place.step) {
      const hint = () => this.#offer(place)
      this.#report('not_an_ancestor', path, 'a step cannot refer to its own output, except in its own compensate', hint)
    } else if ((((ancestors[place.step] ?? 0n) >> BigInt(target)) & 1n) === 0n) {
      const hint = () => `${this.#offer(place)}; or add '${id}' to 'after', of this step or of one before it`
      this.#report('not_an_ancestor', path, `'${id}' does not come before this step`, hint)
    }
  }

  /** Which steps could be referenced there, the nearest in the document first. */
  #offer(place: Place): string {
    const { index, ancestors } = this.#graph
    const above = place.step === null ? null : (ancestors[place.step] ?? 0n)
    const known = [...index].filter(([, i]) => above === null || (((above >> BigInt(i)) & 1n) === 1n && i !== place.step))
    if (known.length === 0) return 'no step comes before this one'
    const shown = known.slice(-OFFERED).map(([id]) => `'${id}'`)
    const left = known.length - shown.length
    return `what can be referenced here: ${shown.toReversed().join(', ')}${left > 0 ? ` and ${left} more` : ''}`
  }
}

/** Whether there is anything to look for in a value. */
const mayRefer = (value: Json) => typeof value === 'object' || (typeof value === 'string' && value.includes('${'))

function inputsWords(names: readonly string[]): string {
  const shown = names.slice(0, OFFERED).map((name) => `'${shorten(name)}'`)
  return names.length === 0 ? 'no input is declared' : `the inputs are ${shown.join(', ')}${names.length > shown.length ? ' …' : ''}`
}

/** Whether a path into a declared input meets a secret field, or ends above one. */
function touchesSecret(field: Json, path: readonly string[]): boolean {
  if (!isObject(field)) return false
  if (field.secret === true) return true
  const [segment, ...rest] = path
  const properties = isObject(field.properties) ? field.properties : {}
  if (segment === undefined)
    return Object.values(properties).some((inner) => touchesSecret(inner, [])) || touchesSecret(field.items ?? null, [])
  return touchesSecret(field.type === 'array' ? (field.items ?? null) : (member(properties, segment) ?? null), rest)
}
