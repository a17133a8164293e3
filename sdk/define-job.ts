import { z } from 'zod'
import type { ToolContext } from './context'
import type { Effect } from './define-tool'
import { checkDefinition, DEFINITION, isMarked, mark, NAME, strict } from './definition'
import type { Returned } from './result'

const MARK = Symbol.for('clew.job')

/** Work that takes minutes to days, which steps run as `job:KIND`. */
export interface Job<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** Dotted ids, at most 128 characters: `report.monthly`. Unique in the installation. */
  kind: string
  title: string
  description: string
  effect: Effect
  input: Input
  output: Output
  /**
   * Does the work; `input` has passed the schema. Should look at `ctx.signal`: a job that is cancelled is not killed. May be repeated under
   * the same `ctx.idempotencyKey` after a crash, unless its effect is `once`.
   * @throws {TransientError | RateLimitError | FatalError} what may be done about it; any other error counts as fatal
   */
  run(ctx: ToolContext, input: z.output<Input>): Returned<z.input<Output>> | Promise<Returned<z.input<Output>>>
}

/** Without `effect` it counts as `once`: a job that stops for a person is better than one that does its work twice. */
type JobDefinition<Input extends z.ZodObject, Output extends z.ZodType> = Omit<Job<Input, Output>, 'effect'> & { effect?: Effect }

const DEFINED = z.strictObject({ kind: NAME, ...DEFINITION })

/**
 * Checks and marks a job for a plugin's `jobs`. Members that `input` does not declare are refused, unless it is a `z.looseObject`.
 * @throws {Error} what is wrong with the definition
 */
export function defineJob<Input extends z.ZodObject, Output extends z.ZodType>(job: JobDefinition<Input, Output>): Job<Input, Output> {
  const whole = { ...job, effect: job.effect ?? 'once' }
  checkDefinition('job', whole.kind, DEFINED, whole)
  return mark({ ...whole, input: strict(job.input) }, MARK)
}

/** Whether a value came from `defineJob`, of any copy of this module. */
export function isJob(value: unknown): value is Job {
  return isMarked(value, MARK)
}
