import { problemPositions, validateWorkflow, type Json, type Problem } from '@/spec'
import { makeBuilder, Steps } from './workflow/build'
import type { Builder } from './workflow/builder'
import type { Workflow } from './workflow/callable'
import { Draft } from './workflow/document'
import type { GivenTo, InputFields, InputRefs } from './workflow/field'
import { makeReference, type Plain, type Reference } from './workflow/reference'
import type { AnyValue, Resolved } from './workflow/value'

interface WorkflowOptions<F extends InputFields> {
  /** Its identity within a team: lower-case letters, digits and `-`. */
  slug: string
  title: string
  description?: string
  /** What a run is started with. */
  input?: F
  /** Names a run in lists. */
  runTitle?: string | ((input: InputRefs<F>) => Reference<string | number | null>)
  /** When a run that ends so is undone; `['parked']`, unless said otherwise. */
  compensateOn?: readonly ('parked' | 'rejected' | 'cancelled')[]
}
type Outputs = { readonly [name: string]: AnyValue }
type OutputsOf<O> = O extends Outputs ? { -readonly [K in keyof O]: Plain<Resolved<O[K]>> } : null

/** What is wrong with a workflow, each with the step or the field that it is about. */
export class InvalidWorkflowError extends Error {
  override name = 'InvalidWorkflowError'
  constructor(
    slug: string,
    lines: readonly string[],
    readonly problems: readonly Problem[],
  ) {
    super(`The workflow '${slug}' is not valid:\n${lines.map((line) => `- ${line}`).join('\n')}`)
  }
}

/**
 * A workflow document, written in TypeScript: plain JSON, as a person would have written it. `build` adds the steps and returns the output.
 * @throws {InvalidWorkflowError} everything that keeps the document from being published
 */
export function defineWorkflow<const F extends InputFields = {}, O extends Outputs | void = void>(
  options: WorkflowOptions<F>,
  build: (w: Builder<F>) => O,
): Workflow<GivenTo<F>, OutputsOf<O>> {
  const draft = new Draft()
  const steps = new Steps(draft)
  const { input, runTitle, ...rest } = options
  const inputs = Object.assign(
    Object.create(null) as object,
    Object.fromEntries(Object.keys(input ?? {}).map((name) => [name, makeReference(draft.owner, `input.${name}`)])),
  ) as InputRefs<F>
  const output = build(makeBuilder(draft, steps, inputs) as unknown as Builder<F>)
  steps.close()
  if (output instanceof Promise) refusePromise(options.slug, output)
  const document = {
    spec: 1,
    ...draft.options({ ...rest, input }, []),
    ...(draft.value({ run_title: typeof runTitle === 'function' ? runTitle(inputs) : runTitle, output }, []) as object),
    steps: steps.written,
  }
  check(document as Json, draft.problems)
  return document as unknown as Workflow<GivenTo<F>, OutputsOf<O>>
}

/** What an async function adds after its first `await` would be missing without a word. */
function refusePromise(slug: string, output: Promise<unknown>): never {
  // What else goes wrong in it is a consequence, and must not end the process.
  output.catch(() => {})
  const message =
    'build gives a promise: it must not be async, because what it adds after an await would be missing. Await before defineWorkflow'
  throw new InvalidWorkflowError(slug, [message], [{ code: 'wrong_type', path: '', message }])
}

function check(document: Json, own: readonly Problem[]): void {
  const checked = validateWorkflow(document)
  if (checked.ok && own.length === 0) return
  // Where the builder has said what is wrong, the document has only a gap left.
  const found = checked.ok ? [] : checked.problems.filter(({ path }) => !own.some((said) => `${path}/`.startsWith(`${said.path}/`)))
  const problems = inOrder(document, [...own, ...found])
  const { slug } = document as { slug?: unknown }
  throw new InvalidWorkflowError(
    String(slug),
    problems.map((problem) => line(document, problem)),
    problems,
  )
}

/** In the order of the document. */
function inOrder(document: Json, problems: Problem[]): Problem[] {
  const positions = problemPositions(
    textOf(document),
    problems.map(({ path }) => path),
  )
  const order = problems.map((problem, i) => ({ problem, column: positions[i]?.column ?? 0 }))
  return order.sort((a, b) => a.column - b.column).map(({ problem }) => problem)
}

/** On one line, whatever it holds: only the places matter. */
function textOf(document: Json): string {
  try {
    return JSON.stringify(document)
  } catch {
    return '{}'
  }
}

/** A problem as a sentence about a step, by its id, and a place in it. */
function line(document: Json, { path, message, hint }: Problem): string {
  const segments = path.split('/').slice(1)
  const { steps } = document as { steps: { id?: unknown }[] }
  const step = segments[0] === 'steps' && segments.length > 1 ? steps[Number(segments[1])] : undefined
  const place = [...(step ? [`step '${String(step.id)}'`] : []), segments.slice(step ? 2 : 0).join('.')].filter(Boolean).join(', ')
  return `${place || 'the document'}: ${message}${hint === undefined ? '' : ` (${hint})`}`
}
