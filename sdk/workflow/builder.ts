import type { AnyJob, AnyTool, AnyWorkflow, InputOf, OutputOf } from './callable'
import type { Condition, Conditions } from './condition'
import type { AnswerFields, FormFields, InputFields, InputRefs, ValuesOf } from './field'
import type { At, Ref, Reference } from './reference'
import type {
  AgentOptions,
  Answer,
  ApproveOptions,
  ApproveStep,
  Choice,
  ChoiceOptions,
  FallibleStep,
  JobOptions,
  Mapped,
  MapOptions,
  Over,
  StepOptions,
  ToolOptions,
  Undo,
  WaitOptions,
  WaitStep,
  WorkflowStepOptions,
} from './steps'
import type { ToolInput } from './value'

/** What a workflow is built with. Each method that takes an id adds the step of that id and gives its ports and output. */
export interface Builder<F extends InputFields> {
  readonly input: InputRefs<F>
  readonly run: { readonly id: Ref<string> }
  /** Whom the run acts for. */
  readonly principal: { readonly team_id: Ref<string>; readonly user_id: Ref<string>; readonly locale: Ref<string> }

  /** Calls a tool. */
  call<const C extends AnyTool>(id: string, tool: C, options: StepOptions & ToolOptions<C>): FallibleStep<OutputOf<C>>
  /** Runs a job. */
  job<const C extends AnyJob>(id: string, job: C, options: StepOptions & JobOptions<C>): FallibleStep<OutputOf<C>>
  /** Runs another workflow and waits for its end. */
  workflow<const C extends AnyWorkflow>(id: string, workflow: C, options: StepOptions & WorkflowStepOptions<C>): FallibleStep<OutputOf<C>>
  /** Has a model work on a goal, with tools. */
  agent<const A extends AnswerFields = {}>(id: string, options: StepOptions & AgentOptions<A>): FallibleStep<Answer<A>>
  /** Waits for people to approve. */
  approve<const A extends FormFields = {}>(id: string, options: StepOptions & ApproveOptions<A>): ApproveStep<ValuesOf<A>>
  /** Takes the first branch whose condition holds. */
  choice<const B extends string>(id: string, options: StepOptions & ChoiceOptions<B>): Choice<B>
  /** Does the same for each item of a list. */
  map<const O extends Over, T>(id: string, options: StepOptions & MapOptions<O, T>): FallibleStep<Mapped<T>>
  /** Waits for a time. */
  wait(id: string, options: StepOptions & WaitOptions): WaitStep

  /** A condition: `when(input.amount).gt(500)`. */
  when<T>(left: Reference<T>): Conditions<T>
  /** The last branch of a choice, taken where no other is. */
  readonly otherwise: Condition
  /** Which branch was taken, as a value. */
  taken<B extends string>(choice: Choice<B>): Ref<B>
  /** How a step is undone, for its `compensate`. */
  undo<const C extends AnyTool>(tool: C, input: ToolInput<InputOf<C>>): Undo
  /** An item of a list, or a member whose name is no property of the type. */
  at<T, const K extends string | number>(from: Reference<T>, key: K): At<T, K>
  /** Says that the value cannot be null here, as a choice before this step made sure. It is the same reference: nothing checks it. */
  present<T>(reference: Reference<T>): Ref<NonNullable<T>>
}
