import { compileGraph, kindOf, secretFields, type StepKind, type WorkflowSpec } from '@/spec'
import type { Plan, RunState, StepCursor } from './model'
import type { Definition } from './ports'

/** Compiles a stored definition. Its text is canonical and was validated when it was published, so it is not validated again. */
export function compilePlan(definition: Pick<Definition, 'id' | 'spec'>): Plan {
  const spec = JSON.parse(definition.spec) as WorkflowSpec
  return { defId: definition.id, spec, graph: compileGraph(spec), secrets: secretFields(spec.input ?? {}) }
}

/** Plans of recently used definitions. A definition never changes, so an entry is never stale. */
export class PlanCache {
  readonly #plans = new Map<string, Plan>()

  constructor(private readonly capacity = 500) {}

  of(definition: Pick<Definition, 'id' | 'spec'>): Plan {
    const plan = this.#plans.get(definition.id) ?? compilePlan(definition)
    this.#plans.delete(definition.id)
    this.#plans.set(definition.id, plan)
    const oldest = this.#plans.keys().next().value
    if (this.#plans.size > this.capacity && oldest !== undefined) this.#plans.delete(oldest)
    return plan
  }
}

/** A run before its first event. */
export function initialState(plan: Plan): RunState {
  return { status: 'queued', seq: 0, steps: new Map(plan.graph.order.map((id): [string, StepCursor] => [id, { at: 'pending' }])) }
}

/** The step and its kind, narrowed; a step of another kind is a defect of the caller. */
export function stepOf<K extends StepKind>(
  plan: Plan,
  stepId: string,
  kind: K,
): Extract<WorkflowSpec['steps'][number], { uses: UsesOf<K> }> {
  const step = plan.graph.steps.get(stepId)
  if (!step || kindOf(step) !== kind) throw new Error(`step '${stepId}' is not a ${kind}`)
  return step as Extract<WorkflowSpec['steps'][number], { uses: UsesOf<K> }>
}
type UsesOf<K extends StepKind> = K extends 'tool' | 'job' | 'workflow' ? `${K}:${string}` : K
