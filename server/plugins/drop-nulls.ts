import type { z } from 'zod'
import type { Json } from '@/spec'

/**
 * Drops each null that the schema neither requires nor allows (spec-v1.md, 4): a reference that leads nowhere then counts as absent.
 * Looks into the objects and lists that the schema declares.
 */
export function dropNulls(schema: z.core.$ZodType, value: Json): Json {
  const def = unwrap(schema as z.ZodType)
  if (def.type === 'array' && Array.isArray(value)) return value.map((item) => dropNulls(def.element, item))
  if (def.type !== 'object' || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const kept = Object.entries(value).flatMap(([name, inner]): [string, Json][] => {
    const declared = Object.hasOwn(def.shape, name)
    const member = declared ? def.shape[name] : def.catchall
    if (inner !== null) return [[name, member ? dropNulls(member, inner) : inner]]
    const required = declared && !accepts(member, undefined)
    return required || accepts(member, null) ? [[name, null]] : []
  })
  return Object.fromEntries(kept)
}

const accepts = (schema: z.core.$ZodType | undefined, value: null | undefined) =>
  schema !== undefined && (schema as z.ZodType).safeParse(value).success

/** What a schema is below `.optional()`, `.default(…)`, `.nullable()` and the like. */
function unwrap(schema: z.ZodType): z.core.$ZodObjectDef | z.core.$ZodArrayDef | { type: 'other' } {
  const def = schema.def as z.core.$ZodTypeDef & { innerType?: z.ZodType }
  if (def.innerType) return unwrap(def.innerType)
  return def.type === 'object' || def.type === 'array' ? (def as z.core.$ZodObjectDef | z.core.$ZodArrayDef) : { type: 'other' }
}
