import { z } from 'zod'
import { isObject, type JsonObject } from '../json'
import { byUses, LIMITS, STEP_FIELDS, VALUE } from '../schema'
import { AGENT_BODY, checkAgent } from './agent'
import { JOB_BODY } from './job'
import type { Kind } from './kind'
import { PORTS } from './ports'
import { TOOL_BODY } from './tool'
import { WORKFLOW_BODY } from './workflow'

export const MAP_DEFAULTS = { concurrency: 10, tolerate: 0 } as const

const toolBody = z.strictObject(TOOL_BODY)
const jobBody = z.strictObject(JOB_BODY)
const workflowBody = z.strictObject(WORKFLOW_BODY)
const agentBody = z.strictObject(AGENT_BODY)
type Bodies = [typeof toolBody, typeof jobBody, typeof workflowBody, typeof agentBody]

/** What a map does for each item: one schema for each kind that can be done so. */
const BODY = byUses<z.input<Bodies[number]>>({
  schemas: { tool: toolBody, job: jobBody, agent: agentBody, workflow: workflowBody },
  base: z.object({ uses: z.string() }),
  known: 'a map can do',
})

const schema = z.strictObject({
  ...STEP_FIELDS,
  uses: z.literal('map'),
  over: VALUE,
  do: BODY,
  concurrency: z.int().min(1).max(100).default(MAP_DEFAULTS.concurrency),
  tolerate: z.int().min(0).default(MAP_DEFAULTS.tolerate),
})
export type MapStep = z.input<typeof schema>

export const map: Kind<MapStep> = {
  schema,
  ports: () => PORTS.map,
  defaultPort: 'succeeded',
  dependentDefaults: () => ({}),
  references: ([field, inner], raw) => {
    if (field !== 'do') return {}
    if (inner === 'compensate') return { item: true, self: true, secret: true }
    return { item: true, secret: callsTool(raw.do) }
  },
  check: (raw, path, report) => {
    if (isObject(raw.do) && raw.do.uses === 'agent') checkAgent(raw.do, [...path, 'do'], report)
    const { over } = raw
    const at = [...path, 'over']
    if (Array.isArray(over)) {
      if (over.length > LIMITS.mapItems) report('too_many', at, `a map goes over at most ${LIMITS.mapItems} items`)
    } else if (typeof over === 'string') {
      if (!over.includes('${')) report('reference_required', at, 'must be a reference, or an array of values')
    } else if (over !== undefined) {
      report('wrong_type', at, 'must be a reference, or an array of values')
    }
  },
}

/** Only a tool can declare an input secret. */
function callsTool(body: JsonObject[string] | undefined): boolean {
  return isObject(body) && typeof body.uses === 'string' && body.uses.startsWith('tool:')
}
