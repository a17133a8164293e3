import type { z } from 'zod'
import type { Json } from '@/spec'

// A registered symbol is the same in every copy of this module.
const MARK = Symbol.for('clew.tool-result')

/** How to undo a success: a tool's name and its literal input. A closure would not survive a restart. */
export interface Compensation {
  uses: `tool:${string}`
  with: Record<string, Json>
}

/** An output with something to say beside it. */
export interface ToolResult<T> {
  output: T
  hint?: string
  compensation?: Compensation
}

/** What `run` may return. */
export type Returned<T> = T | ToolResult<T>

/** Adds how to undo this success. It counts where the spec's step has no `compensate` of its own. */
export function withCompensation<T>(result: Returned<T>, compensation: Compensation): ToolResult<T> {
  return mark({ ...readResult(result), compensation })
}

/** Adds a sentence for people, shown on the step, e.g. what to look at next. It steers nothing. */
export function withHint<T>(result: Returned<T>, hint: string): ToolResult<T> {
  return mark({ ...readResult(result), hint })
}

/** What was returned, plain or not, in one shape. For the engine's side. */
export function readResult<T>(returned: Returned<T>): ToolResult<T> {
  const marked = typeof returned === 'object' && returned !== null && Object.hasOwn(returned, MARK)
  return marked ? (returned as ToolResult<T>) : { output: returned as T }
}

/** A handler's return as the engine records it. */
type CheckedResult = ToolResult<Json> & { flag?: 'output_invalid' }

/**
 * What a handler gave back, once it is there, with the output as its schema has it. Rejects only where the handler does: the call has had its effect by
 * then, so an output that breaks its schema is kept as it is and flagged, also where the check itself throws (a refinement that expects too much, a
 * getter, nesting without end). For the engine's side.
 */
export async function checkResult(schema: z.ZodType, given: unknown): Promise<CheckedResult> {
  // What throws when it is asked for its `then` is no promise, and `await` would ask.
  const returned = attempted(() => typeof (given as PromiseLike<unknown> | undefined)?.then === 'function') ? await given : given
  const result: ToolResult<unknown> = attempted(() => ({ ...readResult(returned) })) ?? { output: null }
  const parsed = attempted(() => schema.safeParse(result.output))
  if (parsed?.success) return { ...result, output: (parsed.data ?? null) as Json }
  return { ...result, output: (result.output ?? null) as Json, flag: 'output_invalid' }
}

/** Undefined where it throws. */
function attempted<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

function mark<T>(result: ToolResult<T>): ToolResult<T> {
  return Object.defineProperty({ ...result }, MARK, { value: true })
}
