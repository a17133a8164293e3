import { z } from 'zod'
import { callFields, DAY_SECONDS, STEP_FIELDS, TOOL_USES } from '../schema'
import type { Kind } from './kind'
import { PORTS } from './ports'

/** What a tool call is made of, in a step and in a map's `do`. */
export const TOOL_BODY = { uses: TOOL_USES, ...callFields(DAY_SECONDS) }

const schema = z.strictObject({ ...STEP_FIELDS, ...TOOL_BODY })
export type ToolStep = z.input<typeof schema>

export const tool: Kind<ToolStep> = {
  schema,
  ports: () => PORTS.tool,
  defaultPort: 'succeeded',
  dependentDefaults: () => ({}),
  references: ([field]) => (field === 'compensate' ? { self: true, secret: true } : { secret: true }),
  check: () => {},
}
