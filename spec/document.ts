import { z } from 'zod'
import { KINDS, type Step } from './kinds'
import { FIELDS, LIMITS, NAMED_VALUES, VALUE } from './schema'

/** A step of any kind. The walkers recognise it by identity and choose the kind's own schema by `uses`. */
export const STEP = z.union(Object.values(KINDS).map((kind) => kind.schema)) as unknown as z.ZodType<Step, Step>

export const DOCUMENT = z.strictObject({
  spec: z.literal(1),
  slug: z.string().regex(/^[a-z][a-z0-9-]{1,62}$/, 'must match ^[a-z][a-z0-9-]{1,62}$'),
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
