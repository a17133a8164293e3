import { kindOf, validateWorkflow, type Json, type Step, type WorkflowSpec } from '@/spec'
import { parseReference, type Reference } from '@/spec/references'
import { defineWorkflow } from '../../define-workflow'
import { memberOf } from '../reference'

/** The builder, a step or a reference, in the hands of somebody who knows nothing of its type. */
type Loose = { readonly [member: string]: Loose } & ((...args: unknown[]) => Loose)
type Members = { [name: string]: Json }
/** What may be referred to in one place only: a map's item, an output in its own compensation. */
type Local = { each?: Loose; done?: Loose; step?: string }

const camel = (name: string) => name.replaceAll(/_[a-z]/g, (found) => found.slice(1).toUpperCase())
const mapValues = <T>(members: Members, change: (value: Json, name: string) => T) =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, change(value, name)]))
const REFERRING = new Set(['with', 'goal', 'context', 'over', 'message', 'show', 'seconds', 'until'])

/** Writes a document once more, by means of the builder alone. */
class Rewriter {
  readonly #w: Loose
  readonly #steps = new Map<string, Loose>()
  readonly #choices = new Set<string>()

  constructor(w: unknown) {
    this.#w = w as Loose
  }

  step(step: Step): void {
    const { id, uses, after, ...fields } = step as Step & Members
    const kind = kindOf(step)
    if (kind === 'choice') this.#choices.add(id)
    const entries = after.map((entry) => {
      const [name = '', port] = entry.split('.')
      const of = this.#steps.get(name) as Loose
      return port === undefined ? of : of[port]
    })
    const made = this.#call(this.#w, kind === 'tool' ? 'call' : kind, uses, { after: entries }, fields, { step: id }, id)
    this.#steps.set(id, made)
  }

  value(value: Json, local: Local = {}): unknown {
    const reference = typeof value === 'string' ? parseReference(value) : null
    if (reference) return this.#reference(reference, local)
    if (Array.isArray(value)) return value.map((item) => this.value(item, local))
    return typeof value === 'object' && value !== null ? mapValues(value, (inner) => this.value(inner, local)) : value
  }

  /** A step, or what a map does. */
  #call(on: Loose, method: string, uses: string, given: object, fields: Members, local: Local, ...id: string[]): Loose {
    const [, name, version] = /^[^:]*(?::([^@]*))?(?:@(.*))?$/.exec(uses) ?? []
    const options = { ...given, ...this.#options(fields, local), ...(version === undefined ? {} : { version: Number(version) }) }
    return (on[method] as Loose)(...id, ...(name === undefined ? [] : [name]), options)
  }

  #options(fields: Members, local: Local): object {
    const changed = mapValues(fields, (value, name): unknown => {
      if (REFERRING.has(name)) return this.value(value, local)
      if (name === 'retry') return Object.fromEntries(Object.entries(value as Members).map(([key, inner]) => [camel(key), inner]))
      if (name === 'branches') return this.#branches(value as Members[])
      if (name === 'compensate') return (done: Loose) => this.#undo(value as Members, { ...local, done })
      if (name === 'do') return (each: Loose) => this.#body(each, value as Members & { uses: string }, local)
      return value
    })
    return Object.fromEntries(Object.entries(changed).map(([name, value]) => [camel(name), value]))
  }

  #undo({ uses, with: input = {} }: Members, local: Local): Loose {
    return (this.#w.undo as Loose)(String(uses).slice('tool:'.length), this.value(input, local))
  }

  #body(each: Loose, { uses, ...fields }: Members & { uses: string }, local: Local): Loose {
    const kind = uses.split(':', 1)[0] ?? ''
    return this.#call(each, kind === 'tool' ? 'call' : kind, uses, {}, fields, { ...local, each })
  }

  #branches(branches: Members[]): object {
    return Object.fromEntries(branches.map(({ name, when }) => [name, when ? this.#condition(when as Members) : this.#w.otherwise]))
  }

  #condition({ left = null, op, right }: Members): Loose {
    const asked = (this.#w.when as Loose)(this.value(left))
    return (asked[String(op)] as Loose)(...(right === undefined ? [] : [this.value(right)]))
  }

  #reference(reference: Reference, local: Local): unknown {
    if (reference.root === 'run' || reference.root === 'principal') return this.#w[reference.root]?.[reference.field]
    if (reference.root === 'index') return local.each?.index
    if (reference.root === 'steps' && this.#choices.has(reference.step)) return (this.#w.taken as Loose)(this.#steps.get(reference.step))
    return reference.path.reduce<unknown>((from, name) => (this.#w.at as Loose)(from, name), this.#whole(reference, local))
  }

  #whole(reference: Exclude<Reference, { root: 'run' | 'principal' | 'index' }>, { each, done, step }: Local): unknown {
    if (reference.root === 'item') return each?.item
    if (reference.root === 'input') return this.#w.input?.[reference.name]
    return reference.step === step ? done : this.#steps.get(reference.step)?.output
  }
}

/** Writes a document once more with the builder. It has to be `buildable`. */
export function throughBuilder({ slug, title, description, input, run_title, compensate_on, steps, output }: WorkflowSpec): unknown {
  const reference = typeof run_title === 'string' ? parseReference(run_title) : null
  const named = (inputs: Loose) =>
    reference?.root === 'input' ? reference.path.reduce<object>(memberOf, inputs[reference.name] as object) : undefined
  return defineWorkflow(
    {
      slug,
      title,
      ...(description === undefined ? {} : { description }),
      ...(input === undefined ? {} : { input: input as never }),
      ...(run_title === undefined ? {} : { runTitle: (reference ? named : run_title) as never }),
      ...(compensate_on === undefined ? {} : { compensateOn: compensate_on }),
    },
    (w) => {
      const rewriter = new Rewriter(w)
      for (const step of steps) rewriter.step(step)
      return output === undefined ? undefined : (rewriter.value(output) as never)
    },
  )
}

/** Canonical, so that each step stands behind those that it refers to; of a choice's output only the branch can be referred to by the builder. */
export function buildable(document: WorkflowSpec): WorkflowSpec {
  const choices = new Set(document.steps.filter((step) => step.uses === 'choice').map(({ id }) => id))
  const text = JSON.stringify(document).replaceAll(/\$\{steps\.([a-z0-9_]+)\.output[^}]*\}/g, (reference, id: string) =>
    choices.has(id) ? `\${steps.${id}.output.branch}` : reference,
  )
  const result = validateWorkflow(JSON.parse(text))
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.spec
}
