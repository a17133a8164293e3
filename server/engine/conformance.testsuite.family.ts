import type { RunCase } from '@/spec/conformance/reference-runner'
import type { Bench, SeenRun } from './conformance.testsuite.bench'

/** The run that a case starts and its children, by what stands before the labels of their steps: '' or `sub>`. */
export class Family {
  readonly #names = new Map<string, string>()
  #members = new Map<string, SeenRun>()

  constructor(
    private readonly bench: Bench,
    private readonly test: RunCase,
  ) {}

  /** What the store calls a person or team of the case. */
  idOf(name: string): string {
    const id = this.bench.idOf?.(name) ?? name
    this.#names.set(id, name)
    return id
  }

  /** Ids as cases write them. */
  readable<T>(value: T): T {
    const names = new Map(this.#names)
    for (const [prefix, { id }] of this.#members) names.set(id, prefix === '' ? 'RUN' : `RUN>${prefix.slice(0, -1)}`)
    const text = [...names].reduce((so, [id, name]) => so.replaceAll(id, name), JSON.stringify(value))
    return JSON.parse(text) as T
  }

  /** Reads the run that was started, and all below it, as they are now. */
  async look(rootId: string): Promise<void> {
    const family = new Map<string, SeenRun>()
    const open = [{ prefix: '', id: rootId }]
    for (const { prefix, id } of open) {
      const run = await this.bench.run(id)
      family.set(prefix, run)
      for (const [stepId, step] of run.steps) {
        const places = [{ label: stepId, child: step.child }, ...step.items.map(({ child }, i) => ({ label: `${stepId}:${i}`, child }))]
        for (const { label, child } of places) if (child !== null) open.push({ prefix: `${prefix}${label}>`, id: child })
      }
    }
    this.#members = family
  }

  get members(): ReadonlyMap<string, SeenRun> {
    return this.#members
  }

  member(prefix: string): SeenRun {
    const run = this.#members.get(prefix)
    if (!run) throw new Error(`there is no run '${prefix}'`)
    return run
  }

  prefixOf(runId: string): string {
    return [...this.#members].find(([, { id }]) => id === runId)?.[0] ?? ''
  }

  /** The run in which a label stands, and the label in that run. */
  placeOf(label: string): { runId: string; label: string } {
    const at = label.lastIndexOf('>') + 1
    return { runId: this.member(label.slice(0, at)).id, label: label.slice(at) }
  }

  /** A step without a row has not been decided: one of a child is listed where the case asks for it. */
  states(): Record<string, string> {
    const states: Record<string, string> = {}
    for (const { id } of this.test.spec.steps) states[id] = 'pending'
    for (const { steps = {} } of this.test.expect.trace) {
      for (const label of Object.keys(steps)) if (this.#members.has(label.slice(0, label.lastIndexOf('>') + 1))) states[label] = 'pending'
    }
    for (const [prefix, run] of this.#members) {
      states[prefix] = run.status
      for (const [id, { status, items }] of run.steps) {
        states[prefix + id] = status
        items.forEach((item, i) => (states[`${prefix}${id}:${i}`] = item.status))
      }
    }
    return states
  }
}
