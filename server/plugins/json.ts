import type { z } from 'zod'
import type { Json } from '@/spec'

/**
 * A value as JSON keeps it, or undefined where it would not come back as it was (a Date, a Map, NaN, a cycle). Members that are undefined
 * are left out, as JSON.stringify does it.
 */
export function asJson(value: unknown, ancestors: ReadonlySet<object> = new Set()): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value !== 'object' || ancestors.has(value)) return undefined
  const within = new Set(ancestors).add(value)
  if (Array.isArray(value)) {
    const items = Array.from(value, (item: unknown) => asJson(item, within))
    return items.includes(undefined) ? undefined : (items as Json[])
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return undefined
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined)
  const kept = members.map(([name, inner]) => [name, asJson(inner, within)] as const)
  return kept.some(([, inner]) => inner === undefined) ? undefined : (Object.fromEntries(kept) as Json)
}

/**
 * Drops each null that the schema neither requires nor allows (spec-v1.md, 4): a reference that leads nowhere then counts as absent.
 * Looks into the objects and lists that the schema declares.
 */
export function dropNulls(schema: z.core.$ZodType, value: Json): Json {
  const def = unwrap(schema)._zod.def as z.core.$ZodTypes['_zod']['def']
  if (def.type === 'array' && Array.isArray(value)) return value.map((item) => dropNulls(def.element, item))
  if (def.type !== 'object' || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const memberSchema = (name: string) => (Object.hasOwn(def.shape, name) ? def.shape[name] : def.catchall)
  const kept = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const member = memberSchema(name)
    if (inner !== null) return [[name, member ? dropNulls(member, inner) : inner]]
    const required = member !== undefined && member !== def.catchall && member._zod.optin !== 'optional'
    return required || (member !== undefined && allowsNull(member)) ? [[name, null]] : []
  })
  return Object.fromEntries(kept)
}

const allowsNull = (schema: z.core.$ZodType) => {
  const result = schema._zod.run({ value: null, issues: [] }, { async: false })
  return !(result instanceof Promise) && result.issues.length === 0
}

/** The schema below `.optional()`, `.default(…)`, `.nullable()` and the like. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const def = schema._zod.def as { innerType?: z.core.$ZodType }
  return def.innerType ? unwrap(def.innerType) : schema
}
