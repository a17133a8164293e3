import {
  kindOf,
  resolveValue,
  retryOf,
  timeoutSecondsOf,
  toolOf,
  type AgentStep,
  type Compensate,
  type JobStep,
  type Json,
  type ToolStep,
  type WorkflowStep,
} from '@/spec'
import type { Plan, StepRef } from './model'
import type { Claimed, NewJob, Ports, QueueName, RunRecord, StepRow, Tool } from './ports'
import type { Retrying } from './retry'
import { scopeOf, stepsIn } from './scope'

/** One row's call: what to run, how often, how long. `literal` input is data already and is never scanned for references. */
export type Call = {
  kind: 'tool' | 'job' | 'workflow' | 'agent'
  /** Of a workflow: its slug, with the version if one is named. */
  name: string
  with: Json
  literal: boolean
  retry: Retrying
  timeoutMs: number
  /** The document says how to undo it. */
  compensated: boolean
}

type Calling = Pick<ToolStep, 'with' | 'retry' | 'timeout_seconds' | 'compensate'>
/** What an agent is told; its `with` is absent. */
export type AgentBody = Omit<AgentStep, 'id' | 'after' | 'join' | 'title' | 'description'>
type Body =
  ({ uses: ToolStep['uses'] } & Calling) | ({ uses: JobStep['uses'] } & Calling) | ({ uses: WorkflowStep['uses'] } & Calling) | AgentBody

/** What a row of work calls: a tool step, a map's item, or the undo of either. */
export function callOf(plan: Plan, ref: StepRef, undoes: StepRow | null): Call {
  const body = bodyOf(plan, ref.stepId)
  if (ref.call === 'undo') return undoOf(body.compensate, undoes)
  return {
    kind: kindIn(body),
    name: toolOf(body),
    with: isAgent(body) ? { goal: body.goal, context: body.context ?? null } : (body.with ?? {}),
    literal: false,
    retry: retryOf(body),
    timeoutMs: timeoutSecondsOf(body) * 1000,
    compensated: body.compensate !== undefined,
  }
}

const isAgent = (body: Body): body is AgentBody => body.uses === 'agent'

/** The agent that a step is, or that a map asks for each item. */
export function agentOf(plan: Plan, stepId: string): AgentBody {
  const body = bodyOf(plan, stepId)
  if (!isAgent(body)) throw new Error(`step '${stepId}' is not an agent`)
  return body
}

/** What a step, or each item of a map, calls. */
function bodyOf(plan: Plan, stepId: string): Body {
  const step = plan.graph.steps.get(stepId)
  const kind = step && kindOf(step)
  if (!step || !CALLING.has(kind ?? '')) throw new Error(`step '${stepId}' is not one that calls`)
  // A map that does anything else was refused when it opened.
  return ('do' in step ? step.do : step) as Body
}

const CALLING = new Set(['tool', 'job', 'workflow', 'agent', 'map'])

function kindIn({ uses }: Body): Call['kind'] {
  return uses === 'agent' ? 'agent' : (uses.slice(0, uses.indexOf(':')) as Call['kind'])
}

/** The tool or job that is called; null where no plugin brings it, and for a workflow or an agent. */
export function calleeOf({ tools, jobs }: Pick<Ports, 'tools' | 'jobs'>, call: Call): Tool | null {
  if (call.kind === 'workflow' || call.kind === 'agent') return null
  return (call.kind === 'job' ? jobs : tools).find(call.name)
}

/** The job that does a row of work, now or not before `startAfter`. */
export function jobFor(
  { run, plan, newId }: { run: RunRecord; plan: Plan; newId: () => string },
  { stepId, item, call, epoch }: StepRef,
  startAfter?: Date,
): NewJob {
  const body = call === 'undo' ? undefined : bodyOf(plan, stepId)
  const queue: QueueName = !body
    ? 'flow.step'
    : isAgent(body)
      ? 'flow.agent'
      : body.uses.startsWith('job:')
        ? `job.${toolOf(body)}`
        : 'flow.step'
  const job: NewJob = { id: newId(), data: { runId: run.id, stepId, item, call, epoch }, queue, teamId: run.principal.teamId }
  return startAfter ? { ...job, startAfter } : job
}

/** The document's `compensate` wins; where it has none, what the handler returned counts, as plain data. */
function undoOf(declared: Compensate | undefined, undoes: StepRow | null): Call {
  const rest = { kind: 'tool' as const, retry: retryOf({}), timeoutMs: timeoutSecondsOf({}) * 1000, compensated: false }
  if (declared) return { ...rest, name: toolOf(declared), with: declared.with ?? {}, literal: false }
  if (!undoes?.compensation) throw new Error('nothing says how to undo this')
  return { ...rest, name: toolOf(undoes.compensation), with: undoes.compensation.with, literal: true }
}

/** The call's input; `input` is the run's. In the undo of a map's item, the map's output is that item's own (spec-v1.md §3). */
export async function resolveCall(
  call: Call,
  { run, row, undoes }: Claimed,
  input: Record<string, Json>,
  outputsOf: (stepIds: string[]) => Promise<Map<string, Json>>,
): Promise<Json> {
  if (call.literal) return call.with
  const outputs = new Map(await outputsOf(stepsIn(call.with)))
  if (undoes) outputs.set(row.stepId, undoes.output ?? null)
  const item = row.item < 0 ? undefined : { value: (undoes ?? row).itemValue ?? null, index: row.item }
  return resolveValue(call.with, scopeOf({ ...run, input }, outputs, item))
}

/** `{run}:{step}[:{index}][/t{turn}.{call}][/undo][#{key epoch}]`: the same for every attempt, forwarded to whoever performs the effect (engine.md §4). */
export function idempotencyKey(
  runId: string,
  { stepId, item, call, keyEpoch }: Pick<StepRow, 'stepId' | 'item' | 'call' | 'keyEpoch'>,
): string {
  return `${runId}:${stepId}${item < 0 ? '' : `:${item}`}${call === '' ? '' : `/${call}`}${keyEpoch > 1 ? `#${keyEpoch}` : ''}`
}
