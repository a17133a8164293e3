import { kindOf, retryOf, type Json, type Retry, type StepKind, type WorkflowSpec } from '@/spec'
import type { GateDetail } from '../../store/postgres/read-gates'
import type { EndedAttempt, MapCounts, StepDetail } from '../../store/postgres/read-steps'
import type { Stopped } from '../../store/postgres/read-stopped'
import { iso, isoOrNull } from '../time'
import type { StepData, StepShape } from '../views'

type Step = WorkflowSpec['steps'][number]
export type StepRows = {
  steps: StepDetail[]
  items: Map<string, MapCounts>
  turns: Map<string, number>
  attempts: EndedAttempt[]
  stopped: Stopped[]
  gates: Pick<GateDetail, 'stepId' | 'epoch' | 'status'>[]
}

/** Every step of the document in its order, started or not, without data: also what the org admin sees. */
export const stepShapes = (spec: WorkflowSpec, rows: StepRows): StepShape[] => spec.steps.map((step) => stepShape(spec, step, rows))

export const stepsWithData = (spec: WorkflowSpec, rows: StepRows): StepData[] =>
  spec.steps.map((step) => {
    const row = rows.steps.find(({ stepId, call }) => stepId === step.id && call === '')
    return {
      ...stepShape(spec, step, rows),
      input: row?.input.value ?? null,
      inputOmitted: row?.input.omitted ?? null,
      output: row?.output.value ?? null,
      outputOmitted: row?.output.omitted ?? null,
      errorMessage: row?.error?.message ?? null,
      hint: row?.hint ?? null,
      flag: row?.flag ?? null,
      attempts: rows.attempts
        .filter(({ stepId, call }) => stepId === step.id && call === '')
        .map(({ attempt, plugin, startedAt, finishedAt, error }) => ({
          attempt,
          plugin,
          startedAt: isoOrNull(startedAt),
          finishedAt: iso(finishedAt),
          code: error.code,
          message: error.message,
        })),
    }
  })

const RETRIED = new Set<StepKind>(['tool', 'job', 'agent'])

function stepShape(spec: WorkflowSpec, step: Step, { steps, items, turns, stopped, gates }: StepRows): StepShape {
  const row = steps.find(({ stepId, call }) => stepId === step.id && call === '')
  const undo = steps.find(({ stepId, call, epoch }) => stepId === step.id && call === 'undo' && row?.epoch === epoch)
  const kind = kindOf(step)
  const counts = items.get(step.id)
  const deferred = row?.deferred ?? counts?.deferred
  return {
    id: step.id,
    title: step.title ?? null,
    kind,
    status: row?.status ?? 'pending',
    attempt: row?.attempt ?? 1,
    maxAttempts: RETRIED.has(kind) ? retryOf(step as { retry?: Retry }).maxAttempts : null,
    startedAt: isoOrNull(row?.startedAt ?? null),
    finishedAt: isoOrNull(row?.finishedAt ?? null),
    notBefore: isoOrNull(row?.notBefore ?? null),
    deferred: deferred ? { until: iso(deferred.until), reason: deferred.reason } : null,
    errorCode: row?.error?.code ?? null,
    port: row ? portOf(spec, step, row, gates) : null,
    undo: undo?.status ?? null,
    child: row?.child ?? null,
    stopped: stopped.find(({ stepId }) => stepId === step.id)?.runId ?? null,
    items: counts ? { total: counts.total, succeeded: counts.succeeded, failed: counts.failed, active: counts.active } : null,
    turns: kind === 'agent' ? (turns.get(step.id) ?? 0) : null,
  }
}

/** Never caught by `failed`: these always stop the run (spec-v1.md §3). */
const NEVER_FOLLOWED = new Set(['denied', 'unknown_tool', 'unknown_job', 'outcome_unknown'])

/**
 * The port a settled step left by: a choice's branch, an approval's answer, else how it went. Null: it left by none. An approval's is told by its
 * gate, because its output holds the whole form, which may be left out here.
 */
function portOf(spec: WorkflowSpec, step: Step, { status, output, error, epoch }: StepDetail, gates: StepRows['gates']): string | null {
  if (status === 'failed') {
    const followed = spec.steps.some(({ after }) => after.includes(`${step.id}.failed`))
    return followed && !NEVER_FOLLOWED.has(error?.code ?? '') ? 'failed' : null
  }
  if (status !== 'succeeded' && status !== 'compensated') return null
  const kind = kindOf(step)
  if (kind === 'choice') return textOf(output.value, 'branch')
  if (kind !== 'approve') return 'succeeded'
  return gates.find((gate) => gate.stepId === step.id && gate.epoch === epoch)?.status ?? null
}

function textOf(value: Json, name: string): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const text = value[name]
  return typeof text === 'string' ? text : null
}
