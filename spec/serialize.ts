import type { Path, ProblemCode } from './problems'

export type JsonText = { ok: true; text: string } | { ok: false; code: ProblemCode; path: Path; message: string }

const MAX_DEPTH = 128

class NotJson extends Error {
  readonly code: ProblemCode
  readonly path: Path
  constructor(code: ProblemCode, path: Path, message: string) {
    super(message)
    this.code = code
    this.path = path
  }
}

/**
 * Writes a value as JSON text. What `JSON.stringify` would change or drop silently (NaN, dates, functions, class instances,
 * cycles) is refused; an undefined member is absent, as in an object built with optional fields.
 */
export function jsonText(value: unknown): JsonText {
  try {
    return { ok: true, text: write(value, []) }
  } catch (error) {
    if (error instanceof NotJson) return { ok: false, code: error.code, path: error.path, message: error.message }
    throw error
  }
}

function write(value: unknown, path: Path): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value)
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotJson('not_json', path, `${value} is not a JSON number`)
    return JSON.stringify(value)
  }
  if (typeof value !== 'object')
    throw new NotJson('not_json', path, `${value === undefined ? 'undefined' : `a ${typeof value}`} is not a JSON value`)
  // A cycle ends here too.
  if (path.length >= MAX_DEPTH) throw new NotJson('too_deep', path, `nested deeper than ${MAX_DEPTH} levels, or within itself`)
  if (Array.isArray(value)) return `[${Array.from(value, (item: unknown, i) => write(item, [...path, i])).join(',')}]`
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of another realm (an iframe, a worker) has another Object.prototype, whose own prototype is null too.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    throw new NotJson('not_json', path, 'an instance of a class is not a JSON value')
  const members = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return `{${members.map(([key, inner]) => `${JSON.stringify(key)}:${write(inner, [...path, key])}`).join(',')}}`
}
