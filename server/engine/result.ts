import type { Json } from '@/spec'
import type { CallResult } from './model'
import { NOTHING_TO_SCRUB, type Scrub } from './scrub'

const OUTPUT_MAX_BYTES = 1024 * 1024
const HINT_MAX = 2000
/** Levels. Far below what the stacks of those who read it hold, so that what is stored can be read again everywhere. */
const NESTING_MAX = 1000
const UNREADABLE = Symbol('unreadable')

/**
 * What a handler returned, made storable. Its effect has happened, so nothing here throws or fails the step: an output that is not JSON, or above 1 MiB of
 * text, is dropped and flagged. The output is a copy: a handler that changes its object later changes nothing here. Its call's secrets are taken out of it.
 */
export function storable(returned: unknown, scrub: Scrub = NOTHING_TO_SCRUB): CallResult {
  if (typeof returned !== 'object' || returned === null) return { output: null, flag: 'output_invalid' }
  const output = copyOf(member(returned, 'output') ?? null, scrub)
  const flag = typeof output === 'string' ? output : member(returned, 'flag')
  const result: CallResult = { output: typeof output === 'string' ? null : output.value }
  if (flag === 'output_invalid' || flag === 'output_truncated') result.flag = flag
  const hint = member(returned, 'hint')
  if (typeof hint === 'string') result.hint = scrub.text(hint).slice(0, HINT_MAX).toWellFormed()
  const compensation = compensationOf(member(returned, 'compensation'), scrub)
  if (compensation) result.compensation = compensation
  return result
}

function compensationOf(value: unknown, scrub: Scrub): CallResult['compensation'] {
  if (typeof value !== 'object' || value === null) return undefined
  const uses = member(value, 'uses')
  if (typeof uses !== 'string') return undefined
  const copy = copyOf(member(value, 'with') ?? {}, scrub)
  return typeof copy === 'string' ? undefined : { uses, with: copy.value }
}

/** `UNREADABLE` where reading it throws: it is then no JSON, like any symbol. */
function member(of: object, name: string): unknown {
  try {
    return Reflect.get(of, name)
  } catch {
    return UNREADABLE
  }
}

function copyOf(value: unknown, scrub: Scrub): { value: Json } | 'output_truncated' | 'output_invalid' {
  try {
    assertJson(value)
    const text = JSON.stringify(value)
    if (bytesOf(text) > OUTPUT_MAX_BYTES) return 'output_truncated'
    return { value: scrub.value(JSON.parse(text) as Json) }
  } catch {
    return 'output_invalid' // also cycles, and getters that throw
  }
}

/** UTF-8 bytes, counted only where the length leaves it open. */
function bytesOf(text: string): number {
  if (text.length * 3 <= OUTPUT_MAX_BYTES || text.length > OUTPUT_MAX_BYTES) return text.length
  return new TextEncoder().encode(text).length
}

/** Throws on what `JSON.stringify` would change silently (NaN, dates, maps, functions), and on endless nesting. Members that are undefined are as good as absent. */
function assertJson(value: unknown, level = 0): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number' && Number.isFinite(value)) return
  if (typeof value !== 'object' || level === NESTING_MAX) throw new TypeError('not JSON')
  if (Array.isArray(value)) {
    for (const item of value) assertJson(item, level + 1)
    return
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw new TypeError('not a plain object')
  for (const inner of Object.values(value)) if (inner !== undefined) assertJson(inner, level + 1)
}
