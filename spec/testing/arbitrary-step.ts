import type { Field, Fields, Json, StepKind } from '..'
import type { Random } from './random'

/** What steps are made of. */
export interface Parts {
  literals: readonly Json[]
  tools: readonly string[]
  kinds: readonly StepKind[]
  /** Whether inputs and forms may ask for secrets. */
  secrets: boolean
  workflows: readonly string[]
}

const CALLS: readonly StepKind[] = ['tool', 'job', 'agent', 'workflow']

/** Makes the bodies of steps: all but `id`, `after` and `join`. Every one is valid where its step stands after `ancestors`. */
export class Bodies {
  readonly #random: Random
  readonly #parts: Parts

  constructor(random: Random, parts: Parts) {
    this.#random = random
    this.#parts = parts
  }

  body(self: string, ancestors: string[]): Record<string, unknown> {
    const { kinds } = this.#parts
    const kind = this.#random.pick(kinds.includes('tool') ? (['tool', 'tool', ...kinds] as const) : kinds)
    switch (kind) {
      case 'choice':
        return { uses: 'choice', branches: this.#branches(ancestors) }
      case 'map':
        return this.#map(self, ancestors)
      case 'approve':
        return this.#approve(ancestors)
      case 'wait':
        return this.#wait(ancestors)
      default:
        return this.#call(kind, self, ancestors, [])
    }
  }

  /** A literal, or a reference to what stands before. */
  value(ancestors: string[], also: string[] = []): Json {
    const { below, pick } = bound(this.#random)
    return below(2) === 0 ? pick([...also, ...this.#references(ancestors)]) : pick(this.#parts.literals)
  }

  /** Fields as inputs, forms and answers have them; `plain`: neither defaults nor secrets. */
  fields(plain: boolean, depth = 0): Fields {
    const count = 1 + this.#random.below(3)
    return Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${count - i}`, this.#field(plain, depth)]))
  }

  #map(self: string, ancestors: string[]): Record<string, unknown> {
    const { below, maybe, pick, some } = bound(this.#random)
    const calls = CALLS.filter((kind) => this.#parts.kinds.includes(kind))
    return {
      uses: 'map',
      over: pick<Json>(['${input.list}', some(this.#parts.literals, 4)]),
      do: this.#call(calls.length === 0 ? 'tool' : pick(calls), self, ancestors, ['${item}', '${item.x.0}', '${index}']),
      ...maybe({ concurrency: 1 + below(100), tolerate: below(3) }),
    }
  }

  #approve(ancestors: string[]): Record<string, unknown> {
    const { below, maybe } = bound(this.#random)
    const approvals = below(4)
    return {
      uses: 'approve',
      role: 'manager',
      ...maybe({ channels: ['web', 'email'], show: { zeta: this.value(ancestors), alpha: this.value(ancestors) } }),
      ...maybe({ message: this.value(ancestors), ttl_seconds: 60 + below(1000) }),
      ...(approvals === 0 ? {} : { approvals }),
      ...(approvals < 2 ? maybe({ form: this.fields(false), require_sign_in: below(2) === 1 }) : {}),
      ...maybe({ self_approval: below(2) === 1, remind_after_seconds: 3600 + below(1000) }),
    }
  }

  #wait(ancestors: string[]): Record<string, unknown> {
    const { below, pick } = bound(this.#random)
    const reference = pick(this.#references(ancestors))
    return {
      uses: 'wait',
      ...pick([{ seconds: below(1000) }, { seconds: reference }, { until: '2027-03-01T09:00:00+01:00' }, { until: reference }]),
    }
  }

  #call(kind: StepKind, self: string, ancestors: string[], also: string[]): Record<string, unknown> {
    const { below, maybe, pick, some } = bound(this.#random)
    const { tools, workflows } = this.#parts
    const value = () => this.value(ancestors, also)
    const given = maybe({ with: { zeta: value(), '10': value(), '9': value(), nested: { alpha: [value()] } } })
    const undo = maybe({ compensate: { uses: `tool:${pick(tools)}`, with: { undo: this.value([...ancestors, self], also) } } })
    if (kind === 'workflow') return { uses: `workflow:${pick(workflows)}`, ...(below(8) === 7 ? given : this.#inputs()), ...undo }
    const attempts = {
      ...maybe({ retry: { max_attempts: 1 + below(5), base_seconds: below(3) } }),
      ...maybe({ timeout_seconds: 1 + below(300) }),
      ...undo,
    }
    if (kind === 'job') return { uses: pick(['job:train', 'job:export.all']), ...given, ...attempts }
    if (kind !== 'agent') return { uses: `tool:${pick(tools)}`, ...given, ...attempts }
    return {
      uses: 'agent',
      goal: value(),
      ...maybe({ context: value(), tools: some(tools, 3) }),
      ...maybe({ unattended: below(2) === 1, max_turns: pick([1, 2, 3, 50]) }),
      ...maybe({ output: this.fields(true) }),
      ...attempts,
    }
  }

  /** What the documents that are made here take. */
  #inputs(): { with: Record<string, Json> } {
    const { below, maybe } = bound(this.#random)
    return { with: { amount: below(9), ...maybe({ list: '${input.list}' }), ...maybe({ flag: '${input.flag}' }) } }
  }

  #branches(ancestors: string[]): Json {
    const { below, pick } = bound(this.#random)
    const count = 1 + below(3)
    return Array.from({ length: count }, (_, i): Json => {
      const name = `b${i}`
      if (i === count - 1 && below(4) < 3) return { name }
      const op = pick(['eq', 'ne', 'lt', 'gt', 'contains', 'exists', 'empty'])
      const left = pick(this.#references(ancestors))
      return { name, when: { left, op, ...(op === 'exists' || op === 'empty' ? {} : { right: below(7) - 3 }) } }
    })
  }

  #field(plain: boolean, depth: number): Field {
    const { below, maybe, pick } = bound(this.#random)
    const words = maybe({ title: 'A title', description: 'What it is', required: below(2) === 1 })
    const types = ['string', 'number', 'integer', 'boolean', ...(depth < 2 ? (['array', 'object'] as const) : [])] as const
    switch (pick(types)) {
      case 'string':
        if (!plain && this.#parts.secrets && below(4) === 3) return { type: 'string', ...words, secret: true }
        return pick<Field>([
          { type: 'string', ...words, ...maybe({ min_length: below(3), max_length: 3 + below(20) }) },
          { type: 'string', ...words, enum: ['__proto__', 'b', ''], ...(plain ? {} : maybe({ default: 'b' })) },
          { type: 'string', ...words, format: pick(['multiline', 'email', 'uri', 'date', 'date-time'] as const) },
        ])
      case 'number':
        return { type: 'number', ...words, ...maybe({ minimum: 0 - below(5), maximum: below(5) }), ...(plain ? {} : maybe({ default: 0 })) }
      case 'integer':
        return { type: 'integer', ...words, ...maybe({ enum: [3, 1, 2] }) }
      case 'boolean':
        return { type: 'boolean', ...words, ...(plain ? {} : maybe({ default: below(2) === 1 })) }
      case 'array':
        return { type: 'array', ...words, ...maybe({ items: this.#field(plain, depth + 1) }) }
      case 'object':
        return { type: 'object', ...words, ...maybe({ properties: this.fields(plain, depth + 1) }) }
    }
  }

  #references(ancestors: string[]): string[] {
    const outputs = ancestors.slice(-4).flatMap((id) => [`\${steps.${id}.output}`, `\${steps.${id}.output.x.0}`])
    return ['${input.amount}', '${input.list.0}', '${input.flag}', '${run.id}', '${principal.locale}', ...outputs]
  }
}

/** The methods of a generator, to be called by their bare names. */
function bound(random: Random) {
  return {
    below: (limit: number) => random.below(limit),
    pick: <T>(list: readonly T[]) => random.pick(list),
    some: <T>(list: readonly T[], most: number) => random.some(list, most),
    maybe: <T extends object>(part: T) => random.maybe(part),
  }
}
