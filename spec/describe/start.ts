import { type Conditions, goesOnBy, neverHold, turnsOff } from '../conditions'
import type { Entry, Graph } from '../graph'
import { portsOf, type Step } from '../kinds'
import { branchesWords } from './branches'
import type { Speech } from './speech'

/** Conditions that are told in a sentence each. */
const TURNS_LISTED = 6

/** A join of `any`: conditions of which one is enough, or a sentence that says that it starts either way. */
type Join = { oneOf: string[] } | { either: string }

type Turn = [step: string, ports: ReadonlySet<string>]

/** Words for one of these ports of a step being taken, as a condition. */
export function conditionWords(graph: Graph, id: string, ports: ReadonlySet<string>, speech: Speech): string {
  const step = graph.steps.get(id)
  if (step?.uses === 'choice') return branchesWords(step, ports, speech)
  const words = [...ports].map((port) => speech.messages.portTaken[port as keyof typeof speech.messages.portTaken](speech.step(id)))
  return speech.some(words, 'disjunction')
}

/** When each step of one document starts, in words from which a reader can tell exactly that. */
export class Starts {
  readonly #graph: Graph
  readonly #conditions: ReadonlyMap<string, Conditions>
  readonly #speech: Speech
  /** The steps that start in every run that goes on past them. */
  readonly #sure = new Set<string>()
  readonly #turns = new Map<string, readonly Turn[]>()
  readonly #joins = new Map<string, Join | null>()

  constructor(graph: Graph, conditions: ReadonlyMap<string, Conditions>, speech: Speech) {
    this.#graph = graph
    this.#conditions = conditions
    this.#speech = speech
    for (const id of graph.order) if (this.#isSure(id)) this.#sure.add(id)
  }

  /** The turns below which a step may stand: branches, failures, rejections, expiries. */
  turns(id: string): Turn[] {
    return this.#depends(id).filter(([step, ports]) => [...ports].every((port) => turnsOff(this.#graph, { step, port })))
  }

  /** Whether no run starts it. */
  never(id: string): boolean {
    return neverHold(this.#conditions.get(id))
  }

  /** What it starts only after, as far as that is not told by standing below `parent`. `asked`: gates of which it is said that it needs them. */
  words(id: string, parent: string | undefined, asked: ReadonlySet<string>): string[] {
    const implied = parent === undefined ? undefined : this.#conditions.get(parent)
    const conditions = this.#depends(id).flatMap(([step, ports]) =>
      step === parent || implied?.get(step)?.isSubsetOf(ports) || asked.has(step)
        ? []
        : [conditionWords(this.#graph, step, ports, this.#speech)],
    )
    const { onlyIf } = this.#speech.messages
    return conditions.length > TURNS_LISTED ? [onlyIf(this.#speech.some(conditions))] : conditions.map((words) => onlyIf(words))
  }

  /** Where one of several entries is enough: what each of them asks for, or that it starts either way; null where that is told already. */
  join(id: string): Join | null {
    const known = this.#joins.get(id)
    if (known !== undefined) return known
    const join = this.#joinOf(id)
    this.#joins.set(id, join)
    return join
  }

  /** What has to have happened and need not: a port beside which the run could also go on, and a step whose join may not start it. */
  #depends(id: string): readonly Turn[] {
    const known = this.#turns.get(id)
    if (known !== undefined) return known
    const conditions = this.never(id) ? [] : (this.#conditions.get(id) ?? [])
    const turns = [...conditions].filter(
      ([step, ports]) => !goesOnBy(this.#graph, step).isSubsetOf(ports) || (!this.#sure.has(step) && this.join(step) !== null),
    )
    this.#turns.set(id, turns)
    return turns
  }

  #isSure(id: string): boolean {
    const entries = this.#graph.entries.get(id) ?? []
    const taken = ({ step }: Entry) => this.#sure.has(step) && goesOnBy(this.#graph, step).isSubsetOf(portsFrom(entries, step))
    return entries.length === 0 || (this.#graph.join.get(id) === 'any' ? entries.some(taken) : entries.every(taken))
  }

  #joinOf(id: string): Join | null {
    const entries = this.#graph.entries.get(id) ?? []
    if (entries.length < 2 || this.#graph.join.get(id) !== 'any') return null
    const conditions = this.#conditions.get(id)
    const isNeeded = ({ step, port }: Entry) => {
      const ports = conditions?.get(step) ?? (this.#sure.has(step) ? goesOnBy(this.#graph, step) : undefined)
      return ports?.size === 1 && ports.has(port)
    }
    // None is enough alone: the run goes on past none of them in another way.
    if (entries.every(isNeeded)) return null
    const { messages } = this.#speech
    const steps = [...new Set(entries.map(({ step }) => step))]
    const [first = ''] = steps
    const isAll = (step: string) => portsFrom(entries, step).size === portsOf(this.#graph.steps.get(step) as Step).length
    if (steps.length === 1 && isAll(first)) return { either: messages.startsEitherWay[this.#kind(first)](this.#speech.step(first)) }
    // It depends on that, and may stand below it.
    if (steps.length === 1 && !goesOnBy(this.#graph, first).isSubsetOf(portsFrom(entries, first))) return null
    const words = steps.flatMap((step) => {
      if (portsOf(this.#graph.steps.get(step) as Step).length > 1 && isAll(step))
        return [messages.eitherWay[this.#kind(step)](this.#speech.step(step))]
      const ports = portsFrom(entries, step)
      const parts = this.#kind(step) === 'choice' ? [ports] : [...ports].map((port) => new Set([port]))
      return parts.map((part) => conditionWords(this.#graph, step, part, this.#speech))
    })
    return { oneOf: [...new Set(words)] }
  }

  #kind(id: string): 'choice' | 'approve' | 'call' {
    const uses = this.#graph.steps.get(id)?.uses
    return uses === 'choice' || uses === 'approve' ? uses : 'call'
  }
}

const portsFrom = (entries: readonly Entry[], step: string) =>
  new Set(entries.filter((entry) => entry.step === step).map(({ port }) => port))
