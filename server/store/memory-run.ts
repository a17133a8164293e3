import type { Json, RunStatus } from '@/spec'
import type { EngineError, RunState, StepRef } from '@/server/engine/model'
import type { Child, Decision, Gate, Kin, NewRun, RunRecord, StepRow, Timer } from '@/server/engine/ports'
import { parseState, serializeState } from '@/server/engine/serialize'

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
  child: Pick<Child, 'runId' | 'was'> | null
}

export type MemoryRun = {
  run: NewRun & { kin: Kin }
  createdAt: Date
  /** Of a root: the runs below it. */
  descendants: number
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

/** A run before its first event. */
export function newRun(run: NewRun, state: RunState, createdAt: Date): MemoryRun {
  return {
    run: structuredClone({ ...run, kin: run.kin ?? { parent: null, rootId: run.id, depth: 0, pins: {} } }),
    createdAt,
    descendants: 0,
    input: JSON.stringify(run.input),
    state: serializeState(state),
    status: state.status,
    version: 1,
    output: null,
    error: null,
    rows: new Map(),
    gates: new Map(),
    timers: new Map(),
    decisions: new Map(),
  }
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
    deferred: null,
    child: null,
  }
}

/** A row as the port shows it, with copies of its values. */
export function stepRow(row: MemoryRow): StepRow {
  const { stepId, item, call, epoch, status, attempt, keyEpoch, jobId, seq, error, startedAt, deferred } = row
  const compensation = row.compensation === null ? null : (JSON.parse(row.compensation) as StepRow['compensation'])
  return {
    stepId,
    item,
    call,
    epoch,
    status,
    attempt,
    keyEpoch,
    error,
    jobId,
    seq,
    startedAt,
    deferred,
    itemValue: valueOf(row.itemValue),
    output: valueOf(row.output),
    compensation,
  }
}

export function recordOf({ run, input, state, version, createdAt }: MemoryRun): RunRecord {
  const { id, definition, principal, kin, trace = null, secrets = null } = run
  const common = { id, definition, principal, kin, trace, createdAt, version }
  return { ...common, state: parseState(state), given: async () => ({ input: JSON.parse(input) as Record<string, Json>, secrets }) }
}

/** A pending row in a later epoch: its key rises where the end of the last one is known. */
export function reopened(last: MemoryRow, epoch: number, itemValue = last.itemValue): MemoryRow {
  const known =
    ['succeeded', 'compensated'].includes(last.status) || (last.status === 'failed' && !last.ambiguous) || itemValue !== last.itemValue
  const row = newRow({ ...last, epoch }, 'pending')
  const key = known ? { keyEpoch: last.keyEpoch + 1 } : { keyEpoch: last.keyEpoch, ambiguous: last.ambiguous }
  return { ...row, ...key, itemValue, items: last.items }
}

/** The rows of an agent's conversation. */
export function conversationOf(rows: Iterable<MemoryRow>, agent: Pick<StepRef, 'stepId' | 'item' | 'epoch'>): StepRow[] {
  const mine = [...rows].filter((row) => row.stepId === agent.stepId && row.item === agent.item && row.epoch === agent.epoch)
  return mine.filter(({ call }) => call.startsWith('t')).map(stepRow)
}
