import { z } from 'zod'
import type { Json } from './json'

/*
 * The building blocks of the format. The zod schemas are the one source of: types, field order of the canonical
 * form (the order of a shape's keys), defaults, leaf checks and the JSON Schema. `check.ts` and `canonical.ts` walk them.
 */

export const LIMITS = {
  textLength: 4 * 1024 * 1024,
  documentBytes: 256 * 1024,
  steps: 500,
  inputFields: 64,
  valueDepth: 16,
  fieldDepth: 16,
  branches: 50,
  mapItems: 10_000,
} as const

const json = () => z.unknown() as unknown as z.ZodType<Json, Json>

/** A value position: a literal, or references. The walkers recognise it by identity. */
export const VALUE = json()
/** Plain data: never scanned for references. */
export const DATA = json()

export const ID_PATTERN = /^[a-z][a-z0-9_]{0,62}$/
export const NAME = z.string().regex(ID_PATTERN, 'must match ^[a-z][a-z0-9_]{0,62}$')
export const ENTRY_PATTERN = /^[a-z][a-z0-9_]{0,62}(\.[a-z][a-z0-9_]{0,62})?$/
const ENTRY = z.string().regex(ENTRY_PATTERN, 'must be a step id, or id.port')
const SLUG_SOURCE = '[a-z][a-z0-9-]{1,62}'
export const SLUG = z.string().regex(new RegExp(`^${SLUG_SOURCE}$`), `must match ^${SLUG_SOURCE}$`)

const DOTTED_SOURCE = '(?=.{1,128}$)[a-z][a-z0-9_]{0,62}(\\.[a-z][a-z0-9_]{0,62})*'
const DOTTED_WORDS = "dotted ids of at most 128 characters ('@' is reserved)"
const usesOf = <P extends string>(prefix: P, source: string, words: string) =>
  z.string().regex(new RegExp(`^${prefix}:${source}$`), words) as unknown as z.ZodType<`${P}:${string}`, `${P}:${string}`>

/** The bare name of a tool, as an agent lists it. */
export const TOOL_NAME = z.string().regex(new RegExp(`^${DOTTED_SOURCE}$`), `must be the name of a tool: ${DOTTED_WORDS}`)
export const TOOL_USES = usesOf('tool', DOTTED_SOURCE, `must be tool:NAME, NAME being ${DOTTED_WORDS}`)
export const JOB_USES = usesOf('job', DOTTED_SOURCE, `must be job:KIND, KIND being ${DOTTED_WORDS}`)
export const WORKFLOW_USES = usesOf(
  'workflow',
  `${SLUG_SOURCE}(@[1-9][0-9]{0,8})?`,
  'must be workflow:SLUG or workflow:SLUG@VERSION, VERSION being a whole number from 1',
)

const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'] as const
const FIELD_FORMATS = ['multiline', 'email', 'uri', 'date', 'date-time'] as const

const OPTIONS = new WeakMap<z.ZodType, ByUses>()
export interface ByUses {
  /** A schema for each kind, by the part of `uses` before the colon. */
  schemas: Record<string, z.ZodObject>
  /** What can still be checked where the kind is unknown. */
  base: z.ZodObject
  /** How a message introduces the known kinds. */
  known: string
}

/** An object whose schema is chosen by its `uses`. */
export function byUses<T>(options: ByUses): z.ZodType<T, T> {
  const union = z.union(Object.values(options.schemas)) as unknown as z.ZodType<T, T>
  OPTIONS.set(union, options)
  return union
}

/** The schemas a `byUses` schema chooses from; undefined for any other schema. */
export function optionsOf(schema: z.ZodType): ByUses | undefined {
  return OPTIONS.get(schema)
}

/** One field of `input`, `form` or `properties`. */
export interface Field {
  type: (typeof FIELD_TYPES)[number]
  title?: string | undefined
  description?: string | undefined
  required?: boolean | undefined
  default?: Json | undefined
  enum?: Json[] | undefined
  format?: (typeof FIELD_FORMATS)[number] | undefined
  minimum?: number | undefined
  maximum?: number | undefined
  min_length?: number | undefined
  max_length?: number | undefined
  items?: Field | undefined
  properties?: Fields | undefined
  secret?: boolean | undefined
}
export type Fields = Record<string, Field>

export const FIELD: z.ZodType<Field, Field> = z.strictObject({
  type: z.enum(FIELD_TYPES),
  title: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().default(true),
  default: DATA.optional(),
  enum: z.array(DATA).min(1).optional(),
  format: z.enum(FIELD_FORMATS).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  min_length: z.int().min(0).optional(),
  max_length: z.int().min(0).optional(),
  items: z.lazy(() => FIELD).optional(),
  properties: z
    .record(
      NAME,
      z.lazy(() => FIELD),
    )
    .default({}),
  secret: z.boolean().default(false),
})
export const FIELDS = z.record(NAME, FIELD)

export const VALUES = z.record(z.string(), VALUE)
/** Values that people see under their names, in the author's order. */
export const NAMED_VALUES = z.record(NAME, VALUE)

export const RETRY_DEFAULTS = { max_attempts: 5, base_seconds: 1, max_seconds: 300 } as const
const RETRY = z.strictObject({
  max_attempts: z.int().min(1).max(20).default(RETRY_DEFAULTS.max_attempts),
  base_seconds: z.number().min(0).max(86_400).default(RETRY_DEFAULTS.base_seconds),
  max_seconds: z.number().min(0).max(86_400).default(RETRY_DEFAULTS.max_seconds),
})
export type Retry = z.input<typeof RETRY>

export const COMPENSATE = z.strictObject({ uses: TOOL_USES, with: VALUES.default({}) })
export type Compensate = z.input<typeof COMPENSATE>

export const CALL_TIMEOUT_DEFAULT = 300
export const DAY_SECONDS = 86_400
/** The fields of a call, after `uses`: of a step, and of a map's `do`. */
export const callFields = (mostSeconds: number) => ({ with: VALUES.default({}), ...attemptFields(mostSeconds, CALL_TIMEOUT_DEFAULT) })

/** How what a worker runs is tried again, bounded in time and undone. */
export const attemptFields = (mostSeconds: number, usualSeconds: number) => ({
  retry: RETRY.default({ ...RETRY_DEFAULTS }),
  timeout_seconds: z.number().gt(0).max(mostSeconds).default(usualSeconds),
  compensate: COMPENSATE.optional(),
})

/** The fields every step begins with. */
export const STEP_FIELDS = {
  id: NAME,
  uses: z.string(),
  after: z.array(ENTRY),
  join: z.enum(['all', 'any']).default('all'),
  title: z.string().optional(),
  description: z.string().optional(),
}
export type Join = 'all' | 'any'
