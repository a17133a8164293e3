import { kindOf, portsOf, retryOf, type Step, timeoutSecondsOf, type WorkflowSpec } from '..'
import { splitEntry } from '../graph'
import { Random } from './random'

export interface Mutation {
  /** May be invalid. */
  after: WorkflowSpec
  /** The ids of exactly the steps that were added, removed, or changed in their fields or their `after`. */
  touched: string[]
}

type Loose = Record<string, unknown>

/**
 * Changes a valid document in one to four places: steps added, removed, changed, rewired or broken, or only what is said of the whole.
 * No step is touched twice, so that no change undoes another, and no change writes what is meant anyway (a default).
 */
export function mutate(spec: WorkflowSpec, seed: number): Mutation {
  const mutator = new Mutator(structuredClone(spec), new Random(seed))
  return mutator.run()
}

class Mutator {
  readonly #spec: WorkflowSpec
  readonly #random: Random
  readonly #touched = new Set<string>()

  constructor(spec: WorkflowSpec, random: Random) {
    this.#spec = spec
    this.#random = random
  }

  run(): Mutation {
    const count = 1 + this.#random.below(4)
    for (let i = 0; i < count; i++) {
      const how = this.#random.pick(['change', 'change', 'change', 'rewire', 'rewire', 'add', 'add', 'remove', 'remove', 'whole', 'break'])
      const step = this.#untouched()
      if (how === 'add') this.#add(i)
      else if (how === 'whole' || step === undefined) this.#spec.title = `Changed ${i}`
      else if (how === 'change') this.#change(step)
      else if (how === 'rewire') this.#rewire(step)
      else if (how === 'remove') this.#remove(step)
      else {
        this.#break(step)
        // Nothing can be built on a broken step.
        break
      }
    }
    return { after: this.#spec, touched: [...this.#touched].sort() }
  }

  #untouched(): Step | undefined {
    const steps = this.#spec.steps.filter(({ id }) => !this.#touched.has(id))
    return steps.length === 0 ? undefined : this.#random.pick(steps)
  }

  #add(i: number): void {
    const id = `added_${i}`
    const before = this.#random.pick(this.#spec.steps)
    const after = this.#random.below(3) === 0 ? [] : [`${before.id}.${this.#random.pick(portsOf(before))}`]
    const bodies = [{ uses: 'tool:test.read' }, { uses: 'wait', seconds: 5 }, { uses: 'approve', role: 'manager' }]
    const at = this.#random.below(this.#spec.steps.length + 1)
    this.#spec.steps.splice(at, 0, { id, after, ...this.#random.pick(bodies) } as Step)
    this.#touched.add(id)
  }

  /** Whoever waits for the step waits for it no more, which touches them; a reference to it makes the document invalid. */
  #remove(step: Step): void {
    const followers = this.#spec.steps.filter((other) => other.after.some((entry) => splitEntry(entry).id === step.id))
    if (this.#spec.steps.length === 1 || followers.some(({ id }) => this.#touched.has(id))) return
    this.#spec.steps.splice(this.#spec.steps.indexOf(step), 1)
    this.#touched.add(step.id)
    for (const follower of followers) {
      follower.after = follower.after.filter((entry) => splitEntry(entry).id !== step.id)
      if (follower.after.length === 0) delete follower.join
      this.#touched.add(follower.id)
    }
  }

  #change(step: Step): void {
    const loose = step as unknown as Loose
    const common = [() => (loose.title = `${step.title ?? ''} changed`), () => (loose.description = `${step.description ?? ''} changed`)]
    this.#random.pick([...common, ...this.#ownChanges(step, loose)])()
    this.#touched.add(step.id)
  }

  #ownChanges(step: Step, loose: Loose): (() => unknown)[] {
    const kind = kindOf(step)
    switch (kind) {
      case 'approve':
        return [
          () => (loose.role = 'director'),
          () => (loose.ttl_seconds = 2000),
          () => (loose.show = { ...(loose.show as object | undefined), extra: 1 }),
        ]
      case 'wait':
        return [() => this.#replace(loose, { seconds: 5000 }, ['until'])]
      case 'map': {
        const body = loose.do as Loose
        return [
          () => (loose.tolerate = 7),
          () => (loose.over = ['other']),
          () => this.#replace(body, { compensate: { uses: 'tool:other' } }),
        ]
      }
      case 'choice':
        return [() => (loose.branches as unknown[]).unshift({ name: 'added', when: { left: '${run.id}', op: 'exists' } })]
      case 'workflow':
        return [() => (loose.uses = 'workflow:other'), () => (loose.with = { other: true })]
      default: {
        const call = step as { uses: string; retry?: object; timeout_seconds?: number }
        return [
          () => (loose.retry = { ...call.retry, max_attempts: retryOf(call).maxAttempts + 1 }),
          () => (loose.timeout_seconds = timeoutSecondsOf(call) + 1),
          () => (kind === 'agent' ? (loose.goal = { other: true }) : (loose.with = { other: true })),
        ]
      }
    }
  }

  #rewire(step: Step): void {
    const { after } = step
    const other = this.#random.pick(this.#spec.steps)
    const how = this.#random.below(3)
    if (how === 0 && after.length > 0) after.splice(this.#random.below(after.length), 1)
    else if (how === 1 && after.length > 1) step.join = step.join === 'any' ? 'all' : 'any'
    else if (after.some((entry) => splitEntry(entry).id === other.id)) return
    else after.push(`${other.id}.${this.#random.pick(portsOf(other))}`)
    if (after.length === 0) delete step.join
    this.#touched.add(step.id)
  }

  /** What no valid document has. */
  #break(step: Step): void {
    const loose = step as unknown as Loose
    const broken: Loose[] = [
      { surprise: 1 },
      { after: ['nobody'] },
      { after: 'nobody' },
      { after: [step.id] },
      { uses: 'event' },
      { uses: null },
      { title: 1 },
      { join: 'first' },
      { retry: { max_attempts: 0 } },
      { timeout_seconds: 1e9 },
      { with: { deep: nested(17) } },
      { with: { text: 'a ${run.id}' } },
      { compensate: {} },
      { do: { uses: 'choice' } },
    ]
    this.#replace(loose, this.#random.pick(broken))
    this.#touched.add(step.id)
  }

  #replace(loose: Loose, members: Loose, drop: string[] = []): void {
    for (const name of drop) delete loose[name]
    Object.assign(loose, members)
  }
}

function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)]
}
