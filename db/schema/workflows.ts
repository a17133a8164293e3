import { boolean, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { sql } from 'drizzle-orm'
import type { Fields, Json } from '@/spec'
import { GATE_STATUSES, RUN_STATUSES, STEP_STATUSES } from '@/spec/status'
import { createdAt, id, instant, jsonText, jsonValue } from './columns'
import { teams, users } from './people'

export type StoredError = { code: string; message: string; stepId?: string; item?: number }

/** One row a version; the canonical text of the spec is kept byte for byte, `hash` is its SHA-256. */
export const workflowDefs = pgTable(
  'workflow_defs',
  {
    id: id(),
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    slug: text('slug').notNull(),
    version: integer('version').notNull(),
    /** `plugin:<id>`, `db` or `builtin`. */
    source: text('source').notNull(),
    spec: jsonText('spec').notNull(),
    hash: text('hash').notNull(),
    status: text('status', { enum: ['active', 'archived'] })
      .notNull()
      .default('active'),
    createdBy: uuid('created_by').references(() => users.id),
    createdAt: createdAt(),
  },
  (t) => [unique('workflow_defs_version').on(t.teamId, t.slug, t.version)],
)

export const workflowRuns = pgTable(
  'workflow_runs',
  {
    id: id(),
    defId: uuid('def_id')
      .notNull()
      .references(() => workflowDefs.id),
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    locale: text('locale').notNull(),
    /** The step or item that started it, of a child run. Its root is itself where there is no parent: null then. */
    parentRunId: uuid('parent_run_id'),
    parentStepId: text('parent_step_id'),
    parentItem: integer('parent_item'),
    parentEpoch: integer('parent_epoch'),
    rootRunId: uuid('root_run_id'),
    depth: integer('depth').notNull().default(0),
    /** Of a root: how many runs were started below it. */
    descendants: integer('descendants').notNull().default(0),
    /** Definition ids by what `workflow:…` names, for this run and those below it: fixed when the root started. */
    pins: jsonValue<Record<string, string>>()('pins'),
    /** Of a child run: what its parent is to know of it. */
    face: text('face', { enum: ['busy', 'asking', 'idle', 'parked', 'succeeded', 'rejected', 'cancelled'] }),
    status: text('status', { enum: RUN_STATUSES }).notNull(),
    /** What the run is being brought to while attempts on workers drain: `parked`, `rejected`, `cancelled`. */
    stoppingTo: text('stopping_to', { enum: RUN_STATUSES }),
    /** Raised by every transition; live pages use it as the event id. */
    version: integer('version').notNull().default(1),
    /** The run's own span, as a W3C traceparent, and then its parent's span where there is one. Null: not traced. */
    trace: text('trace'),
    title: text('title'),
    /** Without its secrets. */
    input: jsonValue<Record<string, Json>>()('input').notNull(),
    /** Of the inputs that hold secrets, the whole values, each sealed for this run; by input. Only the worker opens them. */
    secrets: jsonValue<Record<string, string>>()('secrets'),
    output: jsonValue()('output'),
    error: jsonValue<StoredError>()('error'),
    /** The reducer's state. Private to the engine and free to change. */
    cursorJson: jsonText('cursor_json').notNull(),
    /** Jobs enqueued so far, retries not counted. */
    stepsUsed: integer('steps_used').notNull().default(0),
    /** Who re-drove the run or recorded an outcome of it: as good as having started it. */
    initiators: uuid('initiators')
      .array()
      .notNull()
      .default(sql`'{}'`),
    stepsTotal: integer('steps_total').notNull(),
    /** Steps that are settled (succeeded, skipped, or failed and followed): "step n of m". */
    stepsSettled: integer('steps_settled').notNull().default(0),
    /** Something is or should be under way: work, children, or compensation of a run that has its final status already. The sweep reads only these. */
    moving: boolean('moving').notNull().default(true),
    createdAt: createdAt(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
  },
  (t) => [
    index('workflow_runs_team').on(t.teamId, t.createdAt.desc(), t.id.desc()),
    index('workflow_runs_def').on(t.defId, t.createdAt.desc()),
    index('workflow_runs_parent')
      .on(t.parentRunId, t.createdAt.desc())
      .where(sql`parent_run_id IS NOT NULL`),
    index('workflow_runs_finished')
      .on(t.finishedAt, t.id)
      .where(sql`NOT moving`),
    index('workflow_runs_moving')
      .on(t.id)
      .where(sql`moving`),
  ],
)

/**
 * One row per attempt-carrying thing: a step, an item of a map (`item` ≥ 0), an undo (`call` = 'undo').
 * The primary key is the idempotency record and the only index: see docs/decisions/001.
 */
export const workflowSteps = pgTable(
  'workflow_steps',
  {
    runId: uuid('run_id').notNull(),
    stepId: text('step_id').notNull(),
    item: integer('item').notNull().default(-1),
    call: text('call').notNull().default(''),
    epoch: integer('epoch').notNull().default(1),
    /** The run-wide order of successes; compensation walks it backwards. */
    seq: integer('seq'),
    status: text('status', { enum: STEP_STATUSES }).notNull(),
    attempt: integer('attempt').notNull().default(1),
    /** The number in the idempotency key: it rises only when the call is made again after a known end. */
    keyEpoch: integer('key_epoch').notNull().default(1),
    /** Some attempt under this key may have happened. */
    ambiguous: boolean('ambiguous').notNull().default(false),
    jobId: uuid('job_id'),
    /** The queue of that job; null: that of the steps. */
    queue: text('queue'),
    /** A map item's own value, written when the map opens. */
    itemValue: jsonValue()('item_value'),
    /** A map's own row: how many items it has. */
    items: integer('items'),
    input: jsonValue()('input'),
    output: jsonValue()('output'),
    /** `output_truncated`, `output_invalid`, `recorded_by_hand`, or null. */
    flag: text('flag'),
    /** What the handler said about the step, shown to people. */
    hint: text('hint'),
    error: jsonValue<StoredError>()('error'),
    /** `{ uses, with }` returned by the handler; the spec's own `compensate` wins over it. */
    compensation: jsonValue<{ uses: string; with: Json }>()('compensation'),
    /** The run that this step or item started, and what it was last told of it. */
    childRunId: uuid('child_run_id'),
    childFace: text('child_face', { enum: ['busy', 'asking', 'idle', 'parked'] }),
    /** A succeeded call that compensation must undo when the run is stopped. */
    undoable: boolean('undoable').notNull().default(false),
    /** The plugin, with its version, that the current attempt called. */
    plugin: text('plugin'),
    /** When the next attempt may start. */
    notBefore: instant('not_before'),
    /** Of a queued row that its team's quota puts off: until when, and by which limit. */
    deferredUntil: instant('deferred_until'),
    deferredFor: text('deferred_for', { enum: ['steps_per_day', 'concurrent_steps'] }),
    /** When the first attempt of this epoch started, and when the current one did. */
    startedAt: instant('started_at'),
    attemptStartedAt: instant('attempt_started_at'),
    finishedAt: instant('finished_at'),
  },
  (t) => [primaryKey({ columns: [t.runId, t.stepId, t.item, t.call, t.epoch] })],
)

/** Attempts that ended without a success: the step row holds the last one, this table the history. */
export const stepAttempts = pgTable(
  'step_attempts',
  {
    runId: uuid('run_id').notNull(),
    stepId: text('step_id').notNull(),
    item: integer('item').notNull(),
    call: text('call').notNull(),
    epoch: integer('epoch').notNull(),
    attempt: integer('attempt').notNull(),
    plugin: text('plugin'),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at').notNull().defaultNow(),
    error: jsonValue<StoredError>()('error').notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.stepId, t.item, t.call, t.epoch, t.attempt] })],
)

/** One row a wait and epoch. `dropped`: its run stopped, and the deadline stands for when it goes on. */
export const workflowTimers = pgTable(
  'workflow_timers',
  {
    runId: uuid('run_id').notNull(),
    stepId: text('step_id').notNull(),
    epoch: integer('epoch').notNull(),
    dueAt: instant('due_at').notNull(),
    status: text('status', { enum: ['set', 'fired', 'dropped'] }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.stepId, t.epoch] }),
    index('workflow_timers_due')
      .on(t.dueAt)
      .where(sql`status = 'set'`),
  ],
)

export const gates = pgTable(
  'gates',
  {
    id: id(),
    runId: uuid('run_id')
      .notNull()
      .references(() => workflowRuns.id),
    stepId: text('step_id').notNull(),
    epoch: integer('epoch').notNull().default(1),
    teamId: uuid('team_id')
      .notNull()
      .references(() => teams.id),
    role: text('role').notNull(),
    status: text('status', { enum: GATE_STATUSES }).notNull().default('open'),
    channels: text('channels').array().notNull(),
    approvals: integer('approvals').notNull(),
    selfApproval: boolean('self_approval').notNull(),
    requireSignIn: boolean('require_sign_in').notNull(),
    title: text('title').notNull(),
    message: jsonValue()('message'),
    show: jsonValue<Record<string, Json>>()('show').notNull(),
    form: jsonValue<Fields>()('form'),
    shownHash: text('shown_hash').notNull(),
    openedAt: instant('opened_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
    settledAt: instant('settled_at'),
  },
  (t) => [
    unique('gates_step').on(t.runId, t.stepId, t.epoch),
    index('gates_open')
      .on(t.teamId, t.role)
      .where(sql`status = 'open'`),
    index('gates_due')
      .on(t.expiresAt)
      .where(sql`status = 'open'`),
  ],
)

export const gateDecisions = pgTable(
  'gate_decisions',
  {
    gateId: uuid('gate_id')
      .notNull()
      .references(() => gates.id),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id),
    decision: text('decision', { enum: ['approve', 'reject'] }).notNull(),
    comment: text('comment'),
    form: jsonValue<Record<string, Json>>()('form'),
    channel: text('channel', { enum: ['web', 'email', 'mcp', 'rest'] }).notNull(),
    at: instant('at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.gateId, t.userId] }), index('gate_decisions_user').on(t.userId, t.at.desc())],
)
