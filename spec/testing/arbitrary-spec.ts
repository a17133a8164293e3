import * as fc from 'fast-check'
import { type Json, type Step, validateWorkflow, type WorkflowSpec } from '..'
import { portsOf } from '../kinds'

export interface ArbitrarySpecOptions {
  maxSteps?: number
  /** The tools that steps, maps and compensations use. */
  tools?: readonly string[]
}

const IDS = ['constructor', 'length', 'then', 'route', 'gate', 'pay']
/** Parts of keys and texts that a careless implementation gets wrong. */
const ODD = ['__proto__', 'constructor', '10', '9', 'a.b', '~/', '', 'é', '🦊', '$', '{x}']

const text = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ maxLength: 12, unit: 'grapheme' }).filter((s) => !s.includes('${')),
)
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n))

/** Small JSON without references: odd keys, odd numbers, a little nesting. */
export const arbitraryLiteral: fc.Arbitrary<Json> = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), number, text),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.array(fc.tuple(text, tie('json')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  ),
})).json

/**
 * Random valid documents: up to 30 steps of every kind, with joins, ports, references, retries and compensations.
 * Inputs: `amount` (number), `note` (string, optional), `list` (array of integers, optional), `flag` (boolean, default false).
 */
export function arbitrarySpec(options: ArbitrarySpecOptions = {}): fc.Arbitrary<WorkflowSpec> {
  const { maxSteps = 30, tools = ['test.read', 'test.write', 'test.once'] } = options
  const literals = fc.array(arbitraryLiteral, { minLength: 1, maxLength: 8 })
  // Not an array of decisions: drawing some hundred numbers costs far more than the document they decide.
  const drawn = fc.record({
    seed: fc.nat(),
    decisions: fc.nat({ max: 25 * maxSteps }),
    literals,
    steps: fc.integer({ min: 1, max: maxSteps }),
  })
  return drawn.map(({ seed, decisions, literals, steps }) => startable(new Builder(seed, decisions, literals, tools).document(steps)))
}

/** Builds a document out of a seed. After `decisions` of them, the first choice is taken, so that shrinking simplifies. */
class Builder {
  #seed: number
  #decisions: number
  readonly #literals: readonly Json[]
  readonly #tools: readonly string[]
  readonly #steps: Step[] = []
  readonly #ancestors = new Map<string, Set<string>>()

  constructor(seed: number, decisions: number, literals: readonly Json[], tools: readonly string[]) {
    this.#seed = seed
    this.#decisions = decisions
    this.#literals = literals
    this.#tools = tools
  }

  document(count: number): WorkflowSpec {
    for (let i = 0; i < count; i++) this.#step(IDS[i] ?? `s${i}`)
    const everywhere = this.#steps.map((step) => step.id)
    return {
      spec: 1,
      slug: 'random',
      title: 'Random',
      ...this.#maybe({ description: 'for a test' }),
      input: {
        amount: { type: 'number' },
        note: { type: 'string', required: false },
        list: { type: 'array', required: false, items: { type: 'integer' } },
        flag: { type: 'boolean', default: false },
      },
      ...this.#maybe({ run_title: '${input.note}' }),
      steps: this.#steps,
      ...this.#maybe({ output: { result: this.#value(everywhere) } }),
      ...this.#maybe({ compensate_on: this.#some(['parked', 'rejected', 'cancelled'] as const, 3) }),
    }
  }

  #step(id: string): void {
    const before = this.#some(this.#steps.slice(-6), 3)
    const after = before.flatMap((step) => {
      const ports = this.#some(portsOf(step), 2).map((port) => `${step.id}.${port}`)
      if (step.uses === 'choice') return ports.length > 0 ? ports : [`${step.id}.${portsOf(step)[0]}`]
      return ports.length > 0 && this.#below(3) === 2 ? ports : [step.id]
    })
    const ancestors = new Set(before.map((step) => step.id))
    for (const step of before) this.#ancestors.get(step.id)?.forEach((above) => ancestors.add(above))
    this.#ancestors.set(id, ancestors)
    const join = after.length > 0 ? this.#maybe({ join: 'any' }) : {}
    this.#steps.push({ id, after, ...join, ...this.#body(id, [...ancestors]) } as Step)
  }

  #body(id: string, ancestors: string[]): Record<string, unknown> {
    switch (this.#pick(['tool', 'tool', 'tool', 'choice', 'map', 'approve'])) {
      case 'choice':
        return { uses: 'choice', branches: this.#branches(ancestors) }
      case 'map':
        return {
          uses: 'map',
          over: this.#pick<Json>(['${input.list}', this.#some(this.#literals, 4)]),
          do: this.#call(ancestors, id, ['${item}', '${item.x.0}', '${index}']),
          ...this.#maybe({ concurrency: 1 + this.#below(100), tolerate: this.#below(3) }),
        }
      case 'approve':
        return {
          uses: 'approve',
          role: 'manager',
          ...this.#maybe({ channels: ['web', 'email'], show: { zeta: this.#value(ancestors), alpha: this.#value(ancestors) } }),
          ...this.#maybe({ approvals: 1 + this.#below(3), self_approval: this.#below(2) === 1 }),
        }
      default:
        return this.#call(ancestors, id, [])
    }
  }

  #call(ancestors: string[], self: string, also: string[]): Record<string, unknown> {
    const tool = () => `tool:${this.#pick(this.#tools)}`
    const value = () => this.#value(ancestors, also)
    return {
      uses: tool(),
      ...this.#maybe({ with: { zeta: value(), '10': value(), '9': value(), nested: { alpha: [value()] } } }),
      ...this.#maybe({ retry: { max_attempts: 1 + this.#below(5), base_seconds: this.#below(3) } }),
      ...this.#maybe({ timeout_seconds: 1 + this.#below(300) }),
      ...this.#maybe({ compensate: { uses: tool(), with: { undo: this.#value([...ancestors, self], also) } } }),
    }
  }

  #branches(ancestors: string[]): Json {
    const count = 1 + this.#below(3)
    return Array.from({ length: count }, (_, i): Json => {
      const name = `b${i}`
      if (i === count - 1 && this.#below(4) < 3) return { name }
      const op = this.#pick(['eq', 'ne', 'lt', 'gt', 'contains', 'exists', 'empty'])
      const left = this.#pick(this.#references(ancestors))
      return { name, when: { left, op, ...(op === 'exists' || op === 'empty' ? {} : { right: this.#below(7) - 3 }) } }
    })
  }

  #value(ancestors: string[], also: string[] = []): Json {
    return this.#below(2) === 0 ? this.#pick([...also, ...this.#references(ancestors)]) : this.#pick(this.#literals)
  }

  #references(ancestors: string[]): string[] {
    const outputs = ancestors.slice(-4).flatMap((id) => [`\${steps.${id}.output}`, `\${steps.${id}.output.x.0}`])
    return ['${input.amount}', '${input.list.0}', '${input.flag}', '${run.id}', '${principal.locale}', ...outputs]
  }

  #below(limit: number): number {
    if (this.#decisions-- <= 0) return 0
    // mulberry32
    this.#seed = (this.#seed + 0x6d2b79f5) | 0
    let t = Math.imul(this.#seed ^ (this.#seed >>> 15), 1 | this.#seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % limit
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#below(list.length)] as T
  }

  #some<T>(list: readonly T[], most: number): T[] {
    const chosen: T[] = []
    for (const item of list) if (chosen.length < most && this.#below(2) === 1) chosen.push(item)
    return chosen
  }

  #maybe<T extends object>(part: T): Partial<T> {
    return this.#below(2) === 1 ? part : {}
  }
}

/** Turns every join that could never start into `any`, as the validator's hint says. */
function startable(spec: WorkflowSpec): WorkflowSpec {
  for (;;) {
    const result = validateWorkflow(spec)
    if (result.ok) return spec
    for (const { code, path, message } of result.problems) {
      const step = spec.steps[Number(path.split('/')[2])]
      if (code !== 'never_starts' || step === undefined)
        throw new Error(`the generator made an invalid document: ${code} ${path} ${message}`)
      step.join = 'any'
    }
  }
}
