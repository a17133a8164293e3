import { shorten } from '@/components/dag/words'
import type { RunRow } from './types'

/** What a run is called in a list. Whoever may not read data sees the workflow's title and the end of the run's id. */
export function runName(run: Pick<RunRow, 'id' | 'workflow'> & { title?: string | null }): string {
  return shorten(run.title || `${run.workflow.title} #${run.id.slice(-6)}`, 160)
}

/** `Mia`, `Mia or Tom`, `Mia, Tom or 3 others`. */
export function anyOf(names: readonly string[]): string {
  if (names.length <= 2) return names.join(' or ')
  if (names.length === 3) return `${names[0]}, ${names[1]} or ${names[2]}`
  return `${names[0]}, ${names[1]} or ${names.length - 2} others`
}
