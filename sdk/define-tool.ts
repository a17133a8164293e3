import { z } from 'zod'
import type { ToolContext } from './context'
import { checkDefinition, DEFINITION, isMarked, mark, NAME, strict } from './definition'
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

const DEFINED = z.strictObject({ name: NAME, ...DEFINITION })

/**
 * Checks and marks a tool for a plugin's `tools`. Members that `input` does not declare are refused, unless it is a `z.looseObject`.
 * @throws {Error} what is wrong with the definition
 */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodType>(tool: Tool<Input, Output>): Tool<Input, Output> {
  checkDefinition('tool', (tool as Partial<Tool> | null)?.name, DEFINED, tool)
  return mark({ ...tool, input: strict(tool.input) }, MARK)
}

/** Whether a value came from `defineTool`, of any copy of this module. */
export function isTool(value: unknown): value is Tool {
  return isMarked(value, MARK)
}
