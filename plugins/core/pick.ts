import { defineTool, z } from '@/sdk'

export const pick = defineTool({
  name: 'data.pick',
  title: 'Take one value out',
  description: 'Follows a dotted path, such as items.0.name, into a value. A path that leads nowhere gives null.',
  effect: 'read',
  input: z.object({
    from: z.json().describe('The value to look into'),
    path: z.string().min(1).max(1_000).describe('Names and, for lists, numbers from 0, separated by dots'),
  }),
  output: z.object({ value: z.json() }),
  run(_ctx, { from, path }) {
    let value = from
    for (const segment of path.split('.')) value = member(value, segment)
    return { value }
  },
})

/** As references do it: own members only, an index without a leading zero, and strings have no members. */
function member(value: z.core.util.JSONType, segment: string): z.core.util.JSONType {
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(value)) return /^(0|[1-9]\d*)$/.test(segment) ? (value[Number(segment)] ?? null) : null
  return Object.hasOwn(value, segment) ? (value[segment] ?? null) : null
}
