import type { RunState } from './model'

/** The state as text, for the store. */
export function serializeState(state: RunState): string {
  return JSON.stringify({ ...state, steps: [...state.steps] })
}

/** The inverse of `serializeState`. */
export function parseState(text: string): RunState {
  const raw = JSON.parse(text) as Omit<RunState, 'steps'> & { steps: [string, ReturnType<RunState['steps']['get']> & {}][] }
  return { ...raw, steps: new Map(raw.steps) }
}

/** Steps that are over and done with: the n of "n of m steps done". */
export function settledCount(state: RunState): number {
  let count = 0
  for (const cursor of state.steps.values()) if (cursor.at === 'settled' || cursor.at === 'skipped' || cursor.at === 'compensated') count++
  return count
}
