import type { Json, RunStatus } from '@/spec'
import type { EngineError, StepRef } from '@/server/engine/model'
import type { Decision, Gate, NewRun, RunRecord, StepRow, Timer } from '@/server/engine/ports'
import { parseState } from '@/server/engine/serialize'

/** A step row as it is kept. Values are text, as in a database: nobody can change them from outside. */
export type MemoryRow = Omit<StepRow, 'itemValue' | 'output' | 'compensation'> & {
  itemValue: string | undefined
  input: string | undefined
  output: string | undefined
  compensation: string | null
  undoable: boolean
  /** Some attempt under this row's key may have happened. */
  ambiguous: boolean
  /** A map's own row: how many items it has. */
  items: number | null
  plugin: string | null
  flag: string | null
  hint: string | null
  error: EngineError | null
}

export type MemoryRun = {
  run: NewRun
  createdAt: Date
  input: string
  state: string
  status: RunStatus
  version: number
  output: string | null
  error: EngineError | null
  rows: Map<string, MemoryRow>
  gates: Map<string, Gate>
  timers: Map<string, Timer>
  decisions: Map<string, Decision[]>
}

export const keyOf = ({ stepId, item, call, epoch }: StepRef) => `${stepId}/${item}/${call}/${epoch}`

/** By step and epoch. */
export const timerKeyOf = ({ stepId, epoch }: { stepId: string; epoch: number }) => `${stepId}/${epoch}`

export const textOf = (value: Json | undefined) => (value === undefined ? undefined : JSON.stringify(value))
export const valueOf = (text: string | undefined): Json | undefined => (text === undefined ? undefined : (JSON.parse(text) as Json))

export function newRow(ref: StepRef, status: string): MemoryRow {
  return {
    ...ref,
    status,
    attempt: 1,
    keyEpoch: 1,
    jobId: null,
    seq: null,
    itemValue: undefined,
    input: undefined,
    output: undefined,
    compensation: null,
    undoable: false,
    ambiguous: false,
    items: null,
    plugin: null,
    flag: null,
    hint: null,
    error: null,
    startedAt: null,
  }
}

/** A row as the port shows it, with copies of its values. */
export function stepRow(row: MemoryRow): StepRow {
  const { stepId, item, call, epoch, status, attempt, keyEpoch, jobId, seq, startedAt } = row
  const compensation = row.compensation === null ? null : (JSON.parse(row.compensation) as StepRow['compensation'])
  return {
    stepId,
    item,
    call,
    epoch,
    status,
    attempt,
    keyEpoch,
    jobId,
    seq,
    startedAt,
    itemValue: valueOf(row.itemValue),
    output: valueOf(row.output),
    compensation,
  }
}

export function recordOf({ run, input, state, version, createdAt }: MemoryRun): RunRecord {
  const { id, definition, principal, trace = null } = run
  const common = { id, definition, principal, trace, createdAt, version }
  return { ...common, state: parseState(state), input: JSON.parse(input) as Record<string, Json> }
}

/** A pending row in a later epoch: its key rises where the end of the last one is known. */
export function reopened(last: MemoryRow, epoch: number, itemValue = last.itemValue): MemoryRow {
  const known =
    ['succeeded', 'compensated'].includes(last.status) || (last.status === 'failed' && !last.ambiguous) || itemValue !== last.itemValue
  const row = newRow({ ...last, epoch }, 'pending')
  const key = known ? { keyEpoch: last.keyEpoch + 1 } : { keyEpoch: last.keyEpoch, ambiguous: last.ambiguous }
  return { ...row, ...key, itemValue, items: last.items }
}
