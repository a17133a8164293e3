import { z } from 'zod'
import type { ToolContext } from './context'
import type { Returned } from './result'

const MARK = Symbol.for('clew.tool')

/** `read` changes nothing; `write` is safe to repeat under the same idempotency key; `once` cannot be repeated. */
export type Effect = 'read' | 'write' | 'once'

/** A tool that steps call as `tool:NAME`. */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodType = z.ZodType> {
  /** Dotted ids, at most 128 characters: `ledger.post`. Unique in the installation. */
  name: string
  title: string
  description: string
  effect: Effect
  input: Input
  output: Output
  /**
   * Serves one call; `input` has passed the schema. May be repeated under the same `ctx.idempotencyKey` after a crash.
   * @throws {TransientError | RateLimitError | FatalError} what may be done about it; any other error counts as fatal
   */
  run(ctx: ToolContext, input: z.output<Input>): Returned<z.input<Output>> | Promise<Returned<z.input<Output>>>
}

const ID = '[a-z][a-z0-9_]{0,62}'

/** For people, and for PostgreSQL, whose text cannot hold U+0000. */
const text = z
  .string()
  .trim()
  .min(1)
  .refine((value) => !value.includes('\0'), 'must not hold the character U+0000')

const DEFINITION = z.strictObject({
  name: z
    .string()
    .max(128)
    .regex(new RegExp(`^${ID}(\\.${ID})*$`), 'must be dotted ids such as ledger.post'),
  title: text,
  description: text,
  effect: z.enum(['read', 'write', 'once']),
  input: z.custom((value) => zodType(value) === 'object', 'must be a z.object'),
  output: z.custom((value) => zodType(value) !== undefined, 'must be a zod schema'),
  run: z.custom((value) => typeof value === 'function', 'must be a function'),
})

const zodType = (value: unknown) => (value as Partial<z.ZodType> | null | undefined)?.def?.type

/**
 * Checks and marks a tool for a plugin's `tools`. Members that `input` does not declare are refused, unless it is a `z.looseObject`.
 * @throws {Error} what is wrong with the definition
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType>(tool: Tool<Input, Output>): Tool<Input, Output> {
  const checked = DEFINITION.safeParse(tool)
  if (!checked.success)
    throw new Error(`The tool '${String((tool as Partial<Tool> | null)?.name)}' is not valid:\n${z.prettifyError(checked.error)}`)
  const input = tool.input.def.catchall ? tool.input : (tool.input.strict() as unknown as Input)
  return Object.defineProperty({ ...tool, input }, MARK, { value: true })
}

/** Whether a value came from `defineTool`, of any copy of this module. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, MARK)
}
