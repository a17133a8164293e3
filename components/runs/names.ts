import { shorten } from '@/components/dag/words'
import type { RunRow, StepView } from './types'

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

const steps = (count: number) => (count === 1 ? 'step' : 'steps')

/** How far a run is, in the same words everywhere: `1 of 3 steps done`, and how many failed where that is known. */
export function stepsDone({ stepsSettled, stepsTotal }: Pick<RunRow, 'stepsSettled' | 'stepsTotal'>, failed = 0): string {
  const done = `${stepsSettled} of ${stepsTotal} ${steps(stepsTotal)} done`
  return failed === 0 ? done : `${done}, ${failed} ${steps(failed)} failed`
}

/** How far a map is: `2 of 3 items done, 1 failed`. What failed is not among what is done. */
export function itemsDone({ total, succeeded, failed }: { total: number; succeeded: number; failed: number }): string {
  const done = `${succeeded} of ${total} ${total === 1 ? 'item' : 'items'} done`
  return failed === 0 ? done : `${done}, ${failed} failed`
}

/** What a step says of the run that it waits for, where that stopped. Null: it waits for none such. */
export function stoppedWords({ stopped, child }: Pick<StepView, 'stopped' | 'child'>): string | null {
  if (stopped === null) return null
  if (child === null) return 'a run that it started stopped and needs attention'
  return child.id === stopped ? 'the run it started stopped and needs attention' : 'a run further down stopped and needs attention'
}

/** Whether anything was tried a second time: until then how often each step was tried is nothing to speak of. */
export const wasRetried = (steps: readonly Pick<StepView, 'attempt' | 'maxAttempts'>[]): boolean =>
  steps.some(({ attempt, maxAttempts }) => maxAttempts !== null && attempt > 1)

/** `2 of 5`: which try it is, and of how many while that matters. */
export function triesOf({
  status,
  attempt,
  maxAttempts,
  startedAt,
}: Pick<StepView, 'status' | 'attempt' | 'maxAttempts' | 'startedAt'>): string {
  // Decisions and approvals are not tried: they have no number of attempts. Nor is what was not reached.
  if (maxAttempts === null || (attempt <= 1 && startedAt === null)) return '–'
  // How many there could have been matters no more once it worked.
  if (attempt <= 1) return '1'
  return status === 'succeeded' || status === 'compensated' ? `${attempt}` : `${attempt} of ${maxAttempts}`
}
