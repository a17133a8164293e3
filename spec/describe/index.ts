import { type Conditions, conditionsOf, differs, isGuarded, same, turnsOff, type Way, waysWithout } from '../conditions'
import type { WorkflowSpec } from '../document'
import { compileGraph, type Graph } from '../graph'
import { portsOf, type Step } from '../kinds'
import type { ChoiceStep } from '../kinds/choice'
import { RETRY_DEFAULTS } from '../schema'
import { isNamed } from './branches'
import { effectOf, shortWords, tell, type Told } from './kinds'
import { capital, headline, type Names, plain, Speech } from './speech'
import { conditionWords, Starts } from './start'

export type { Names } from './speech'

/** One step in plain words, and below it what happens only on one of its ways, or for each item of a map. */
export interface DescribedStep {
  /** The step's id; what a map does for each item has the map's. */
  step: string
  /** Begins with the step's title, else its id. */
  sentence: string
  details: string[]
  children: { label: string; steps: DescribedStep[] }[]
}

/** A workflow in plain words. */
export interface Description {
  /** The language it is in: of the one asked for, else English. */
  lang: string
  title: string
  notes: string[]
  steps: DescribedStep[]
}

/**
 * A valid document in plain words: one sentence a step in the order of the run, nested under branches, failures and maps. It says
 * what is read, what changes the world, who is asked and until when, what happens without asking, what is tried again and undone. Only the
 * document's own literals appear in it, never what a run works on.
 */
export function describe(spec: WorkflowSpec, names: Names = {}, locale = 'en'): Description {
  const speech = new Speech(spec, names, locale)
  return {
    lang: speech.messages.lang,
    title: headline(spec.title) || spec.slug,
    notes: notesOf(speech),
    steps: new Teller(speech).steps(),
  }
}

/** Levels that a text shows by indenting. What is nested deeper would be mostly white space, and megabytes of it. */
const DEEPEST = 10

/** A description as indented text, for a terminal. */
export function describeText({ title, notes, steps }: Description): string {
  const lines = (list: readonly DescribedStep[], above: readonly number[], from = 1): string[] =>
    list.flatMap((step, i) => {
      const own = [...above.slice(-DEEPEST), from + i]
      const indent = '      '.repeat(Math.min(above.length, DEEPEST))
      const below = `${indent}   `
      const nested = step.children.flatMap(({ label, steps: inner }, at) => {
        const before = step.children.slice(0, at).reduce((sum, child) => sum + child.steps.length, 0)
        return [`${below}${label}`, ...lines(inner, own, before + 1)]
      })
      const number = `${above.length > DEEPEST ? '…' : ''}${own.join('.')}.`
      return [`${indent}${number} ${step.sentence}`, ...step.details.map((detail) => `${below}- ${detail}`), ...nested]
    })
  return `${[title, '', ...notes, ...(notes.length > 0 ? [''] : []), ...lines(steps, [])].join('\n')}\n`
}

/** What a step is, in a word or two, as a diagram says it. */
export function stepWords(step: Step, names: Names = {}, locale = 'en'): string {
  return shortWords(step, new Speech({ spec: 1, slug: '', title: '', steps: [step] }, names, locale))
}

/** Words for a way to a step, as a condition: "Amount is at most 500"; empty for a way that is always open. */
export function wayWords(graph: Graph, way: Way, speech: Speech): string {
  return speech.some([...way].map(([step, port]) => conditionWords(graph, step, new Set([port]), speech)))
}

/** The ways without the parts that are known: a turn that was taken for sure, or all of those of which one was taken for sure. */
function leaveKnown(ways: readonly Way[], known: Conditions): Way[] {
  let left = ways.map((way) => new Map(way))
  for (const [step, ports] of known) {
    const dropped = left.filter(
      (way) =>
        way.has(step) &&
        [...ports].every((port) => way.get(step) === port || left.some((other) => other.get(step) === port && differs(other, way, step))),
    )
    for (const way of dropped) way.delete(step)
    if (dropped.length > 0) left = left.filter((way, i) => !left.slice(0, i).some((other) => same(other, way)))
  }
  return left
}

/** A quoted sentence that has its full stop needs no second one. */
const oneStop = (sentence: string) => sentence.replace(/([.!?…]”)\.$/, '$1')

function notesOf(speech: Speech): string[] {
  const { messages, spec } = speech
  const inputs = Object.entries(spec.input ?? {}).map(([name, field]) => {
    const words = speech.field(name, field)
    return (field.required ?? true) && field.default === undefined ? words : messages.optionalInput(words)
  })
  const output = Object.keys(spec.output ?? {})
  const calls = spec.steps.map((step) => ('do' in step ? step.do : step)).filter(({ uses }) => /^(tool:|job:|agent$)/.test(uses))
  const usual = calls.some((call) => !('retry' in call) || call.retry?.max_attempts === undefined)
  return [
    ...(inputs.length > 0 ? [messages.startedWith(speech.some(inputs))] : []),
    ...(usual ? [messages.usualRetries(speech.number(RETRY_DEFAULTS.max_attempts))] : []),
    messages.failureStops,
    ...(output.length > 0 ? [messages.result(speech.some(output.map((name) => speech.quoted(plain(name)))))] : []),
  ]
}

interface Group {
  ports: ReadonlySet<string>
  steps: string[]
}

/** Tells the steps of one document, each once. */
class Teller {
  readonly #speech: Speech
  readonly #graph: Graph
  readonly #conditions: ReadonlyMap<string, Conditions>
  readonly #starts: Starts
  /** How each step is reached without anybody's approval. */
  readonly #unasked: ReadonlyMap<string, readonly Way[] | null>
  readonly #top: string[] = []
  readonly #groups = new Map<string, Map<string, Group>>()
  readonly #place = new Map<string, number>()

  constructor(speech: Speech) {
    this.#speech = speech
    this.#graph = compileGraph(speech.spec)
    this.#conditions = conditionsOf(this.#graph)
    this.#starts = new Starts(this.#graph, this.#conditions, speech)
    this.#unasked = waysWithout(this.#graph)
    for (const [i, id] of this.#graph.order.entries()) {
      this.#place.set(id, i)
      this.#group(id)
    }
  }

  steps(): DescribedStep[] {
    return this.#list(this.#top, null)
  }

  /** Puts a step below the last turn that it depends on. */
  #group(id: string): void {
    const { parent, ports } = this.#below(id)
    if (parent === undefined || ports === undefined) return void this.#top.push(id)
    const groups = this.#groups.get(parent) ?? new Map<string, Group>()
    this.#groups.set(parent, groups)
    const key = [...ports].sort().join()
    const group = groups.get(key) ?? { ports, steps: [] }
    groups.set(key, group)
    group.steps.push(id)
  }

  /** The last turn that a step depends on. */
  #below(id: string): { parent?: string; ports?: ReadonlySet<string> } {
    const [parent, ports] = this.#starts
      .turns(id)
      .reduce<readonly [string, ReadonlySet<string>] | []>(
        (last, turn) => (last.length === 0 || (this.#place.get(turn[0]) ?? 0) > (this.#place.get(last[0]) ?? 0) ? turn : last),
        [],
      )
    return parent === undefined || ports === undefined ? {} : { parent, ports }
  }

  #list(ids: readonly string[], parent: string | null): DescribedStep[] {
    // What happens on another of its turns stands above as well, and may have to come first.
    const before = new Set(parent === null ? [] : [parent])
    return ids.map((id, i) => {
      const told = this.#step(id, this.#orderWords(id, i === 0 && parent === null ? null : before))
      before.clear()
      this.#collect(id, before)
      return told
    })
  }

  /** A step and all that is nested below it. */
  #collect(id: string, into: Set<string>): void {
    into.add(id)
    for (const { steps } of this.#groups.get(id)?.values() ?? []) for (const nested of steps) this.#collect(nested, into)
  }

  /** Where a step does not simply follow what is written above it, what it follows. `before`: the step above with all below it; null: none. */
  #orderWords(id: string, before: ReadonlySet<string> | null): string[] {
    const { messages } = this.#speech
    const entries = this.#graph.entries.get(id) ?? []
    if (entries.length === 0) return before === null ? [] : [messages.startsAtOnce]
    if ((before !== null && entries.every(({ step }) => before.has(step))) || this.#starts.join(id) !== null) return []
    return [messages.comesAfter(this.#speech.some([...new Set(entries.map(({ step }) => this.#speech.step(step)))]))]
  }

  #step(id: string, order: string[]): DescribedStep {
    const step = this.#graph.steps.get(id)
    if (step === undefined) throw new Error(`there is no step '${id}'`)
    const told = tell(step, this.#speech)
    const { forEach, neverStarts } = this.#speech.messages
    const never = this.#starts.never(id)
    const needed = this.#needed(step)
    const asked = never ? [] : this.#askedWords(step, needed)
    const when = never
      ? [neverStarts]
      : [...order, ...this.#starts.words(id, this.#below(id).parent, new Set(needed)), ...this.#joinWords(step)]
    const each =
      told.each === undefined
        ? []
        : [{ label: `${forEach}:`, steps: [this.#told(step, { ...told.each, details: [...asked, ...told.each.details] }, [])] }]
    const details = [...when, ...(told.each === undefined ? asked : []), ...told.details, ...(never ? [] : this.#endWords(step))]
    return this.#told(step, { text: told.text, details }, [...each, ...(never ? [] : this.#ways(step))], this.#speech.title(id))
  }

  #told(step: Step, { text, details }: Told, children: DescribedStep['children'], title?: string): DescribedStep {
    const head = title === undefined ? null : capital(title)
    const sentence = head === null ? `${capital(text)}.` : /[.!?:…]$/.test(head) ? `${head} ${capital(text)}.` : `${head}: ${text}.`
    return { step: step.id, sentence: oneStop(sentence), details: details.map(oneStop), children }
  }

  /** How one of several entries is enough, unless what is said of approvals says just that. */
  #joinWords(step: Step): string[] {
    const join = this.#starts.join(step.id)
    if (join === null) return []
    if ('either' in join) return [join.either]
    const { messages } = this.#speech
    // Ways are told of only where somebody might have been asked.
    const isAsked = effectOf(step, this.#speech) !== 'read' && this.#gatesAbove(step.id).length > 0
    const ways = isAsked ? (this.#unasked.get(step.id) ?? null) : null
    const around = leaveKnown(ways ?? [], this.#conditions.get(step.id) ?? new Map()).map((way) => wayWords(this.#graph, way, this.#speech))
    const approved = this.#approving(step.id).map((gate) => messages.portTaken.approved(this.#speech.step(gate)))
    const isTold = around.length > 0 && new Set(join.oneOf).symmetricDifference(new Set([...around, ...approved])).size === 0
    return isTold ? [] : [messages.startsIf(this.#speech.some(join.oneOf, 'disjunction'))]
  }

  /** The gates whose approval something that changes something surely needs. */
  #needed(step: Step): string[] {
    const conditions = this.#conditions.get(step.id)
    if (effectOf(step, this.#speech) === 'read') return []
    return this.#gatesAbove(step.id).filter((gate) => isGuarded(conditions, gate))
  }

  #gatesAbove(id: string): string[] {
    const above = this.#graph.ancestors.get(id)
    return this.#graph.order.filter((one) => above?.has(one) && this.#graph.steps.get(one)?.uses === 'approve')
  }

  /** Before something changes: whose approval it needs, or when it needs none. */
  #askedWords(step: Step, needed: readonly string[]): string[] {
    const { messages } = this.#speech
    if (effectOf(step, this.#speech) === 'read') return []
    const gates = this.#gatesAbove(step.id)
    if (gates.length === 0) return [messages.asksNobody]
    if (needed.length > 0) return [messages.onlyAfterApproval(this.#speech.some(needed.map((gate) => this.#speech.step(gate))))]
    const ways = this.#unasked.get(step.id) ?? null
    const approving = this.#speech.some(
      this.#approving(step.id).map((gate) => this.#speech.step(gate)),
      'disjunction',
    )
    if (ways?.length === 0) return [messages.onlyAfterApproval(approving)]
    const unasked = ways === null ? [messages.asksNobodySometimes] : this.#unaskedWords(step.id, ways, gates)
    const isAlways = unasked.includes(messages.asksNobody) || unasked.includes(messages.notApproved)
    return isAlways || approving === '' ? unasked : [...unasked, messages.otherwiseApproved(approving)]
  }

  /** The gates before a step through whose approval some way leads to it. */
  #approving(id: string): string[] {
    const above = this.#graph.ancestors.get(id)
    const leads = (gate: string) =>
      (this.#graph.followers.get(gate) ?? []).some(({ step, port }) => port === 'approved' && (step === id || above?.has(step)))
    return this.#gatesAbove(id).filter(leads)
  }

  /** The ways to a step on which nobody approved it. */
  #unaskedWords(id: string, ways: readonly Way[], gates: readonly string[]): string[] {
    const { messages } = this.#speech
    const conditions = this.#conditions.get(id)
    return leaveKnown(ways, conditions ?? new Map()).map((way) => {
      const words = wayWords(this.#graph, way, this.#speech)
      // Somebody was asked where a rejection, or nobody's answer, leads here.
      const wasAsked = gates.some((gate) => way.has(gate) || conditions?.has(gate))
      if (words === '') return wasAsked ? messages.notApproved : messages.asksNobody
      return wasAsked ? messages.notApprovedIf(words) : messages.asksNobodyIf(words)
    })
  }

  /** What ends a run at an approval. */
  #endWords(step: Step): string[] {
    if (step.uses !== 'approve') return []
    const { messages } = this.#speech
    const followed = this.#graph.followedPorts.get(step.id)
    const [no, late] = [followed?.has('rejected'), followed?.has('expired')]
    if (no && late) return []
    return [no ? messages.expiredEnds : late ? messages.rejectedEnds : messages.noEnds]
  }

  /** What happens on each of a step's turns: the steps below it, or where it goes on. */
  #ways(step: Step): DescribedStep['children'] {
    const { messages } = this.#speech
    const groups = [...(this.#groups.get(step.id)?.values() ?? [])]
    const followers = this.#graph.followers.get(step.id) ?? []
    const ports = portsOf(step).filter((port) => turnsOff(this.#graph, { step: step.id, port }))
    return ports.flatMap((port) => {
      const own = groups.filter((group) => ports.findLast((one) => group.ports.has(one)) === port)
      const nested = own.map((group) => ({ label: `${this.#label(step, group.ports)}:`, steps: this.#list(group.steps, step.id) }))
      if (groups.some((group) => group.ports.has(port))) return nested
      const next = [...new Set(followers.filter((entry) => entry.port === port).map((entry) => this.#speech.step(entry.step)))]
      const label = this.#label(step, new Set([port]))
      if (next.length > 0) return [{ label: `${messages.goesOn(label, this.#speech.some(next))}.`, steps: [] }]
      return step.uses === 'choice' ? [{ label: `${messages.endsHere(label)}.`, steps: [] }] : []
    })
  }

  #label(step: Step, ports: ReadonlySet<string>): string {
    const { messages } = this.#speech
    const [port = ''] = ports
    if (step.uses !== 'choice') {
      const words = [...ports].map((one) => messages.ifPort[one as keyof typeof messages.ifPort])
      return messages.if(this.#speech.list(words, 'disjunction'))
    }
    if (ports.size > 1) return messages.if(conditionWords(this.#graph, step.id, ports, this.#speech))
    const label = this.#branchLabel(step, port)
    return isNamed(step, this.#speech) ? messages.namedBranch(label, this.#speech.quoted(port)) : label
  }

  #branchLabel(step: ChoiceStep, port: string): string {
    const { messages } = this.#speech
    const at = step.branches.findIndex(({ name }) => name === port)
    const when = step.branches[at]?.when
    if (when === undefined) return at === 0 ? messages.always : messages.otherwise
    const words = messages.predicates[when.op](this.#speech.value(when.left), this.#speech.value(when.right ?? null))
    return at === 0 ? messages.if(words) : messages.elseIf(words)
  }
}
