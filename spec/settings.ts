import { APPROVE_DEFAULTS, type ApproveStep } from './kinds/approve'
import { MAP_DEFAULTS, type MapStep } from './kinds/map'
import type { WorkflowSpec } from './document'
import { RETRY_DEFAULTS, TOOL_TIMEOUT_DEFAULT, type Retry } from './schema'

/*
 * Fields with their defaults applied. A document keeps what the author wrote and drops what equals a default,
 * so everything that acts on a spec reads it through these.
 */

/** The tool a tool step, a map's `do` or a compensation uses. */
export function toolOf(owner: { uses: string }): string {
  return owner.uses.slice(owner.uses.indexOf(':') + 1)
}

/** How a call is retried. Delay before attempt n+1: uniform(0, min(maxSeconds, baseSeconds·2^(n−1))). */
export function retryOf(call: { retry?: Retry | undefined }): { maxAttempts: number; baseSeconds: number; maxSeconds: number } {
  const { retry } = call
  return {
    maxAttempts: retry?.max_attempts ?? RETRY_DEFAULTS.max_attempts,
    baseSeconds: retry?.base_seconds ?? RETRY_DEFAULTS.base_seconds,
    maxSeconds: retry?.max_seconds ?? RETRY_DEFAULTS.max_seconds,
  }
}

/** The time limit of one attempt of a tool call, in seconds, from the handler's start. */
export function timeoutSecondsOf(call: { timeout_seconds?: number | undefined }): number {
  return call.timeout_seconds ?? TOOL_TIMEOUT_DEFAULT
}

export interface ApproveSettings {
  ttlSeconds: number
  channels: readonly ('web' | 'email' | 'mcp')[]
  approvals: number
  selfApproval: boolean
  requireSignIn: boolean
  /** Null: no reminders. */
  remindAfterSeconds: number | null
}

export function approveSettings(step: ApproveStep): ApproveSettings {
  const approvals = step.approvals ?? APPROVE_DEFAULTS.approvals
  return {
    ttlSeconds: step.ttl_seconds ?? APPROVE_DEFAULTS.ttl_seconds,
    channels: step.channels ?? APPROVE_DEFAULTS.channels,
    approvals,
    selfApproval: step.self_approval ?? APPROVE_DEFAULTS.self_approval,
    requireSignIn: step.require_sign_in ?? approvals > 1,
    remindAfterSeconds: step.remind_after_seconds ?? null,
  }
}

export function mapSettings(step: MapStep): { concurrency: number; tolerate: number } {
  return { concurrency: step.concurrency ?? MAP_DEFAULTS.concurrency, tolerate: step.tolerate ?? MAP_DEFAULTS.tolerate }
}

/** The ends of a run after which compensations run. */
export function compensateOn(spec: WorkflowSpec): readonly ('parked' | 'rejected' | 'cancelled')[] {
  return spec.compensate_on ?? ['parked']
}
