import pino from 'pino'
import { causesOf } from '../engine/causes'

/** Everything a line may hold: ids, codes, counts. Inputs, outputs and messages of people are not among them. */
type LogFields = Record<string, string | number | boolean | null | undefined>

export type Logger = {
  event(name: string, fields: LogFields): void
  line(level: 'info' | 'warn' | 'error', message: string, fields?: LogFields): void
  /** Something that should not have happened. Its chain of causes is named by class, code and place; by message only where `messages` is set. */
  error(message: string, cause: unknown): void
}

export type LoggerOptions = {
  level: string
  name: string
  /** Whether messages of errors are written: they may hold what people typed, such as the value that a statement did not take. */
  messages?: boolean
  destination?: pino.DestinationStream
}

/** One JSON object a line, on standard output. */
export function createLogger({ level, name, messages = false, destination }: LoggerOptions): Logger {
  const redact = { paths: SECRET_PATHS, censor: '[redacted]' }
  const log = pino({ level, base: { name, pid: process.pid }, redact }, destination)
  return {
    event: (name, fields) => log.info({ event: name, ...fields }, name),
    line: (level, message, fields) => log[level](fields ?? {}, message),
    error: (message, cause) => log.error(cause === null || cause === undefined ? {} : { error: describe(cause, messages) }, message),
  }
}

/** Should one of these ever be handed to the log, its value stays out of it. */
const SECRET_PATHS = ['password', 'secret', 'token', 'key', 'authorization', 'cookie', 'input', 'output', 'comment'].flatMap((name) => [
  name,
  `*.${name}`,
])

/** PostgreSQL's `detail` holds the values of a row, and Drizzle's messages those of a statement: of the one nothing is kept, of the other the SQL. */
function describe(error: unknown, messages: boolean) {
  const query = statementOf(error)
  const causes = causesOf(error).map(({ name, code, message }, depth) => {
    const told: { name: string; code?: string; message?: string } = { name }
    if (code !== null) told.code = code
    if (messages && message !== null && (query === undefined || depth > 0)) told.message = message.slice(0, 1_000)
    return told
  })
  return { causes, ...(query === undefined ? {} : { query }), places: placesOf(error) }
}

/** The text of a failed statement: its values are parameters. */
const statementOf = (error: unknown): string | undefined =>
  error instanceof Error && 'params' in error && 'query' in error && typeof error.query === 'string' ? error.query : undefined

/** Where it was thrown. Only what can be nothing but a place: a stack begins with the message, and names functions as data may be named. */
function placesOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return []
  const header = error.stack.indexOf(error.message) + error.message.length
  return [...error.stack.slice(Math.max(0, header)).matchAll(/^\s+at .*?\(?((?:file|node):[^\s()]+:\d+:\d+|\/[^\s()]+:\d+:\d+)\)?$/gm)]
    .slice(0, 12)
    .map(([, place]) => place ?? '')
}
