/** Any JSON value, as parsed: own members only, no prototypes to trust. */
export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

/** Whether a value is a JSON object (not null, not an array). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An own member, or undefined: `constructor` and `__proto__` are ordinary names here. */
export function member(object: object, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? (object as JsonObject)[key] : undefined
}

/** The number of containers nested in a value: 0 for a scalar, 1 for `{}`. Stops counting above `limit`. */
export function depthOf(value: Json, limit: number): number {
  if (typeof value !== 'object' || value === null) return 0
  if (limit <= 0) return 1
  let deepest = 0
  for (const inner of Array.isArray(value) ? value : Object.values(value)) deepest = Math.max(deepest, depthOf(inner, limit - 1))
  return deepest + 1
}

/** Deep equality of JSON, without coercion and without regard to the order of keys. */
export function equal(a: Json, b: Json): boolean {
  if (a === b) return true
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equal(item, b[i] ?? null))
  if (!isObject(a) || !isObject(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equal(a[key] ?? null, b[key] ?? null))
}
