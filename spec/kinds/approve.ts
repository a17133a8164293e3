import { z } from 'zod'
import { isObject } from '../json'
import { FIELDS, NAMED_VALUES, STEP_FIELDS, VALUE } from '../schema'
import { reportDuplicates } from '../problems'
import type { Kind } from './kind'
import { PORTS } from './ports'

export const APPROVE_DEFAULTS = { channels: ['web'], ttl_seconds: 259_200, approvals: 1, self_approval: false } as const

const schema = z.strictObject({
  ...STEP_FIELDS,
  uses: z.literal('approve'),
  role: z.string().regex(/^[a-z][a-z0-9_-]{0,62}$/, 'must match ^[a-z][a-z0-9_-]{0,62}$'),
  channels: z
    .array(z.enum(['web', 'email', 'mcp']))
    .min(1)
    .default([...APPROVE_DEFAULTS.channels]),
  ttl_seconds: z.number().min(60).max(7_776_000).default(APPROVE_DEFAULTS.ttl_seconds),
  message: VALUE.optional(),
  show: NAMED_VALUES.default({}),
  form: FIELDS.default({}),
  approvals: z.int().min(1).default(APPROVE_DEFAULTS.approvals),
  self_approval: z.boolean().default(APPROVE_DEFAULTS.self_approval),
  require_sign_in: z.boolean().optional(),
  remind_after_seconds: z.number().min(3600).optional(),
})
export type ApproveStep = z.input<typeof schema>

export const approve: Kind<ApproveStep> = {
  schema,
  ports: () => PORTS.approve,
  defaultPort: 'approved',
  dependentDefaults: (step) => ({ require_sign_in: (step.approvals ?? 1) > 1 }),
  references: () => ({}),
  check: (raw, path, report) => {
    reportDuplicates(raw.channels, [...path, 'channels'], report)
    if (typeof raw.approvals !== 'number' || raw.approvals <= 1) return
    if (isObject(raw.form) && Object.keys(raw.form).length > 0) {
      report('field_not_allowed', [...path, 'form'], "a form needs 'approvals' of 1: several people cannot fill in one form")
    }
    if (raw.require_sign_in === false) {
      report(
        'invalid_value',
        [...path, 'require_sign_in'],
        "must not be false with 'approvals' above 1: people are told apart by signing in",
      )
    }
  },
}
