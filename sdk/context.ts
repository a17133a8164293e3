/** What the row of a query is unless the caller says more. */
export type Row = Record<string, unknown>

/** The plugin's own tables (`migrations/*.sql`), as the run's team sees them: another team's rows do not exist. */
export interface PluginDb {
  /**
   * One statement in a transaction of its own; `$1`, `$2` … take `params`. Resolves to its rows (of `RETURNING`, for a write).
   * @throws {TransientError} the database was not reached, or asks to try again (deadlock, restart)
   */
  query<T extends object = Row>(sql: string, params?: readonly unknown[]): Promise<T[]>
}

export type LogFields = Record<string, string | number | boolean | null>

/** Lines of the worker's log. For ids, codes and sizes: never for what people typed. */
export interface ToolLogger {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** What a tool is told about the call it serves. */
export interface ToolContext {
  readonly runId: string
  readonly stepId: string
  /** The index of a map's item, or -1 outside maps. */
  readonly item: number
  /** 1 for the first. */
  readonly attempt: number
  /** The same for every attempt of one call, different for any other call: forward it, or make it a unique column. */
  readonly idempotencyKey: string
  /** Aborts on the step's timeout and when the run is cancelled. */
  readonly signal: AbortSignal
  readonly principal: { readonly userId: string; readonly teamId: string; readonly locale: string }
  readonly logger: ToolLogger
  readonly db: PluginDb
}
