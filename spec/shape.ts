import { z } from 'zod'
import type { Json } from './json'
import { DATA, FIELD, optionsOf, VALUE, VALUES } from './schema'

/** A zod schema as the walkers need it: what stands where, compiled once. */
export type Shape =
  | { type: 'value' }
  | { type: 'data' }
  | { type: 'leaf'; schema: z.ZodType }
  | ObjectShape
  /** `sorted`: the order of its keys means nothing to anybody. */
  | { type: 'map'; name: z.ZodType; of: Shape; sorted: boolean }
  | { type: 'list'; of: Shape; least: number; most: number }
  | { type: 'byUses'; options: Map<string, ObjectShape>; base: ObjectShape; known: string }

export interface ObjectShape {
  type: 'object'
  /** A field of `input`, `form` or `properties`. */
  isField: boolean
  /** In canonical order. */
  fields: Map<string, { shape: Shape; required: boolean; default?: Json }>
}

const shapes = new WeakMap<z.ZodType, Shape>()

/** The shape of a schema built from the pieces of `schema.ts`. */
export function shapeOf(schema: z.ZodType): Shape {
  const known = shapes.get(schema)
  if (known !== undefined) return known
  if (schema === VALUE) return { type: 'value' }
  if (schema === DATA) return { type: 'data' }
  if (schema instanceof z.ZodObject) return objectShape(schema)
  if (schema instanceof z.ZodLazy || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return shapeOf(schema.unwrap() as z.ZodType)
  const shape = compile(schema)
  shapes.set(schema, shape)
  return shape
}

function compile(schema: z.ZodType): Shape {
  const options = optionsOf(schema)
  if (options !== undefined) {
    const compiled = Object.entries(options.schemas).map(([name, option]) => [name, objectShape(option)] as const)
    return { type: 'byUses', options: new Map(compiled), base: objectShape(options.base), known: options.known }
  }
  if (schema instanceof z.ZodRecord) {
    return { type: 'map', name: schema.keyType as z.ZodType, of: shapeOf(schema.valueType as z.ZodType), sorted: schema === VALUES }
  }
  if (schema instanceof z.ZodArray) {
    const bounds = (schema.def.checks ?? []).map(({ _zod: check }) => check.def as { minimum?: number; maximum?: number })
    const least = bounds.find((bound) => bound.minimum !== undefined)?.minimum ?? 0
    const most = bounds.find((bound) => bound.maximum !== undefined)?.maximum ?? Infinity
    return { type: 'list', of: shapeOf(schema.element as z.ZodType), least, most }
  }
  return { type: 'leaf', schema }
}

function objectShape(schema: z.ZodObject): ObjectShape {
  const known = shapes.get(schema)
  if (known?.type === 'object') return known
  const shape: ObjectShape = { type: 'object', isField: (schema as z.ZodType) === FIELD, fields: new Map() }
  // Before its fields: a field may hold fields.
  shapes.set(schema, shape)
  for (const [name, field] of Object.entries(schema.shape)) {
    const optional = field instanceof z.ZodOptional || field instanceof z.ZodDefault
    const entry = { shape: shapeOf(field as z.ZodType), required: !optional }
    shape.fields.set(name, field instanceof z.ZodDefault ? { ...entry, default: field.def.defaultValue as Json } : entry)
  }
  return shape
}
