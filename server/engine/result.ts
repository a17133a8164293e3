import type { Json } from '@/spec'
import type { CallResult } from './model'
import { NOTHING_TO_SCRUB, type Scrub } from './scrub'

const OUTPUT_MAX_BYTES = 1024 * 1024
const HINT_MAX = 2000

/**
 * What a handler returned, made storable. Its effect has happened, so nothing here fails the step: an output that is not JSON, or above 1 MiB of
 * text, is dropped and flagged. The output is a copy: a handler that changes its object later changes nothing here. Its call's secrets are taken out of it.
 */
export function storable(returned: unknown, scrub: Scrub = NOTHING_TO_SCRUB): CallResult {
  const fields =
    typeof returned === 'object' && returned !== null ? (returned as Record<string, unknown>) : { output: undefined, broken: true }
  const result: CallResult = { output: null }
  const copy = 'broken' in fields ? 'output_invalid' : copyOf(fields.output ?? null)
  if (typeof copy === 'string') result.flag = copy
  else if (fields.flag === 'output_invalid' || fields.flag === 'output_truncated')
    Object.assign(result, { output: scrub.value(copy.value), flag: fields.flag })
  else result.output = scrub.value(copy.value)
  if (typeof fields.hint === 'string') result.hint = scrub.text(fields.hint).slice(0, HINT_MAX).toWellFormed()
  const compensation = compensationOf(fields.compensation)
  if (compensation) result.compensation = { ...compensation, with: scrub.value(compensation.with) }
  return result
}

function compensationOf(value: unknown): CallResult['compensation'] {
  if (typeof value !== 'object' || value === null || !('uses' in value) || typeof value.uses !== 'string') return undefined
  const copy = copyOf('with' in value ? (value.with ?? {}) : {})
  return typeof copy === 'string' ? undefined : { uses: value.uses, with: copy.value }
}

function copyOf(value: unknown): { value: Json } | 'output_truncated' | 'output_invalid' {
  try {
    assertJson(value)
    const text = JSON.stringify(value)
    if (bytesOf(text) > OUTPUT_MAX_BYTES) return 'output_truncated'
    return { value: JSON.parse(text) as Json }
  } catch {
    return 'output_invalid' // also cycles, and nesting that no stack can follow
  }
}

/** UTF-8 bytes, counted only where the length leaves it open. */
function bytesOf(text: string): number {
  if (text.length * 3 <= OUTPUT_MAX_BYTES || text.length > OUTPUT_MAX_BYTES) return text.length
  return new TextEncoder().encode(text).length
}

/** Throws on what `JSON.stringify` would change silently: NaN, dates, maps, functions. Members that are undefined are as good as absent. */
function assertJson(value: unknown): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value !== 'object') throw new TypeError('not JSON')
  if (Array.isArray(value)) {
    for (const item of value) assertJson(item)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new TypeError('not a plain object')
  for (const inner of Object.values(value)) if (inner !== undefined) assertJson(inner)
}
