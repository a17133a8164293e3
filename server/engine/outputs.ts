import type { Json } from '@/spec'
import type { EngineError } from './model'

/**
 * What `${steps.<id>.output}` sees of a step's row; undefined (which resolves to null) where the step has no outcome yet or was skipped.
 * A failed step that somebody follows shows its error, a map also its `results` and `failed` (spec-v1.md §4).
 */
export function referenceOutput(row: { status: string; output: Json | undefined; error: EngineError | null }): Json | undefined {
  if (row.status === 'succeeded' || row.status === 'compensated') return row.output ?? null
  if (row.status !== 'failed') return undefined
  const error = { code: row.error?.code ?? 'failed', message: row.error?.message ?? '' }
  const { output } = row
  return typeof output === 'object' && output !== null && !Array.isArray(output) ? { ...output, error } : { error }
}
