import { PORTS, type Json } from '@/spec'
import { makeBody, makeUndo, write, writeBody, type Write } from './body'
import type { Builder } from './builder'
import { askedBy, conditionsOn, otherwise } from './condition'
import type { Draft, Members, Path } from './document'
import { entryOf, makeStep } from './entry'
import type { InputFields } from './field'
import { makeReference, memberOf } from './reference'
import type { ApproveOptions, ChoiceOptions, Each, MapOptions, StepOptions, WaitOptions } from './steps'

/** The steps of a workflow, in the order in which they are added. */
export class Steps {
  readonly written: Members[] = []
  readonly #draft: Draft
  #closed = false

  constructor(draft: Draft) {
    this.#draft = draft
  }

  close(): void {
    this.#closed = true
  }

  /** Adds a step; `kind` writes `uses` and everything that not every step has. */
  add<O extends StepOptions>(id: string, options: O, kind: (own: Omit<O, keyof StepOptions>, path: Path) => Members): void {
    if (this.#closed) throw new Error(`The step '${id}' comes too late: its workflow is defined already`)
    const path = ['steps', this.written.length]
    // Its place is taken first: the functions among its options may add steps.
    const step: Members = {}
    this.written.push(step)
    const { after, join, title, description, ...own } = options
    const { uses, ...rest } = kind(own, path)
    Object.assign(step, { id }, uses === undefined ? {} : { uses }, this.#after(after, path))
    Object.assign(step, this.#draft.options({ join, title, description }, path), rest)
  }

  #after(after: unknown, path: Path): Members {
    if (!Array.isArray(after)) return this.#draft.options({ after }, path)
    return { after: after.map((entry, i) => this.#draft.entry(entry, [...path, 'after', i])) }
  }
}

/** What `build` of `defineWorkflow` is given; its types are those of `Builder`. */
export function makeBuilder(draft: Draft, steps: Steps, inputs: object) {
  const { owner } = draft
  const reference = (root: string) => makeReference(owner, root)
  const outputOf = (id: string) => reference(`steps.${id}.output`)
  const fallible = (kind: 'tool' | 'job' | 'agent' | 'workflow' | 'map', id: string) =>
    makeStep(owner, id, PORTS[kind], { output: outputOf(id), error: memberOf(outputOf(id), 'error') })
  const calling = (kind: 'tool' | 'job' | 'agent' | 'workflow', id: string, options: StepOptions, body: (own: object) => Write) => {
    steps.add(id, options, (own, path) => body(own)(draft, { path, step: id, scopes: [] }))
    return fallible(kind, id)
  }
  return {
    input: Object.freeze(inputs),
    run: Object.freeze({ id: reference('run.id') }),
    principal: Object.freeze({
      team_id: reference('principal.team_id'),
      user_id: reference('principal.user_id'),
      locale: reference('principal.locale'),
    }),
    call: (id: string, tool: Parameters<typeof write.tool>[0], options: StepOptions) =>
      calling('tool', id, options, (own) => write.tool(tool, own)),
    job: (id: string, job: Parameters<typeof write.job>[0], options: StepOptions) =>
      calling('job', id, options, (own) => write.job(job, own)),
    workflow: (id: string, workflow: Parameters<typeof write.workflow>[0], options: StepOptions) =>
      calling('workflow', id, options, (own) => write.workflow(workflow, own)),
    agent: (id: string, options: StepOptions) => calling('agent', id, options, write.agent),
    approve: (id: string, options: StepOptions & ApproveOptions<{}>) => {
      steps.add(id, options, ({ message, show, ...rest }, path) => kindOf(draft, 'approve', path, rest, { message, show }))
      return makeStep(owner, id, PORTS.approve, { output: outputOf(id) })
    },
    choice: (id: string, options: StepOptions & ChoiceOptions<string>) => {
      steps.add(id, options, ({ branches, ...rest }, path) => ({
        ...kindOf(draft, 'choice', path, rest, {}),
        branches: branchesOf(draft, branches, path),
      }))
      return makeStep(owner, id, Object.keys(options.branches), {}, true)
    },
    map: (id: string, options: StepOptions & MapOptions<unknown, unknown>) => {
      steps.add(id, options, ({ over, do: body, ...rest }, path) => ({
        ...kindOf(draft, 'map', path, rest, { over }),
        do: perItem(draft, id, body, path),
      }))
      return fallible('map', id)
    },
    wait: (id: string, options: StepOptions & WaitOptions) => {
      steps.add(id, options, ({ seconds, until, ...rest }, path) => kindOf(draft, 'wait', path, rest, { seconds, until }))
      return makeStep(owner, id, PORTS.wait, { output: outputOf(id) })
    },
    when: conditionsOn,
    otherwise,
    taken: (choice: object) => memberOf(outputOf(entryOf(choice)?.text ?? ''), 'branch'),
    undo: makeUndo,
    at: memberOf,
    present: (reference: object) => reference,
  } satisfies Record<keyof Builder<InputFields>, unknown>
}

/** A step's own members: those that take references, and the rest. */
const kindOf = (draft: Draft, uses: string, path: Path, rest: object, values: object): Members => ({
  uses,
  ...draft.options(rest, path),
  ...(draft.value(values, path) as Members),
})

function branchesOf(draft: Draft, branches: ChoiceOptions<string>['branches'], path: Path): Json[] {
  return Object.entries(branches).map(([name, condition], i): Members => {
    const at = [...path, 'branches', i]
    const asked = askedBy(Object(condition) as object)
    if (asked === undefined)
      draft.report('wrong_type', at, `the branch '${name}' needs a condition: when(…), or otherwise if it is the last`)
    return asked ? { name, when: draft.value(asked, [...at, 'when']) } : { name }
  })
}

function perItem(draft: Draft, id: string, body: MapOptions<unknown, unknown>['do'], path: Path): Members {
  const scope = {}
  const at = [...path, 'do']
  const each = {
    item: makeReference(draft.owner, 'item', scope),
    index: makeReference(draft.owner, 'index', scope),
    call: (...args: Parameters<typeof write.tool>) => makeBody(write.tool(...args)),
    job: (...args: Parameters<typeof write.job>) => makeBody(write.job(...args)),
    workflow: (...args: Parameters<typeof write.workflow>) => makeBody(write.workflow(...args)),
    agent: (...args: Parameters<typeof write.agent>) => makeBody(write.agent(...args)),
  } satisfies Record<keyof Each<unknown>, unknown>
  const written = writeBody(body(each as unknown as Parameters<typeof body>[0]), draft, { path: at, step: id, scopes: [scope], own: {} })
  if (!written) draft.report('wrong_type', at, 'do gives one of the calls of its argument: call, job, workflow or agent')
  return written ?? {}
}
