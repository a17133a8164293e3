import { z } from 'zod'
import { callFields, JOB_USES, STEP_FIELDS } from '../schema'
import type { Kind } from './kind'
import { PORTS } from './ports'

const JOB_SECONDS = 7_776_000

/** What a job is made of, in a step and in a map's `do`. */
export const JOB_BODY = { uses: JOB_USES, ...callFields(JOB_SECONDS) }

const schema = z.strictObject({ ...STEP_FIELDS, ...JOB_BODY })
export type JobStep = z.input<typeof schema>

export const job: Kind<JobStep> = {
  schema,
  ports: () => PORTS.job,
  defaultPort: 'succeeded',
  dependentDefaults: () => ({}),
  references: ([field]) => (field === 'compensate' ? { self: true, secret: true } : {}),
  check: () => {},
}
