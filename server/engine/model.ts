import type { Graph, Json, RunCode, RunStatus, SecretPlaces, WorkflowSpec } from '@/spec'

/** A spec compiled once per definition version. `secrets`: where its inputs are secret. */
export type Plan = { defId: string; spec: WorkflowSpec; graph: Graph; secrets: SecretPlaces | null }

/**
 * Names one row of work. `item` is -1 outside maps; `call` is '' for the step itself, 'undo' for its compensation, and in an agent's
 * conversation `t1` for the model's first reply and `t1.2` for the second call that it asks for.
 */
export type StepRef = { stepId: string; item: number; call: '' | 'undo' | `t${number}`; epoch: number }

export type EngineError = { code: RunCode; message: string; stepId?: string; item?: number }

/** `active` covers queued and running: claiming a job touches only the step row, never the cursor. */
export type StepCursor =
  | { at: 'pending'; kept?: true } // kept: a map that is laid out already, whose items that are done stay done
  | { at: 'active'; epoch: number }
  | { at: 'deciding'; epoch: number } // a choice, map, gate or wait whose data-dependent part the driver answers in the same transaction
  | Waiting
  | { at: 'settled'; epoch: number; port: string }
  | { at: 'skipped' }
  | { at: 'failed'; epoch: number } // and followed by nobody
  | { at: 'compensated'; epoch: number; port: string }

/** For people, for time, for a child run, or for its items. */
export type Waiting =
  | { at: 'waiting'; epoch: number; on: 'gate' }
  | { at: 'waiting'; epoch: number; on: 'timer' }
  | { at: 'waiting'; epoch: number; on: 'child'; child: ChildCursor }
  | { at: 'waiting'; epoch: number; on: 'map'; map: MapCursor }

/** A child that has not ended: at work, waiting for people, waiting for time only, or stopped and needing attention. */
export type ChildCursor = 'busy' | 'asking' | 'idle' | 'parked'
/** All that a parent is told of a child. */
export type Face = ChildCursor | 'succeeded' | 'rejected' | 'cancelled'

/** Counters only, so that one item's end costs the same in a map of 10 and of 10,000; which items failed, their rows know. */
export type MapCursor = {
  total: number
  /** The first item that was never enqueued. */
  next: number
  /** Items under way: at work, or waiting for their children. */
  active: number
  /** Of a map of child runs: how many of the active ones wait for theirs, by how these stand. */
  children?: Record<ChildCursor, number>
  succeeded: number
  failed: number
  /** Laid out again after a re-drive: which items are left, the rows know. `choosing`: the driver is being asked for the next of them. */
  sparse?: true
  choosing?: true
  /** Why nothing new starts: more items failed than are tolerated, or one in a way that is never tolerated. */
  failing?: { error: EngineError; mustPark: boolean }
}

export type Stopping = { to: 'parked' | 'rejected' | 'cancelled'; error?: EngineError }

/** A step (`item` -1) or a map's item in one epoch. */
export type WorkRef = { stepId: string; item: number; epoch: number }

/** The run's private state. Pure data: what `advance` reads and returns. */
export type RunState = {
  status: RunStatus
  /** Raised with each recorded success of a call, run-wide: compensation walks it backwards. */
  seq: number
  steps: Map<string, StepCursor>
  stopping?: Stopping
  /** Counts re-drives, from 1 (also where absent): whatever starts now starts in this epoch. */
  epoch?: number
  /** `once` calls that ended and nobody knows how: nothing is compensated until a person has said. */
  unknown?: WorkRef[]
  /** Maps of which items were undone: their cursors do not say so. */
  undoneMaps?: string[]
  /** Who re-drove the run or recorded an outcome: as good as having started it. */
  initiators?: string[]
  /** Steps that may decide once the driver has answered for the one that is deciding; only within a transaction. */
  toDecide?: string[]
  /** The undo under way. */
  compensating?: WorkRef
}

/** What happened. Raised only when the guarded write that records it changed exactly one row. */
export type EngineEvent =
  | { type: 'started' }
  | { type: 'step_succeeded'; stepId: string; epoch: number }
  | { type: 'step_failed'; stepId: string; epoch: number; error: EngineError; mustPark: boolean } // fatal, or attempts exhausted; mustPark: denied, unknown_tool, outcome_unknown, no_branch …
  | { type: 'item_ended'; stepId: string; epoch: number; item: number; error?: EngineError; mustPark?: boolean }
  | { type: 'attempt_interrupted'; stepId: string; epoch: number; item: number } // an attempt ended without a result while the run is stopping
  | { type: 'gate_decided'; stepId: string; epoch: number; port: 'approved' | 'rejected' }
  | { type: 'gate_expired'; stepId: string; epoch: number }
  | { type: 'timer_fired'; stepId: string; epoch: number } // at its time, or at once where that is past
  | { type: 'child_started'; stepId: string; item: number; epoch: number } // the child run is stored with this transition
  | { type: 'child_changed'; stepId: string; item: number; epoch: number; was: ChildCursor; now: ChildCursor }
  | ({ type: 'child_ended'; stepId: string; item: number; epoch: number; was: ChildCursor } & ChildEnd)
  | { type: 'cancel_requested' }
  | { type: 'compensation_ended'; stepId: string; item: number; epoch: number; succeeded: boolean }
  | { type: 'swept' }
  | RedriveRequested
  | { type: 'outcome_recorded'; by: string; stepId: string; item: number; epoch: number; happened: boolean }
  // Answers of the driver to effects, within the same transaction. They keep every data-dependent part out of the reducer.
  | { type: 'choice_taken'; stepId: string; epoch: number; branch: string }
  | { type: 'choice_failed'; stepId: string; epoch: number; error: EngineError }
  | { type: 'gate_opened'; stepId: string; epoch: number }
  | { type: 'timer_set'; stepId: string; epoch: number }
  | { type: 'wait_failed'; stepId: string; epoch: number; error: EngineError } // a time that is none, or too far away
  | { type: 'map_opened'; stepId: string; epoch: number; total: number }
  | { type: 'map_reopened'; stepId: string; epoch: number; total: number; succeeded: number }
  | { type: 'items_chosen'; stepId: string; epoch: number; items: number[] }
  | { type: 'map_failed_to_open'; stepId: string; epoch: number; error: EngineError }
  | { type: 'map_collected'; stepId: string; epoch: number }
  | { type: 'recalled'; refs: { stepId: string; item: number }[] }
  | { type: 'undo_chosen'; undo: WorkRef | null }

/** `keep`: steps whose success stays though something before them runs again. `maps`: those laid out, and whether any item of theirs stands. */
export type RedriveRequested = { type: 'redrive_requested'; by: string; keep: string[]; maps: LaidOutMap[] }
export type LaidOutMap = { stepId: string; standing: boolean }

/** `withdrawn`: cancelled because its parent is. `parked`: its parent follows failures and does not wait for what becomes of it. */
type ChildEnd = { end: 'succeeded' | 'withdrawn'; error?: undefined } | { end: 'cancelled' | 'rejected' | 'parked'; error: EngineError }

/** What must be done about it: data, applied by the driver in the transaction that stores the new state. */
export type Effect =
  | { type: 'enqueue'; ref: StepRef }
  | { type: 'take_branch'; stepId: string; epoch: number } // answered by choice_taken | choice_failed
  | { type: 'open_gate'; stepId: string; epoch: number } // answered by gate_opened
  | { type: 'set_timer'; stepId: string; epoch: number } // answered by timer_set | timer_fired | wait_failed
  | { type: 'open_map'; stepId: string; epoch: number } // answered by map_opened | map_failed_to_open
  | { type: 'reopen_map'; stepId: string; epoch: number } // items without a standing success become pending in this epoch; answered by map_reopened
  | { type: 'choose_items'; stepId: string; epoch: number; from: number; count: number } // pending items in their order; answered by items_chosen
  | { type: 'collect_map'; stepId: string; epoch: number; error?: EngineError } // write { results, failed } to the map's row; answered by map_collected
  | { type: 'settle'; stepId: string; epoch: number; status: 'skipped' | 'cancelled' } // write the row of a step that has no result
  | { type: 'recall'; stepId?: string } // with `stepId` only that map's items; otherwise queued and backing-off work returns to pending, its jobs die, open gates are withdrawn, timers drop and keep their deadline; answered by recalled
  | { type: 'resume'; again: string[]; interrupted: string[]; epoch: number } // the run has no end and no error any more; rows of these steps, where there are any, are pending anew in this epoch; what the stop interrupted keeps its deadlines
  | { type: 'cancel_children'; stepId?: string } // child runs that have not ended are told to stop; with `stepId` that step's, for which nobody waits any more
  | { type: 'choose_undo' } // the standing undoable success with the highest seq; answered by undo_chosen
  | { type: 'mark_compensated'; stepId: string; item: number; epoch: number }
  | { type: 'finish'; status: RunStatus; error?: EngineError; keepsError?: true } // `succeeded` also resolves the document's output

export type Advanced = { state: RunState; effects: Effect[] }

export type Principal = { userId: string; teamId: string; locale: string }

export type CallResult = {
  output: Json
  hint?: string
  compensation?: { uses: string; with: Json }
  flag?: 'output_truncated' | 'output_invalid'
}
