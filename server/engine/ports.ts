import type { Fields, GateStatus, Json, SecretPlaces } from '@/spec'
import type { Cause } from './causes'
import type { Deferral } from './quota'
import type { Scrub } from './scrub'
import type { CallResult, ChildCursor, EngineError, Face, LaidOutMap, Principal, RunState, StepRef, WorkRef } from './model'

/** What the engine needs from outside. Postgres and memory implement each port, and pass one contract suite. */
export type Ports = {
  store: Store
  queue: Queue
  clock: Clock
  tools: Tools
  /** By kind: a job is called as a tool is, and takes its time. */
  jobs: Tools
  /** Whom agents ask; null where none is configured. */
  models: Models | null
  access: Access
  sealer: Sealer
  log: Log
  /** Uniform in [0, 1): the jitter of a retry's delay. */
  random: () => number
  /** A time-ordered UUID (version 7). */
  newId: () => string
  /**
   * The trace context of a new run: a W3C traceparent, followed by the id of the span above it where another run's step starts this one.
   * `parent` is the context of that run. Nothing is traced where this is left out.
   */
  newTrace?: (runId: string, parent: string | null) => string | null
}

export interface Clock {
  now(): Date
  /** Resolves after `ms`, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type Definition = { id: string; teamId: string; slug: string; version: number; spec: string }

/** A run's place among runs. */
export type Kin = {
  /** The step, or the map's item, that started it; null: a person or a program did. */
  parent: ({ runId: string } & StepRef) | null
  /** Of a run without a parent: itself. */
  rootId: string
  /** How many ancestors it has. */
  depth: number
  /** What `workflow:…` in its document, and in its children's, means: definition ids by what stands behind the colon. */
  pins: Record<string, string>
}

export type NewRun = {
  id: string
  definition: Definition
  principal: Principal
  title: string | null
  /** Without its secrets: `HIDDEN` stands in their places. */
  input: Record<string, Json>
  /** By input, what stands in it with its secrets, sealed for this run. Null, or left out: none. */
  secrets?: Record<string, string> | null
  /** See `Ports.newTrace`. */
  trace?: string | null
  kin?: Kin
}
export type NewChild = NewRun & { kin: Kin }
/** A child before its first event. */
export type ChildStart = { run: NewChild; state: RunState; stepsTotal: number }

/** The child that a step waits for: what the step was last told of it, and what it is. */
export type Child = { runId: string; was: ChildCursor; face: Face; output: Json | null; error: EngineError | null }

/** As in `NewRun`. */
export type Given = { input: Record<string, Json>; secrets: Record<string, string> | null }

export type RunRecord = {
  id: string
  definition: Definition
  principal: Principal
  state: RunState
  version: number
  /** What it was started with. Asked for only where it is needed: it may be large, and each item of a map reads the run. Of a locked run, only while it is locked. */
  given: () => Promise<Given>
  createdAt: Date
  /** Kept with the run, so that one trace spans restarts and days of waiting. */
  trace: string | null
  kin: Kin
}

/** What a run that comes to rest has in the end. Without `error`, the one that it had stays. */
export type RunEnd = { output: Json | null; error?: EngineError | null }

export type StepRow = StepRef & {
  status: string
  attempt: number
  /** The number in the idempotency key: it rises only when the call is made again after a known end (engine.md §5). */
  keyEpoch: number
  jobId: string | null
  seq: number | null
  itemValue: Json | undefined
  output: Json | undefined
  error: EngineError | null
  compensation: { uses: string; with: Json } | null
  /** When the first attempt of this epoch started. */
  startedAt: Date | null
  /** Of a queued row: its team's quota puts it off. */
  deferred: Deferral | null
}

export type StepData = { runId: string } & StepRef
/** `child`: that run is to look what the child of this step has come to. `cancel`: it is to stop. */
export type SignalData = { runId: string; stepId: string; item: number; epoch: number; call: 'child' | 'cancel' }
export type JobData = StepData | SignalData

/** A job as fetched; `redelivered`: an earlier delivery was lost with its worker. */
export type Job = { id: string; data: JobData; redelivered: boolean }

/** Work that takes long has queues of its own, so that it never stands in the way of steps: agents, and each kind of job (`job.KIND`). */
export type QueueName = 'flow.step' | 'flow.agent' | `job.${string}`

/** A job that starts now, or not before `startAfter`; of the queue of steps unless it says another. */
export type NewJob = { id: string; data: StepData; queue?: QueueName; teamId: string; startAfter?: Date }
export type NewSignal = { id: string; data: SignalData; queue?: undefined; teamId: string; startAfter?: undefined }

export type NewGate = {
  id: string
  stepId: string
  epoch: number
  role: string
  channels: string[]
  approvals: number
  selfApproval: boolean
  requireSignIn: boolean
  title: string
  message: Json | null
  show: Record<string, Json>
  form: Fields | null
  shownHash: string
  expiresAt: Date
}

export type Gate = NewGate & { runId: string; status: GateStatus; openedAt: Date }

export type Decision = {
  userId: string
  decision: 'approve' | 'reject'
  comment: string | null
  form: Record<string, Json> | null
  channel: 'web' | 'email' | 'mcp' | 'rest'
  at: Date
}

/** A wait's time. `dropped`: the run stopped; the deadline stands for when it goes on. */
export type Timer = { stepId: string; epoch: number; dueAt: Date; status: 'set' | 'fired' | 'dropped' }

/** How an attempt ended, as its row records it. Guarded by (ref, attempt, job): false means somebody else owns the row now. */
export type AttemptEnd =
  | { kind: 'succeeded'; seq: number | null; result: CallResult; undoable: boolean } // `seq` is null for an undo
  | { kind: 'failed'; error: EngineError; ambiguous: boolean } // ambiguous, here and below: it may have happened, so the key stays
  | { kind: 'retry'; error: EngineError; ambiguous: boolean; job: NewJob; attempt: number } // the row becomes `queued` with this attempt number; a rate limit uses none, so several ends may carry one number
  | { kind: 'interrupted'; ambiguous: boolean } // back to pending: the run is stopping
  | { kind: 'child'; runId: string } // waiting for the child run that is stored with it

/** What a person says of a call of which nobody knew. */
export type RecordedOutcome = { happened: true; output: Json; seq: number; undoable: boolean } | { happened: false; error: EngineError }

/** How a row that waits for a child ends. */
export type ChildRowEnd = Extract<AttemptEnd, { kind: 'succeeded' | 'failed' }> | { kind: 'cancelled' }

/** `takenOver`: an earlier owner of the row was lost, and nobody knows how far it got. `undoes`: for an undo, the success it undoes. `limited`: when it is over, `readmit`. */
export type Claimed = { run: RunRecord; row: StepRow; takenOver: boolean; undoes: StepRow | null; limited: boolean }

export interface Store {
  insertRun(run: NewRun, state: RunState, stepsTotal: number): Promise<void>
  definition(defId: string): Promise<Definition | null>
  /** The team's workflow of that slug as it would be started now: the version named, else the current one. Archived ones are not found. */
  findDefinition(teamId: string, slug: string, version: number | null): Promise<Definition | null>
  /**
   * One transaction per transition: locks the run's row, reads the database clock after the lock is held, and commits what `work` wrote
   * through `tx` together with the jobs it enqueued. Null when there is no such run. `work` throwing rolls everything back.
   */
  transact<T>(runId: string, work: (tx: RunTx) => Promise<T>): Promise<T | null>
  /**
   * Takes the row for this job: `queued` → `running`. A redelivered job takes over the row that names it and raises its attempt, which fences
   * the former owner; a redelivered job whose row is still `queued` is an ordinary claim. Null: the row is recorded already, was recalled, or belongs to another job; the caller drops the job. A signal's job has no row.
   * A row whose team has used up its quota (see `admitted`) stays `queued`, uses no attempt, and belongs to another job that starts when it may: null too.
   * Undos are exempt.
   */
  claim(job: Job): Promise<Claimed | null>
  /** Lets steps of this team that its quota put off be claimed, as many as it has room for now; who waits longest is the first. */
  readmit(teamId: string): Promise<void>
  /** The teams of which steps are put off. */
  deferredTeams(): Promise<string[]>
  /** The resolved input and the plugin (with its version) that is called, stored beside the row for people to read. */
  recordInput(runId: string, ref: StepRef, attempt: number, input: Json, plugin: string | null): Promise<void>
  /** Outputs of these steps as references see them: `referenceOutput` of each step's row (item -1, latest epoch); absent where that is undefined. */
  outputs(runId: string, stepIds: string[]): Promise<Map<string, Json>>
  /** The rows of an agent's conversation: replies and calls, in no order. `epoch` is that of its key: while the key stays, the conversation goes on. */
  conversation(runId: string, agent: Pick<StepRef, 'stepId' | 'item' | 'epoch'>): Promise<StepRow[]>
  gate(gateId: string): Promise<Gate | null>
  /** Open gates at or past their deadline by the database clock, and when the next one is due. */
  dueGates(limit: number): Promise<{ due: { gateId: string; runId: string }[]; next: Date | null }>
  /** Timers at or past their time by the database clock, and when the next one is due. */
  dueTimers(limit: number): Promise<{ due: { runId: string; stepId: string; epoch: number }[]; next: Date | null }>
  /** Runs that should move but have no live job: status `queued`, or with rows `queued` or `running` whose job is gone,
   * or that were not told of a child, or whose child was not told to stop. In id order, ids above `after`. */
  stalledRuns(limit: number, after: string | null): Promise<string[]>
}

/** The locked run. Everything written here and every job enqueued commits or vanishes together. */
export interface RunTx {
  readonly run: RunRecord
  /** The database clock, read after the lock was held. */
  readonly now: Date
  outputs(stepIds: string[]): Promise<Map<string, Json>>
  /**
   * False: the row is no longer this attempt's, and nothing was written. A success also counts where the row waits for its next attempt only because this
   * one's worker was taken for lost (see `awaitsLost`): that attempt's job is gone then, and of a claim and this success exactly one wins.
   */
  endAttempt(ref: StepRef, attempt: number, jobId: string, end: AttemptEnd): Promise<boolean>
  /**
   * A row that was taken over, and is on a worker under this attempt and job, is under the attempt before again, for which the history says when and with
   * what it started: nothing has started since. What follows in this transaction ends it, so its lost owner stays fenced. False: the row is another's.
   */
  backToLost(ref: StepRef, attempt: number, jobId: string): Promise<boolean>
  /** As `Store.conversation`, as this transaction sees it. */
  conversation(agent: Pick<StepRef, 'stepId' | 'item' | 'epoch'>): Promise<StepRow[]>
  /** Is the row on a worker under this attempt and job? It stays so until this transaction ends. */
  holds(ref: StepRef, attempt: number, jobId: string): Promise<boolean>
  /** A call of an agent: its row, created or updated, is `running` with this attempt, job and input. A row that has succeeded is a defect. */
  startCall(ref: StepRef, call: { attempt: number; jobId: string; input: Json; plugin: string | null }): Promise<void>
  /** Queued rows for these refs (created with attempt 1; an existing row keeps its attempt number and gets the new job) and their jobs. */
  enqueue(jobs: NewJob[]): Promise<void>
  /**
   * A row without a handler result, created or updated: its status and what is given; the rest of the row stays (a compensated step keeps its output).
   * Such rows have no `seq`: only calls can be undone.
   */
  settleStep(
    ref: StepRef,
    status: 'waiting' | 'succeeded' | 'failed' | 'skipped' | 'cancelled' | 'compensated',
    written: { output?: Json; error?: EngineError; input?: Json },
  ): Promise<void>
  /**
   * The map's own row as `waiting`, and all its items as pending rows with their values, in one statement. An item of an earlier epoch keeps
   * its key where that may have happened and the value is the same.
   */
  openMap(ref: StepRef, over: Json[]): Promise<void>
  /**
   * `{ results, failed: [{ index, error: { code, message } }] }` assembled from the item rows, in one statement, stored as the map row's output; unstarted
   * items become `skipped`. Above 32 MiB of results the output is null and the row flagged `output_truncated`.
   */
  collectMap(ref: StepRef, status: 'succeeded' | 'failed', error: EngineError | undefined): Promise<void>
  /**
   * For a re-drive: pending rows in this epoch for those of these steps that have one in an earlier epoch. The key epoch rises where the latest
   * row's end is known (succeeded, undone, or failed with no attempt that may have happened).
   */
  reopen(stepIds: string[], epoch: number): Promise<void>
  /** For a re-drive: the deadlines of these steps' dropped timers hold in this epoch. */
  keepDeadlines(stepIds: string[], epoch: number): Promise<void>
  /** The map's own row as `waiting`, and its items without a standing success as pending rows, all in this epoch; what the map counts now. */
  reopenMap(ref: StepRef): Promise<{ total: number; succeeded: number }>
  /** The first pending items of this map and epoch from this one on, in their order. */
  pendingItems(ref: StepRef, from: number, limit: number): Promise<number[]>
  /** The maps that have items, by their latest rows. */
  laidOutMaps(): Promise<LaidOutMap[]>
  /** What a person says of a failed row whose outcome is unknown; false where it is none (any more). The row is flagged `recorded_by_hand`. */
  recordOutcome(ref: StepRef, outcome: RecordedOutcome): Promise<boolean>
  openGate(gate: NewGate): Promise<void>
  gate(gateId: string): Promise<Gate | null>
  /** Does this person hold the role now? Asked inside the transaction: a role lost a moment ago no longer counts. */
  holdsRole(userId: string, role: string): Promise<boolean>
  /** False when this person has decided this gate already. */
  insertDecision(gateId: string, decision: Decision): Promise<boolean>
  decisions(gateId: string): Promise<Decision[]>
  settleGate(gateId: string, status: 'approved' | 'rejected' | 'expired'): Promise<void>
  /** Sets the timer of a step and returns when it is due: `dueAt`, or what was kept when a run that stopped dropped the timer of this epoch. */
  setTimer(timer: { stepId: string; epoch: number; dueAt: Date }): Promise<Date>
  timer(stepId: string, epoch: number): Promise<Timer | null>
  /** `set` → `fired`. */
  fireTimer(stepId: string, epoch: number): Promise<void>
  /**
   * Queued rows → pending and their jobs gone; open gates → withdrawn; set timers → dropped. With `stepId` only that map's items, and no gates or timers. Undo rows stay.
   * Returns the rows that were queued: the rest is on workers.
   */
  recall(stepId?: string): Promise<{ stepId: string; item: number }[]>
  /** The undoable row with status `succeeded` and the highest seq that has no undo row yet. */
  nextUndo(): Promise<WorkRef | null>
  /** One row, for the undo of a call whose worker was lost. */
  row(ref: StepRef): Promise<StepRow | null>
  /** Rows that are `queued` or `running` but whose job no longer exists (completed, or never seen). Calls of agents are left to the agent. */
  lostRows(): Promise<StepRow[]>
  /** Stores a child run of this one, and counts it at the root; false when that has as many descendants as it may have. */
  insertChild(child: ChildStart): Promise<boolean>
  /** The child that this row waits for; null where it waits for none (any more). */
  childOf(ref: StepRef): Promise<Child | null>
  noteChild(ref: StepRef, face: ChildCursor): Promise<void>
  /** Only where the row still waits for its child. @throws {Error} else */
  endChild(ref: StepRef, end: ChildRowEnd): Promise<void>
  /** The rows that wait for a child, what they were told of it, and what it is. */
  children(): Promise<(Pick<Child, 'runId' | 'was' | 'face'> & { ref: StepRef })[]>
  /** Jobs by which other runs hear of this transition. */
  signal(signals: NewSignal[]): Promise<void>
  save(state: RunState, finish?: RunEnd): Promise<void>
}

/** The dispatcher's side of the queue. Enqueueing happens inside `RunTx`, never here. */
export interface Queue {
  /** The queues there are. */
  names(): Promise<QueueName[]>
  /**
   * Up to `limit` jobs of this queue (of steps, where none is named) that may start now. `slots`: how many jobs of it run here at the same
   * time; with it no team gets them all.
   */
  fetch(limit: number, from?: QueueName, slots?: number): Promise<Job[]>
  /** The job is done with, whatever became of its step: the step row is the truth. Unknown ids are ignored. */
  complete(jobIds: string[]): Promise<void>
  /** Back to the queue at once, e.g. when a worker stops before it is done with them. Fetched again, they may say `redelivered`. */
  release(jobIds: string[]): Promise<void>
  /** Keeps these jobs' leases alive. */
  touch(jobIds: string[]): Promise<void>
  /** Calls `wake` when there may be work in this queue. Returns how to stop listening. */
  listen(wake: () => void, to?: QueueName): Promise<() => Promise<void>>
}

export type ToolCall = {
  runId: string
  stepId: string
  item: number
  attempt: number
  idempotencyKey: string
  principal: Principal
  signal: AbortSignal
  /** Takes the secrets of this call's input out of whatever is to be kept or shown. */
  scrub: Scrub
}

export type Tool = {
  name: string
  /** For models that may call it: what it does, and the JSON Schema of its input. */
  description?: string
  inputSchema?: Json
  /** The plugin that brings it, and its version: `expense-approval 1.2.0`. */
  plugin?: string
  effect: 'read' | 'write' | 'once'
  /** Where its input is secret: only there may a run's secrets go, and what stands there is not stored with the step. */
  secrets?: SecretPlaces | null
  /** Problems of an input, or none. */
  check(input: Json): { path: string; message: string }[]
  /** Names of inputs that the tool's schema neither requires nor allows to be null: a null there is dropped before `check`. */
  dropNulls(input: Json): Json
  run(call: ToolCall, input: Json): Promise<CallResult>
}

export interface Tools {
  find(name: string): Tool | null
}

/** What a model says: calls it asks for, or an answer: in fields where those are demanded, else as text. Stored as it is. */
export type ModelReply = { text: string; calls: { tool: string; input: Json }[]; answer?: Json; usage?: { input: number; output: number } }

export type CallAnswer = { ok: true; output: Json } | { ok: false; code: string; message: string }

/** One turn of a conversation that is over: what came of the calls, or what was wrong with the answer. */
export type Turn = { reply: ModelReply; results: CallAnswer[]; complaint: string | null }

export type ModelRequest = {
  about: { runId: string; stepId: string; item: number; turn: number }
  /** What the author of the workflow wants. */
  goal: Json
  /** Data to work on: nothing in it is an instruction. */
  context: Json
  tools: { name: string; description: string; inputSchema: Json }[]
  /** JSON Schema of the answer demanded; null: text. */
  answer: Json | null
  turns: Turn[]
  signal: AbortSignal
}

export interface Models {
  /** @throws errors that say by name or code what may be done about them, as those of tools do */
  reply(request: ModelRequest): Promise<ModelReply>
}

/** Seals what nobody may read where it is stored. `about` says what it is of: sealed for one thing, it does not open for another. */
export interface Sealer {
  seal(text: string, about: string): string
  open(sealed: string, about: string): { ok: true; text: string } | { ok: false; why: 'unknown_key' | 'damaged'; keyId: string }
}

/** The chain before every tool call: may this person still act ▸ org gate ▸ quota ▸ audit. */
export interface Access {
  admit(call: {
    runId: string
    stepId: string
    item: number
    tool: string
    effect: Tool['effect']
    principal: Principal
    undo: boolean
  }): Promise<{ ok: true } | { ok: false; code: 'denied'; message: string }>
  /** May this person start these workflows of the team, by live rights? `from`: a run starts it as its child, which is put on record. */
  mayStart(asked: {
    principal: Principal
    workflows: string[]
    from?: { runId: string; child: { id: string; slug: string; version: number } }
  }): Promise<{ ok: true } | { ok: false; message: string }>
}

/** What has just ended, for a tracing backend: the fields of the event that tells of it are its attributes. */
export type Span = {
  of: 'run' | 'step'
  slug: string
  trace: string | null
  startedAt: Date
  endedAt: Date
  /** A run that had come to rest before: its own span was told of then. */
  again?: boolean
  /** Of a step: the run that it started, whose span is below this one. */
  started?: string
  causes?: Cause[]
}

export interface Log {
  event(
    name:
      | 'run_start'
      | 'step_start'
      | 'step_complete'
      | 'step_retry'
      | 'step_park'
      | 'gate_open'
      | 'gate_resolve'
      | 'compensate'
      | 'run_finish',
    fields: Record<string, string | number | boolean | null>,
    span?: Span,
  ): void
  error(message: string, cause: unknown): void
}
