import { kindOf, resolveValue, retryOf, timeoutSecondsOf, toolOf, type Compensate, type Json, type ToolStep } from '@/spec'
import type { Plan, StepRef } from './model'
import type { Claimed, StepRow } from './ports'
import type { Retrying } from './retry'
import { scopeOf, stepsIn } from './scope'

/** One row's call: what to run, how often, how long. `literal` input is data already and is never scanned for references. */
export type Call = {
  tool: string
  with: Json
  literal: boolean
  retry: Retrying
  timeoutMs: number
  /** The document says how to undo it. */
  compensated: boolean
}

type ToolBody = { uses: `tool:${string}` } & Pick<ToolStep, 'with' | 'retry' | 'timeout_seconds' | 'compensate'>

/** What a row of work calls: a tool step, a map's item, or the undo of either. */
export function callOf(plan: Plan, ref: StepRef, undoes: StepRow | null): Call {
  const step = plan.graph.steps.get(ref.stepId)
  const kind = step && kindOf(step)
  if (!step || (kind !== 'tool' && kind !== 'map')) throw new Error(`step '${ref.stepId}' is not one that calls`)
  // A map that does anything else was refused when it opened.
  const body = ('do' in step ? step.do : step) as ToolBody
  if (ref.call === 'undo') return undoOf(body.compensate, undoes)
  return {
    tool: toolOf(body),
    with: body.with ?? {},
    literal: false,
    retry: retryOf(body),
    timeoutMs: timeoutSecondsOf(body) * 1000,
    compensated: body.compensate !== undefined,
  }
}

/** The document's `compensate` wins; where it has none, what the handler returned counts, as plain data. */
function undoOf(declared: Compensate | undefined, undoes: StepRow | null): Call {
  const rest = { retry: retryOf({}), timeoutMs: timeoutSecondsOf({}) * 1000, compensated: false }
  if (declared) return { tool: toolOf(declared), with: declared.with ?? {}, literal: false, ...rest }
  if (!undoes?.compensation) throw new Error('nothing says how to undo this')
  return { tool: toolOf(undoes.compensation), with: undoes.compensation.with, literal: true, ...rest }
}

/** The call's input. In the undo of a map's item, the map's output is that item's own (spec-v1.md §3). */
export async function resolveCall(
  call: Call,
  { run, row, undoes }: Claimed,
  outputsOf: (stepIds: string[]) => Promise<Map<string, Json>>,
): Promise<Json> {
  if (call.literal) return call.with
  const outputs = new Map(await outputsOf(stepsIn(call.with)))
  if (undoes) outputs.set(row.stepId, undoes.output ?? null)
  const item = row.item < 0 ? undefined : { value: (undoes ?? row).itemValue ?? null, index: row.item }
  return resolveValue(call.with, scopeOf(run, outputs, item))
}

/** `{run}:{step}[:{index}][/undo][#{key epoch}]`: the same for every attempt, forwarded to whoever performs the effect (engine.md §4). */
export function idempotencyKey(
  runId: string,
  { stepId, item, call, keyEpoch }: Pick<StepRow, 'stepId' | 'item' | 'call' | 'keyEpoch'>,
): string {
  return `${runId}:${stepId}${item < 0 ? '' : `:${item}`}${call === 'undo' ? '/undo' : ''}${keyEpoch > 1 ? `#${keyEpoch}` : ''}`
}
