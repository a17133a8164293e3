import { z } from 'zod'
import { byUses, LIMITS, STEP_FIELDS, TOOL_CALL_FIELDS, TOOL_USES, VALUE } from '../schema'
import type { Kind } from './kind'
import { PORTS } from './ports'

export const MAP_DEFAULTS = { concurrency: 10, tolerate: 0 } as const

const toolCall = z.strictObject({ uses: TOOL_USES, ...TOOL_CALL_FIELDS })

/** What a map does for each item: one schema for each kind that can be done so. */
const BODY = byUses<z.input<typeof toolCall>>({ schemas: { tool: toolCall }, base: z.object({ uses: z.string() }), known: 'a map can do' })

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
  references: ([field, inner]) => {
    if (field !== 'do') return {}
    return inner === 'compensate' ? { item: true, self: true, secret: true } : { item: true, secret: true }
  },
  check: (raw, path, report) => {
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
  label: null,
  describe: (step, words) =>
    `for each of ${Array.isArray(step.over) ? `${step.over.length} items` : words.value(step.over)}, runs ${words.tool(step.do.uses.slice('tool:'.length))}`,
}
