import type { AnyJob, AnyTool, AnyWorkflow, InputOf, OutputOf } from './callable'
import type { Condition } from './condition'
import type { AnswerFields, FormFields, ValuesOf } from './field'
import type { Ref, Reference } from './reference'
import type { AnyValue, PlainInput, Resolved, ToolInput, Value, With } from './value'

declare const ENTRY: unique symbol
declare const UNDO: unique symbol
declare const BODY: unique symbol

/** What stands in `after`: a step, or one of its ports. */
interface Entry {
  readonly [ENTRY]: true
}

/** How to undo a success: see `undo`. */
export interface Undo {
  readonly [UNDO]: true
}

/** What a map does for an item: see `Each`. */
export interface Body<out T> {
  readonly [BODY]: T
}

/** A step; in `after` it means that it succeeded. */
interface Step<T> extends Entry {
  readonly output: Ref<T>
  readonly succeeded: Entry
}

/** A step that somebody may follow by its failure. `error` is null where it did not fail. */
export interface FallibleStep<T> extends Step<T> {
  readonly failed: Entry
  readonly error: Ref<{ code: string; message: string } | null>
}

export type WaitStep = Step<{ waited_until: string }>

/** A gate; in `after` it means that it was approved. */
export interface ApproveStep<Form> extends Entry {
  readonly output: Ref<Decided<Form>>
  readonly approved: Entry
  readonly rejected: Entry
  readonly expired: Entry
}

type Channel = 'web' | 'email' | 'mcp'
interface Decided<Form> {
  decision: 'approved' | 'rejected' | 'expired'
  decided_by: string | null
  channel: Channel | 'rest' | null
  comment: string | null
  /** Null unless it was approved. */
  form: Form | null
  at: string
  approvals: { decided_by: string; channel: Channel | 'rest'; comment: string | null; at: string }[]
}

/** The ports of a choice, by the names of its branches. It cannot itself stand in `after`: name a branch. */
export type Choice<Branch extends string> = { readonly [B in Branch]: Entry }

export interface StepOptions {
  /** What it waits for; `[]` starts at once. */
  after: readonly Entry[]
  /** `all`, unless said otherwise: one of `after` that does not come about skips the step. `any`: one that does starts it. */
  join?: 'all' | 'any'
  title?: string
  description?: string
}

/** How often, how long, and how it is undone. Times are in seconds. */
interface Attempts<T> {
  retry?: { maxAttempts?: number; baseSeconds?: number; maxSeconds?: number }
  timeoutSeconds?: number
  compensate?: Compensate<T>
}
/** Undoes a success; `output` is what it gave. */
type Compensate<T> = (output: Ref<T>) => Undo

export type ToolOptions<T extends AnyTool> = Attempts<OutputOf<T>> & With<InputOf<T>, ToolInput<InputOf<T>>>
export type JobOptions<J extends AnyJob> = Attempts<OutputOf<J>> & With<InputOf<J>, PlainInput<InputOf<J>>>
export type WorkflowStepOptions<W extends AnyWorkflow> = {
  /** Without it: the version that is current when the parent starts. */
  version?: number
  compensate?: Compensate<OutputOf<W>>
} & With<InputOf<W>, PlainInput<InputOf<W>>>

export interface AgentOptions<F extends AnswerFields> extends Attempts<Answer<F>> {
  goal: Value<string>
  context?: AnyValue
  /** Only those whose effect is `read` are called, unless `unattended`. */
  tools?: readonly AnyTool[]
  unattended?: boolean
  maxTurns?: number
  /** What it has to answer; without it, a text. */
  output?: F
}
export type Answer<F> = [keyof F] extends [never] ? { text: string } : ValuesOf<F>

interface GateOptions {
  /** Who may decide. */
  role: string
  channels?: readonly Channel[]
  ttlSeconds?: number
  message?: AnyValue
  /** What an approver sees: this and nothing else. */
  show?: { readonly [name: string]: AnyValue }
  /** Whether who started the run may decide. */
  selfApproval?: boolean
  remindAfterSeconds?: number
}
/** Several people cannot fill in one form, and are told apart by signing in. */
export type ApproveOptions<F extends FormFields> = GateOptions &
  ({ approvals?: 1; form?: F; requireSignIn?: boolean } | { approvals: number; form?: never; requireSignIn?: true })

export interface ChoiceOptions<Branch extends string> {
  /** The first that holds is taken; only the last may be `otherwise`. */
  branches: { readonly [B in Branch]: Condition }
}

export interface MapOptions<O, T> {
  over: O
  do: (each: Each<ItemOf<O>>) => Body<T>
  /** How many at once. */
  concurrency?: number
  /** How many items may fail. */
  tolerate?: number
}
export type Over = Reference<readonly unknown[]> | readonly AnyValue[]
type ItemOf<O> = Resolved<O> extends readonly (infer E)[] ? E : never
export interface Mapped<T> {
  /** In the order of `over`; null where an item failed. */
  results: (T | null)[]
  failed: { index: number; error: { code: string; message: string } }[]
}

/** Seconds, or a moment (RFC 3339 with offset). */
export type WaitOptions = { seconds: Value<number>; until?: never } | { until: Value<string>; seconds?: never }

/** What a map does for each item: one of these calls. */
export interface Each<T> {
  readonly item: Ref<T>
  readonly index: Ref<number>
  call<const C extends AnyTool>(tool: C, options: ToolOptions<C>): Body<OutputOf<C>>
  job<const C extends AnyJob>(job: C, options: JobOptions<C>): Body<OutputOf<C>>
  workflow<const C extends AnyWorkflow>(workflow: C, options: WorkflowStepOptions<C>): Body<OutputOf<C>>
  agent<const F extends AnswerFields = {}>(options: AgentOptions<F>): Body<Answer<F>>
}
