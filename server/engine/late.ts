import type { StepRow } from './ports'

/**
 * Does this row wait to be called again only because the worker of this attempt was taken for lost? Then a success that the attempt reports after all
 * is the first of its epoch, and calling again would repeat what has happened (engine.md §4). A row whose next attempt was claimed is another's,
 * also where a rate limit made it wait once more: its error is that attempt's then. After a time limit a late result is fenced (§5).
 */
export function awaitsLost(row: Pick<StepRow, 'status' | 'attempt' | 'error'>, attempt: number): boolean {
  return row.status === 'queued' && row.attempt === attempt + 1 && row.error?.code === 'worker_lost'
}
