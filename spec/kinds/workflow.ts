import { z } from 'zod'
import { COMPENSATE, STEP_FIELDS, VALUES, WORKFLOW_USES } from '../schema'
import type { Kind } from './kind'
import { PORTS } from './ports'

/** What a child workflow is started with, in a step and in a map's `do`. */
export const WORKFLOW_BODY = { uses: WORKFLOW_USES, with: VALUES.default({}), compensate: COMPENSATE.optional() }

const schema = z.strictObject({ ...STEP_FIELDS, ...WORKFLOW_BODY })
export type WorkflowStep = z.input<typeof schema>

export const workflow: Kind<WorkflowStep> = {
  schema,
  ports: () => PORTS.workflow,
  defaultPort: 'succeeded',
  dependentDefaults: () => ({}),
  references: ([field]) => (field === 'compensate' ? { self: true, secret: true } : {}),
  check: () => {},
}
