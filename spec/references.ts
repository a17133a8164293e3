import { type Json, isObject, member } from './json'

/** One reference, parsed. `path` holds the segments after the name; an empty path is the whole thing. */
export type Reference =
  | { root: 'input'; name: string; path: string[] }
  | { root: 'steps'; step: string; path: string[] }
  | { root: 'run'; field: 'id' }
  | { root: 'principal'; field: 'team_id' | 'user_id' | 'locale' }
  | { root: 'item'; path: string[] }
  | { root: 'index' }

/** What references resolve against. `output` gives a step's stored output, undefined where it has none (skipped, not reached). */
export interface Scope {
  input: Record<string, Json> | ReadonlyMap<string, Json>
  output: (stepId: string) => Json | undefined
  run: { id: string }
  principal: { team_id: string; user_id: string; locale: string }
  item?: Json
  index?: number
}

const REFERENCE = /^\$\{([^{}$\s]+)\}$/

/** Parses a string that is exactly one reference; null for anything else. */
export function parseReference(text: string): Reference | null {
  if (!text.startsWith('${')) return null
  const inner = REFERENCE.exec(text)?.[1]
  if (inner === undefined) return null
  const [root, ...rest] = inner.split('.')
  if (rest.includes('')) return null
  const [first, second, ...deeper] = rest
  switch (root) {
    case 'input':
      return first === undefined ? null : { root, name: first, path: rest.slice(1) }
    case 'steps':
      return first === undefined || second !== 'output' ? null : { root, step: first, path: deeper }
    case 'run':
      return first === 'id' && rest.length === 1 ? { root, field: first } : null
    case 'principal':
      return (first === 'team_id' || first === 'user_id' || first === 'locale') && rest.length === 1 ? { root, field: first } : null
    case 'item':
      return { root, path: rest }
    case 'index':
      return rest.length === 0 ? { root } : null
    default:
      return null
  }
}

/** Every reference in a value, in reading order. Text that is not exactly one reference is a literal. */
export function referencesIn(value: Json): Reference[] {
  if (typeof value === 'string') {
    const reference = parseReference(value)
    return reference === null ? [] : [reference]
  }
  if (Array.isArray(value)) return value.flatMap(referencesIn)
  return isObject(value) ? Object.values(value).flatMap(referencesIn) : []
}

/**
 * Replaces every reference in a value by what it refers to; a path that leads nowhere is null. One pass:
 * what comes in is never scanned again, so data can never become a reference.
 */
export function resolveValue(value: Json, scope: Scope): Json {
  if (typeof value === 'string') {
    const reference = parseReference(value)
    return reference === null ? value : resolveReference(reference, scope)
  }
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, scope))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolveValue(inner, scope)]))
}

function resolveReference(reference: Reference, scope: Scope): Json {
  switch (reference.root) {
    case 'input': {
      const { input } = scope
      return follow(input instanceof Map ? input.get(reference.name) : member(input, reference.name), reference.path)
    }
    case 'steps':
      return follow(scope.output(reference.step), reference.path)
    case 'run':
      return scope.run.id
    case 'principal':
      return scope.principal[reference.field]
    case 'item':
      return follow(scope.item, reference.path)
    case 'index':
      return scope.index ?? null
  }
}

/** Own members only; digits without a leading zero index arrays; strings have no members. */
function follow(from: Json | undefined, path: readonly string[]): Json {
  let at = from
  for (const segment of path) {
    if (Array.isArray(at)) at = /^(0|[1-9][0-9]*)$/.test(segment) ? at[Number(segment)] : undefined
    else if (isObject(at)) at = member(at, segment)
    else return null
  }
  return at ?? null
}
