import { z } from 'zod'

const port = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be 1 to 65535')
  .max(65_535, 'must be 1 to 65535')

const concurrency = z.coerce
  .number('must be a number')
  .int('must be a whole number')
  .min(1, 'must be 1 or more')
  .max(1000, 'must be at most 1000')

const settings = z.object({
  DATABASE_URL: z
    .string('is missing: start Clew with "npm start", or set it to postgres://user:password@host:port/database')
    .regex(/^postgres(ql)?:\/\//, 'must look like postgres://user:password@host:port/database'),
  CLEW_SECRET: z.string('is missing: set it to at least 32 random characters').min(32, 'must have at least 32 characters'),
  /** Former values of CLEW_SECRET, separated by commas: they still open what was sealed with them, and sign nothing new. */
  CLEW_SECRET_RETIRED: z
    .string()
    .default('')
    .transform((list) => list.split(',').flatMap((one) => one.trim() || []))
    .pipe(z.array(z.string().min(32, 'must be former values of CLEW_SECRET, separated by commas'))),
  /** Where people reach this Clew; links in mails and the sign-in use nothing else. No slash at the end. */
  CLEW_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be the full address, such as https://clew.example.com' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** True only on an embedded database bound to loopback: offers "continue as …" for the demo accounts. */
  CLEW_DEMO: z.stringbool('must be 1 or 0').default(false),
  PORT: port.default(3000),
  CLEW_HOST: z.string().min(1, 'must not be empty').default('127.0.0.1'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'must be one of fatal, error, warn, info, debug, trace, silent')
    .default('info'),
  /** How many steps one worker runs at the same time. */
  CLEW_WORKER_CONCURRENCY: concurrency.default(20),
  /** How many jobs of each kind one worker runs at the same time. */
  CLEW_JOB_CONCURRENCY: concurrency.default(4),
  /** How many conversations of agents one worker has at the same time: each mostly waits for the model. */
  CLEW_AGENT_CONCURRENCY: concurrency.default(20),
  /** Where the worker says once a second that its event loop turns; set by whoever watches it. */
  CLEW_HEARTBEAT_FD: z.coerce.number('must be a number').int('must be a whole number').min(3, 'must be 3 or more').optional(),
  /** Whom agents ask: any server that speaks as OpenAI's chat completions do, such as https://api.openai.com/v1 or http://127.0.0.1:11434/v1. */
  CLEW_AI_BASE_URL: z.url({ protocol: /^https?$/, error: 'must be the full address, such as http://127.0.0.1:11434/v1' }).optional(),
  CLEW_AI_MODEL: z.string().optional(),
  CLEW_AI_API_KEY: z.string().optional(),
  /** How many steps of one team run at the same time, on all workers together. Without it: about nine tenths of all slots. */
  CLEW_TEAM_CONCURRENCY: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(100_000, 'must be at most 100000')
    .optional(),
  /** Runs that ended longer ago than so many days are deleted. Without it they are kept. */
  CLEW_RETENTION_DAYS: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(36_500, 'must be at most 36500')
    .optional(),
  /** The folder whose subfolders are plugins. */
  CLEW_PLUGINS_DIR: z.string().min(1, 'must not be empty').default('plugins'),
  /** Sends mail when set, such as smtp://user:password@mail.example.com:587. */
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: 'must look like smtp://user:password@host:port' }).optional(),
  /** An OTLP receiver such as http://127.0.0.1:4318: traces are sent to it when set. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/, error: 'must be the full address, such as http://127.0.0.1:4318' }).optional(),
  /** Messages of errors in logs and traces. They may hold what people typed. */
  CLEW_ERROR_MESSAGES: z.stringbool('must be 1 or 0').default(false),
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
})

const schema = settings.refine((set) => (set.CLEW_AI_BASE_URL === undefined) === (set.CLEW_AI_MODEL === undefined), {
  path: ['CLEW_AI_BASE_URL'],
  error: 'and CLEW_AI_MODEL are needed together',
})

export type Env = Omit<z.output<typeof schema>, 'CLEW_PUBLIC_URL'> & { CLEW_PUBLIC_URL: string }

/**
 * Reads settings from environment variables; an empty variable counts as not set.
 * @throws {Error} one line per setting that is wrong, without its value: it may be a secret
 */
export function parseEnv(variables: Record<string, string | undefined>): Env {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== undefined && value !== ''))
  const parsed = schema.safeParse(given)
  if (!parsed.success) {
    throw new Error(
      ['Clew cannot start with these settings:', ...parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`)].join(
        '\n',
      ),
    )
  }
  return { ...parsed.data, CLEW_PUBLIC_URL: parsed.data.CLEW_PUBLIC_URL ?? `http://127.0.0.1:${parsed.data.PORT}` }
}

let current: Env | undefined

/** The settings of this process, read once, at the first call (a build imports this file and has none). */
export function env(): Env {
  current ??= parseEnv(process.env)
  return current
}
