import type { Json } from '@/spec'

/** What to start typing from: the members that a JSON Schema demands, with an empty value of their type. Empty where it demands nothing. */
export function outputSkeleton(schema: Json): string {
  const properties = member(schema, 'properties')
  const required = member(schema, 'required')
  if (!Array.isArray(required) || required.length === 0) return ''
  const entries = required.filter((name) => typeof name === 'string').map((name) => [name, emptyOf(member(properties, name))])
  return JSON.stringify(Object.fromEntries(entries), null, 2)
}

function emptyOf(schema: Json): Json {
  switch (member(schema, 'type')) {
    case 'string':
      return ''
    case 'number':
    case 'integer':
      return 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return null
  }
}

function member(of: Json, name: string): Json {
  if (typeof of !== 'object' || of === null || Array.isArray(of)) return null
  return Object.hasOwn(of, name) ? (of[name] ?? null) : null
}
