/** What a plugin imports, and all that it imports of Clew. */
export type { LogFields, PluginDb, Row, ToolContext, ToolLogger } from './context'
export { defineTool } from './define-tool'
export type { Effect, Tool } from './define-tool'
export { FatalError, RateLimitError, TransientError } from './errors'
export { withCompensation, withHint } from './result'
export type { Compensation, ToolResult } from './result'
export { z } from 'zod'
