import { z } from 'zod'
import { KIND_NAMES, KINDS, type Step } from './kinds'
import { byUses, FIELDS, LIMITS, NAMED_VALUES, SLUG, STEP_FIELDS, VALUE } from './schema'

const schemas = Object.fromEntries(KIND_NAMES.map((name) => [name, KINDS[name].schema]))
const STEP = byUses<Step>({ schemas, base: z.object(STEP_FIELDS), known: 'the known kinds are' })

export const DOCUMENT = z.strictObject({
  spec: z.literal(1),
  slug: SLUG,
  title: z.string(),
  description: z.string().optional(),
  input: FIELDS.default({}),
  run_title: VALUE.optional(),
  steps: z.array(STEP).min(1).max(LIMITS.steps),
  output: NAMED_VALUES.optional(),
  compensate_on: z.array(z.enum(['parked', 'rejected', 'cancelled'])).default(['parked']),
})

/** A workflow document as it is written: fields equal to their default may be absent. */
export type WorkflowSpec = z.input<typeof DOCUMENT>
