import * as fc from 'fast-check'
import { type Json, type Step, type StepKind, validateWorkflow, type WorkflowSpec } from '..'
import { KIND_NAMES, portsOf } from '../kinds'
import { Bodies } from './arbitrary-step'
import { type Mutation, mutate } from './mutate'
import { Random } from './random'

export interface ArbitrarySpecOptions {
  maxSteps?: number
  /** The tools that steps, maps and compensations use. */
  tools?: readonly string[]
  /** The kinds of its steps, and of what its maps do. */
  kinds?: readonly StepKind[]
  secrets?: boolean
  slug?: string
  /** What its `workflow` steps start: slugs, some with a version. */
  workflows?: readonly string[]
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
 * Random valid documents: up to 60 steps of every kind, with joins, ports, references, retries and compensations.
 * Inputs: `amount` (number), `note` (string, optional), `list` (array of integers, optional), `flag` (boolean, default false),
 * and at times an object `more` of random optional fields.
 */
export function arbitrarySpec(options: ArbitrarySpecOptions = {}): fc.Arbitrary<WorkflowSpec> {
  const { maxSteps = 60, tools = ['test.read', 'test.write', 'test.once'], kinds = KIND_NAMES, secrets = true } = options
  const { slug = 'random', workflows = ['child', 'child@3'] } = options
  // Not an array of decisions: drawing some hundred numbers costs far more than the document they decide.
  const drawn = fc.record({
    seed: fc.nat(),
    decisions: fc.nat({ max: 60 * maxSteps }),
    literals: fc.array(arbitraryLiteral, { minLength: 1, maxLength: 8 }),
    steps: fc.integer({ min: 1, max: maxSteps }),
  })
  return drawn.map(({ seed, decisions, literals, steps }) => {
    const random = new Random(seed, decisions)
    const bodies = new Bodies(random, { literals, tools, kinds, secrets, workflows })
    return startable(new Builder(random, bodies).document(slug, steps))
  })
}

/** A random valid document, and a random change of it that may be valid or not, with the ids of the steps that it touched. */
export function arbitraryMutation(options: ArbitrarySpecOptions = {}): fc.Arbitrary<Mutation & { before: WorkflowSpec }> {
  return fc.tuple(arbitrarySpec(options), fc.nat()).map(([before, seed]) => {
    const { after, touched } = mutate(before, seed)
    return { before, after, touched }
  })
}

/** Joins bodies to a document. */
class Builder {
  readonly #random: Random
  readonly #bodies: Bodies
  readonly #steps: Step[] = []
  readonly #ancestors = new Map<string, Set<string>>()

  constructor(random: Random, bodies: Bodies) {
    this.#random = random
    this.#bodies = bodies
  }

  document(slug: string, count: number): WorkflowSpec {
    for (let i = 0; i < count; i++) this.#step(IDS[i] ?? `s${i}`)
    const everywhere = this.#steps.map((step) => step.id)
    const random = this.#random
    return {
      spec: 1,
      slug,
      title: 'Random',
      ...random.maybe({ description: 'for a test' }),
      input: {
        amount: { type: 'number' },
        note: { type: 'string', required: false },
        list: { type: 'array', required: false, items: { type: 'integer' } },
        flag: { type: 'boolean', default: false },
        ...random.maybe({ more: { type: 'object' as const, required: false, properties: this.#bodies.fields(false) } }),
      },
      ...random.maybe({ run_title: '${input.note}' }),
      steps: this.#steps,
      ...random.maybe({ output: { result: this.#bodies.value(everywhere) } }),
      ...random.maybe({ compensate_on: random.some(['parked', 'rejected', 'cancelled'] as const, 3) }),
    }
  }

  #step(id: string): void {
    const random = this.#random
    const before = random.some(this.#steps.slice(-6), 3)
    const after = before.flatMap((step) => {
      const ports = random.some(portsOf(step), 2).map((port) => `${step.id}.${port}`)
      if (step.uses === 'choice') return ports.length > 0 ? ports : [`${step.id}.${portsOf(step)[0]}`]
      return ports.length > 0 && random.below(3) === 2 ? ports : [step.id]
    })
    const ancestors = new Set(before.map((step) => step.id))
    for (const step of before) this.#ancestors.get(step.id)?.forEach((above) => ancestors.add(above))
    this.#ancestors.set(id, ancestors)
    const join = after.length > 0 ? random.maybe({ join: 'any' }) : {}
    this.#steps.push({ id, after, ...join, ...this.#bodies.body(id, [...ancestors]) } as Step)
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
