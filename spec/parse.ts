import type { WorkflowSpec } from './document'
import type { Problem } from './problems'

export type ParseResult = { ok: true; spec: WorkflowSpec; canonical: string; hash: string } | { ok: false; problems: Problem[] }

/** The only door: text to a valid spec, its canonical text and its hash (hex SHA-256), or every problem in document order. */
export function parseWorkflow(text: string): ParseResult {
  throw new Error(`being built: ${text.length}`)
}

/** The same for a value that is already parsed, as a builder has it: it is written as text and goes through the same door. */
export function validateWorkflow(value: unknown): ParseResult {
  throw new Error(`being built: ${typeof value}`)
}

/** Where a JSON Pointer's place begins in a text, counted from 1; where it does not exist, its nearest ancestor. */
export function problemPosition(text: string, jsonPointer: string): { line: number; column: number } {
  throw new Error(`being built: ${text.length} ${jsonPointer}`)
}
