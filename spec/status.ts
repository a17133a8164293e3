/** Statuses of a run, in the order of its life. */
export const RUN_STATUSES = ['queued', 'running', 'awaiting_approval', 'succeeded', 'rejected', 'parked', 'cancelled'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** Statuses of a step, in the order of its life. */
export const STEP_STATUSES = [
  'pending',
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'skipped',
  'compensated',
  'cancelled',
] as const
export type StepStatus = (typeof STEP_STATUSES)[number]

/** Whether a run can never move again. A parked run is not final: it may be re-driven or cancelled. */
export function isFinal(status: RunStatus): boolean {
  return status === 'succeeded' || status === 'rejected' || status === 'cancelled'
}

/** What became of an approval. `withdrawn`: the run stopped before anybody answered. */
export const GATE_STATUSES = ['open', 'approved', 'rejected', 'expired', 'withdrawn'] as const
export type GateStatus = (typeof GATE_STATUSES)[number]
