import type { AnyJob, AnyTool, AnyWorkflow } from './callable'
import type { Draft, Members, Path } from './document'
import { given } from './given'
import { makeReference } from './reference'
import type { Body, Undo } from './steps'

/** Where a call stands: its place in the document, the step its output is called by, and whose items it may refer to. */
export interface Site {
  path: Path
  step: string
  scopes: readonly object[]
  /** Of a map's `do`: whatever stands for the item's own output, which only its `compensate` may refer to. */
  own?: object
}
export type Write = (draft: Draft, site: Site) => Members

const bodies = new WeakMap<object, Write>()
const undos = new WeakMap<object, { tool: AnyTool; input: unknown }>()

export function makeBody<T>(write: Write): Body<T> {
  const body = Object.freeze({})
  bodies.set(body, write)
  return body as Body<T>
}

/** What a map's `do` gave, written; undefined where that is none of its calls. */
export const writeBody = (body: unknown, draft: Draft, site: Site) => bodies.get(Object(body) as object)?.(draft, site)

export function makeUndo(tool: AnyTool, input: unknown): Undo {
  const undo = Object.freeze({})
  undos.set(undo, { tool, input })
  return undo as Undo
}

const nameOf = (tool: AnyTool) => (typeof tool === 'string' ? tool : tool.name)
const kindOf = (job: AnyJob) => (typeof job === 'string' ? job : job.kind)
const slugOf = (workflow: AnyWorkflow) => (typeof workflow === 'string' ? workflow : workflow.slug)

interface Options {
  with?: unknown
  retry?: object
  compensate?: (output: never) => unknown
  version?: number
  goal?: unknown
  context?: unknown
  tools?: readonly AnyTool[]
}

/** The calls, as a step and a map's `do` have them. What their options may be is typed where authors meet them: in `Builder` and `Each`. */
export const write = {
  tool: (tool: AnyTool, options: Options) => call(`tool:${nameOf(tool)}`, options),
  job: (job: AnyJob, options: Options) => call(`job:${kindOf(job)}`, options),
  workflow: (workflow: AnyWorkflow, { version, ...options }: Options) =>
    call(`workflow:${slugOf(workflow)}${version === undefined ? '' : `@${version}`}`, options),
  agent: ({ goal, context, tools, ...rest }: Options) =>
    call('agent', { ...rest, ...given({ tools: tools?.map(nameOf) }) }, { goal, context }),
}

/** `values`: the members besides `with` that take references. */
function call(uses: string, { with: input, retry, compensate, ...rest }: Options, values: object = {}): Write {
  return (draft, site) => ({
    uses,
    ...draft.options(rest, site.path),
    ...(draft.value({ ...values, with: input }, site.path, site.scopes) as Members),
    ...(retry === undefined ? {} : { retry: draft.options(retry, [...site.path, 'retry']) }),
    ...(compensate === undefined ? {} : { compensate: undoing(compensate, draft, site) }),
  })
}

function undoing(compensate: NonNullable<Options['compensate']>, draft: Draft, site: Site): Members {
  const path = [...site.path, 'compensate']
  const output = makeReference(draft.owner, `steps.${site.step}.output`, site.own)
  const undo = undos.get(Object(compensate(output as never)) as object)
  if (!undo) draft.report('wrong_type', path, 'compensate gives what undo(tool, input) gives')
  const scopes = site.own ? [...site.scopes, site.own] : site.scopes
  return undo ? { uses: `tool:${nameOf(undo.tool)}`, with: draft.value(undo.input, [...path, 'with'], scopes) } : {}
}
