import type { RunStatus } from '@/spec'
import type { StepCursor } from './model'

/** The one table of what may follow what. Anything else is a defect, and stops the transaction it happens in. */
const RUN: Record<RunStatus, readonly RunStatus[]> = {
  queued: ['running', 'cancelled'],
  running: ['awaiting_approval', 'succeeded', 'rejected', 'parked', 'cancelled'],
  awaiting_approval: ['running'],
  succeeded: [],
  rejected: [],
  parked: ['running', 'cancelled'],
  cancelled: [],
}

const STEP: Record<StepCursor['at'], readonly StepCursor['at'][]> = {
  pending: ['active', 'deciding', 'skipped'],
  active: ['waiting', 'settled', 'failed', 'pending'], // waiting for the child run it started; back to pending: recalled or interrupted while the run is stopping
  deciding: ['waiting', 'settled', 'failed'],
  waiting: ['waiting', 'settled', 'failed', 'pending'], // a map moves its counters, a child is at work or waits itself; a withdrawn gate or child, or a dropped timer, is pending again
  settled: ['compensated'],
  skipped: [],
  failed: ['settled'], // a person recorded that it had happened
  compensated: [],
}

/** What a re-drive takes back to `pending`; nothing else does. */
const AGAIN = new Set<StepCursor['at']>(['pending', 'waiting', 'settled', 'skipped', 'failed', 'compensated'])

export function assertRunTransition(from: RunStatus, to: RunStatus): void {
  if (!RUN[from].includes(to)) throw new Error(`a run cannot go from ${from} to ${to}`)
}

export function assertStepTransition(stepId: string, from: StepCursor['at'], to: StepCursor['at']): void {
  if (!STEP[from].includes(to)) throw new Error(`step '${stepId}' cannot go from ${from} to ${to}`)
}

export function assertRunsAgain(stepId: string, from: StepCursor['at']): void {
  if (!AGAIN.has(from)) throw new Error(`step '${stepId}', which is ${from}, cannot run again`)
}
