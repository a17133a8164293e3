import pino from 'pino'

/** Everything a line may hold: ids, codes, counts. Inputs, outputs and messages of people are not among them. */
type LogFields = Record<string, string | number | boolean | null | undefined>

export type Logger = {
  event(name: string, fields: LogFields): void
  line(level: 'info' | 'warn' | 'error', message: string, fields?: LogFields): void
  /** Something that should not have happened. Causes are named by class and code; of their messages only those of our own are kept. */
  error(message: string, cause: unknown): void
}

type Cause = { name: string; code?: string; message: string; stack?: string; cause?: Cause }

const DEPTH = 5

/** One JSON object a line, on standard output. */
export function createLogger(options: { level: string; name: string; destination?: pino.DestinationStream }): Logger {
  const log = pino(
    { level: options.level, base: { name: options.name, pid: process.pid }, redact: { paths: SECRET_PATHS, censor: '[redacted]' } },
    options.destination,
  )
  return {
    event: (name, fields) => log.info({ event: name, ...fields }, name),
    line: (level, message, fields) => log[level](fields ?? {}, message),
    error: (message, cause) => log.error(cause === null || cause === undefined ? {} : { error: describe(cause, DEPTH) }, message),
  }
}

/** Should one of these ever be handed to the log, its value stays out of it. */
const SECRET_PATHS = ['password', 'secret', 'token', 'key', 'authorization', 'cookie', 'input', 'output', 'comment'].flatMap((name) => [
  name,
  `*.${name}`,
])

/**
 * An error as ids and codes. Drizzle's messages hold the values of the statement's parameters and PostgreSQL's `detail` those of a row, so
 * of the former only the SQL is kept and of the latter nothing.
 */
function describe(error: unknown, depth: number): Cause {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an error' }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const message = 'params' in error && 'query' in error ? `failed query: ${String(error.query)}` : error.message
  return {
    name: error.name,
    ...(code === undefined ? {} : { code }),
    message: withoutLongValues(message),
    ...(error.stack === undefined ? {} : { stack: framesOf(error.stack) }),
    ...(error.cause === undefined || depth === 0 ? {} : { cause: describe(error.cause, depth - 1) }),
  }
}

const withoutLongValues = (message: string) => (message.length > 1_000 ? `${message.slice(0, 1_000)} …` : message)

/** The places only: a stack begins with the message. */
const framesOf = (stack: string) =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 12)
    .join('\n')
