import type { Graph } from '../graph'
import { fieldsToJsonSchema } from '../json-schema'
import { isObject, type Json, type JsonObject } from '../json'
import { kindOf, type Step, type StepByKind, type StepKind } from '../kinds'
import type { MapStep } from '../kinds/map'
import type { Path } from '../problems'
import { parseReference, type Reference } from '../references'
import { agentSettings, toolOf, workflowOf } from '../settings'
import type { WorkflowSpec } from '../document'
import { type Allowed, allowedBy, along } from './schemas'
import type { Catalogue } from './codes'

export type Body = MapStep['do']

const TEXT = { type: 'string' }
const closed = (properties: JsonObject): JsonObject => ({ type: 'object', properties, additionalProperties: false })
const ERROR = closed({ code: TEXT, message: TEXT })
/** What a failed step that somebody follows has for output. */
const FAILURE = closed({ error: ERROR })

/** JSON Schema of what a step of each kind gives back when it succeeds; null: not known. A new kind does not compile without. */
const OUTPUTS: { [K in StepKind]: (step: StepByKind[K], catalogue: Catalogue) => JsonObject | null } = {
  tool: bodyOutput,
  job: bodyOutput,
  workflow: bodyOutput,
  agent: bodyOutput,
  approve: (step) =>
    closed({
      decision: {},
      decided_by: {},
      channel: {},
      comment: {},
      form: { ...fieldsToJsonSchema(step.form ?? {}) },
      at: {},
      approvals: { type: 'array' },
    }),
  choice: (step) => closed({ branch: { enum: step.branches.map(({ name }) => name) } }),
  map: (step, catalogue) =>
    closed({
      results: { type: 'array', items: optional(bodyOutput(step.do, catalogue)) },
      failed: { type: 'array', items: closed({ index: { type: 'integer' }, error: ERROR }) },
    }),
  wait: () => closed({ waited_until: TEXT }),
}

const optional = (schema: JsonObject | null): Json => (schema === null ? true : { anyOf: [rootless(schema), { type: 'null' }] })
/** A schema with references of its own cannot be put into another: then nothing is known of it. */
const rootless = (schema: JsonObject): Json => (JSON.stringify(schema).includes('"$ref"') ? true : schema)

function bodyOutput(body: Body, catalogue: Catalogue): JsonObject | null {
  if (body.uses === 'agent') {
    const { output } = agentSettings(body)
    return output === null ? closed({ text: TEXT }) : { ...fieldsToJsonSchema(output), additionalProperties: false }
  }
  if (isWorkflow(body)) {
    const names = knownWorkflow(body, catalogue)?.output
    return names === undefined ? null : closed(Object.fromEntries(names.map((name) => [name, {}])))
  }
  const facts = (body.uses.startsWith('tool:') ? catalogue.tools : catalogue.jobs)?.get(toolOf(body))
  return isObject(facts?.output) ? facts.output : null
}

export const isWorkflow = (body: Body): body is Extract<Body, { uses: `workflow:${string}` }> => body.uses.startsWith('workflow:')

/** What is known of a workflow that is started; nothing where another version than the one that is known is asked for. */
export function knownWorkflow(body: Extract<Body, { uses: `workflow:${string}` }>, catalogue: Catalogue) {
  const { slug, version } = workflowOf(body)
  const found = catalogue.workflows?.get(slug)
  return version === null || version === found?.version ? found : undefined
}

/** What a tool or a job does to the world, where that is known. */
export function effectOf(body: Body, { tools, jobs }: Catalogue): 'read' | 'write' | 'once' | undefined {
  if (body.uses.startsWith('tool:')) return tools?.get(toolOf(body))?.effect
  return body.uses.startsWith('job:') ? jobs?.get(toolOf(body))?.effect : undefined
}

/** The bodies that make a step's calls: its own, or what a map does for each item. */
export function bodyOf(step: Step): Body | null {
  if (step.uses === 'map') return step.do
  return step.uses === 'approve' || step.uses === 'choice' || step.uses === 'wait' ? null : step
}

/** Tells what references of one document give. */
export class Sources {
  readonly #spec: WorkflowSpec
  readonly #graph: Graph
  readonly #catalogue: Catalogue
  readonly #outputs = new Map<string, Allowed>()
  readonly #input: Allowed

  constructor(spec: WorkflowSpec, graph: Graph, catalogue: Catalogue) {
    this.#spec = spec
    this.#graph = graph
    this.#catalogue = catalogue
    const input = fieldsToJsonSchema(spec.input ?? {})
    this.#input = allowedBy(input, input)
  }

  /** What a reference at this place gives. In a compensation, a step's own output is that of the call that is undone. */
  of(reference: Reference, place: Path): Allowed | 'nowhere' {
    const step = place[0] === 'steps' ? this.#spec.steps[Number(place[1])] : undefined
    switch (reference.root) {
      case 'input':
        return along(this.#input, [reference.name, ...reference.path])
      case 'steps':
        return along(reference.step === step?.id ? this.#own(step) : this.#output(reference.step), reference.path)
      case 'item':
        return along(step?.uses === 'map' ? this.#items(step, place) : null, reference.path)
      case 'index':
        return [{ type: 'integer', schema: { type: 'integer' }, root: {} }]
      default:
        return [{ type: 'string', schema: TEXT, root: {} }]
    }
  }

  #own(step: Step): Allowed {
    const body = bodyOf(step)
    const schema = body === null ? null : bodyOutput(body, this.#catalogue)
    return schema === null ? null : allowedBy(schema, schema)
  }

  #output(id: string): Allowed {
    const known = this.#outputs.get(id)
    if (known !== undefined) return known
    const step = this.#graph.steps.get(id)
    const schema =
      step === undefined ? null : (OUTPUTS[kindOf(step)] as (step: Step, catalogue: Catalogue) => JsonObject | null)(step, this.#catalogue)
    let allowed = schema === null ? null : allowedBy(schema, schema)
    if (allowed !== null && this.#graph.followedPorts.get(id)?.has('failed')) allowed = [...allowed, ...(allowedBy(FAILURE, FAILURE) ?? [])]
    this.#outputs.set(id, allowed)
    return allowed
  }

  /** An item of what a map goes over. */
  #items({ over }: MapStep, place: Path): Allowed {
    const reference = typeof over === 'string' ? parseReference(over) : null
    if (reference === null) return null
    const list = this.of(reference, place)
    if (list === null || list === 'nowhere') return null
    const items = along(
      list.filter(({ type }) => type === 'array'),
      ['0'],
    )
    return items === 'nowhere' ? null : items
  }
}
