import { isObject, type Json } from '../json'
import { fieldsToJsonSchema } from '../json-schema'
import { nearest, type Path, shorten } from '../problems'
import { parseReference } from '../references'
import { type SecretPlaces, secretFields, secretReferences, secretsOfSchema } from '../secrets'
import { agentSettings, toolOf, workflowOf } from '../settings'
import { fitMembers } from './fit'
import { allowedBy } from './schemas'
import { type Body, bodyOf, isWorkflow, knownWorkflow, type Sources } from './sources'
import type { WorkflowSpec } from '../document'
import type { Catalogue, Warn } from './codes'

interface Called {
  body: { uses: string; with?: Record<string, Json> | undefined }
  path: Path
  /** JSON Schema of what goes in; null: not known. */
  input: Json | null
}

/** Names that nothing here answers to, and inputs that cannot be right. */
export function checkCalls(spec: WorkflowSpec, catalogue: Catalogue, sources: Sources, warn: Warn): void {
  const names = new Names(spec, catalogue, warn)
  const secrets = secretFields(spec.input ?? {})
  spec.steps.forEach((step, i) => {
    const path = ['steps', i]
    if (step.uses === 'approve') return names.role(step.role, [...path, 'role'])
    const body = bodyOf(step)
    if (body === null) return
    const at = step.uses === 'map' ? [...path, 'do'] : path
    names.body(body, at)
    for (const called of callsOf(body, at, catalogue)) {
      checkInput(called, sources, warn)
      checkGivenSecrets(called, secrets, warn)
    }
  })
}

class Names {
  readonly #spec: WorkflowSpec
  readonly #catalogue: Catalogue
  readonly #warn: Warn

  constructor(spec: WorkflowSpec, catalogue: Catalogue, warn: Warn) {
    this.#spec = spec
    this.#catalogue = catalogue
    this.#warn = warn
  }

  role(role: string, path: Path): void {
    const { roles } = this.#catalogue
    if (roles && !roles.has(role)) this.#warn('unknown_role', path, `nobody has the role '${role}'`, nearest(role, roles))
  }

  body(body: Body, path: Path): void {
    if (body.uses === 'agent') agentSettings(body).tools.forEach((tool, i) => this.#tool(tool, [...path, 'tools', i]))
    else if (isWorkflow(body)) this.#workflow(workflowOf(body).slug, [...path, 'uses'])
    else if (body.uses.startsWith('tool:')) this.#tool(toolOf(body), [...path, 'uses'])
    else this.#job(toolOf(body), [...path, 'uses'])
    if (body.compensate !== undefined) this.#tool(toolOf(body.compensate), [...path, 'compensate', 'uses'])
  }

  #tool(name: string, path: Path): void {
    const { tools } = this.#catalogue
    if (tools && !tools.has(name)) this.#warn('unknown_tool', path, `no plugin brings the tool '${name}'`, nearest(name, tools.keys()))
  }

  #job(kind: string, path: Path): void {
    const { jobs } = this.#catalogue
    if (jobs && !jobs.has(kind)) this.#warn('unknown_job', path, `no plugin brings the job '${kind}'`, nearest(kind, jobs.keys()))
  }

  /** A workflow that starts itself is there as soon as it is published. */
  #workflow(slug: string, path: Path): void {
    const { workflows } = this.#catalogue
    if (!workflows || workflows.has(slug) || slug === this.#spec.slug) return
    this.#warn('unknown_workflow', path, `there is no workflow '${slug}'`, nearest(slug, workflows.keys()))
  }
}

function callsOf(body: Body, path: Path, catalogue: Catalogue): Called[] {
  const undo =
    body.compensate === undefined
      ? []
      : [{ body: body.compensate, path: [...path, 'compensate'], input: inputOf(body.compensate, catalogue) }]
  if (body.uses === 'agent') return undo
  if (!isWorkflow(body)) return [{ body, path, input: inputOf(body, catalogue) }, ...undo]
  const known = knownWorkflow(body, catalogue)
  return [{ body, path, input: known === undefined ? null : fieldsToJsonSchema(known.input) }, ...undo]
}

function inputOf(call: { uses: string }, catalogue: Catalogue): Json | null {
  return (call.uses.startsWith('job:') ? catalogue.jobs : catalogue.tools)?.get(toolOf(call))?.input ?? null
}

function checkInput({ body, path, input }: Called, sources: Sources, warn: Warn): void {
  const [wanted, ...others] = allowedBy(input ?? true, input) ?? []
  if (wanted?.type !== 'object' || others.length > 0) return
  fitMembers(body.with ?? {}, wanted, [...path, 'with'], (reference) => sources.of(reference, path), warn)
}

/** A tool is given secrets only where it declares them; anything else that is called is never given any, which is a problem and no warning. */
function checkGivenSecrets({ body, path, input }: Called, secrets: SecretPlaces | null, warn: Warn): void {
  if (input === null || secrets === null || !body.uses.startsWith('tool:')) return
  for (const given of secretReferences(body.with ?? {}, secrets, secretsOfSchema(input), [...path, 'with'])) {
    if (given.allowed) continue
    const message = `'${shorten(given.reference.name, 64)}' is secret, and the tool '${toolOf(body)}' does not declare a secret here: the call would fail`
    warn('secret_not_accepted', given.path, message)
  }
}

/** References that lead nowhere. `value` stands at `path`, in a position where references count. */
export function checkPaths(value: Json, path: Path, sources: Sources, warn: Warn): void {
  if (Array.isArray(value)) value.forEach((item, i) => checkPaths(item, [...path, i], sources, warn))
  else if (isObject(value)) for (const [key, inner] of Object.entries(value)) checkPaths(inner, [...path, key], sources, warn)
  const reference = typeof value === 'string' ? parseReference(value) : null
  if (reference === null || sources.of(reference, path) !== 'nowhere') return
  warn(
    'unknown_path',
    path,
    `'${shorten(String(value))}' is always null: what it refers to has no '${shorten(String(value).slice(2, -1).split('.').at(-1) ?? '')}' there`,
  )
}
