import { AGENT_DEFAULTS, type AgentStep } from './kinds/agent'
import { APPROVE_DEFAULTS, type ApproveStep } from './kinds/approve'
import { MAP_DEFAULTS, type MapStep } from './kinds/map'
import type { WorkflowSpec } from './document'
import { CALL_TIMEOUT_DEFAULT, type Fields, RETRY_DEFAULTS, type Retry } from './schema'

/*
 * Fields with their defaults applied. A document keeps what the author wrote and drops what equals a default,
 * so everything that acts on a spec reads it through these.
 */

/** The tool a tool step, a map's `do` or a compensation uses, or the kind of a job: what stands behind the colon. */
export function toolOf(owner: { uses: string }): string {
  return owner.uses.slice(owner.uses.indexOf(':') + 1)
}

/** The workflow that a step or a map's `do` starts; without a version it is the one that is current when the parent starts. */
export function workflowOf(owner: { uses: `workflow:${string}` }): { slug: string; version: number | null } {
  const [slug = '', version] = toolOf(owner).split('@')
  return { slug, version: version === undefined ? null : Number(version) }
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

/** The time limit of one attempt, in seconds: of a call from its handler's start, of an agent the whole conversation. */
export function timeoutSecondsOf(call: { uses?: string; timeout_seconds?: number | undefined }): number {
  return call.timeout_seconds ?? (call.uses === 'agent' ? AGENT_DEFAULTS.timeout_seconds : CALL_TIMEOUT_DEFAULT)
}

export interface AgentSettings {
  tools: readonly string[]
  /** Whether it may call tools that change something. */
  unattended: boolean
  maxTurns: number
  /** The answer's fields; null: free text. */
  output: Fields | null
}

/** The settings of an agent step or of a map's `do`. */
export function agentSettings(agent: Pick<AgentStep, 'tools' | 'unattended' | 'max_turns' | 'output'>): AgentSettings {
  const output = agent.output ?? {}
  return {
    tools: agent.tools ?? [],
    unattended: agent.unattended ?? AGENT_DEFAULTS.unattended,
    maxTurns: agent.max_turns ?? AGENT_DEFAULTS.max_turns,
    output: Object.keys(output).length === 0 ? null : output,
  }
}

/** Whether an agent may change something without asking anyone. */
export function actsAlone(agent: Pick<AgentStep, 'tools' | 'unattended'>): boolean {
  const { tools, unattended } = agentSettings(agent)
  return unattended && tools.length > 0
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
