import type { Json } from './json'
import type { Problem } from './problems'
import type { Fields } from './schema'

export type InputResult = { ok: true; value: Record<string, Json> } | { ok: false; problems: Problem[] }

/** Checks what a run is started with, or the values of an approval's form. Paths are pointers into `given`. */
export function checkInput(fields: Fields, given: unknown): InputResult {
  throw new Error(`being built: ${Object.keys(fields).length} ${typeof given}`)
}
