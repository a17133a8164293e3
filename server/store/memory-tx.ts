import type { ChildCursor, EngineError, LaidOutMap, RunState, StepRef, WorkRef } from '@/server/engine/model'
import type {
  RunEnd,
  AttemptEnd,
  Child,
  ChildRowEnd,
  ChildStart,
  Decision,
  Gate,
  NewGate,
  NewJob,
  NewSignal,
  RecordedOutcome,
  RunRecord,
  RunTx,
  StepRow,
  Timer,
} from '@/server/engine/ports'
import { awaitsLost } from '@/server/engine/late'
import { serializeState } from '@/server/engine/serialize'
import { childOf, childrenOf } from './memory-children'
import type { MemoryQueue } from '@/server/queue/memory'
import { ended, latestOf, lostRowsOf, outputsOf, refOf } from './memory-rows'
import type { Json } from '@/spec'
import {
  conversationOf,
  keyOf,
  newRow,
  newRun,
  recordOf,
  reopened,
  stepRow,
  textOf,
  timerKeyOf,
  type MemoryRow,
  type MemoryRun,
} from './memory-run'

const DESCENDANTS_MAX = 10_000
const MAP_OUTPUT_MAX = 32 * 1024 * 1024

/** Writes of one transaction, kept apart until they are committed: forgetting them is the rollback. */
export class MemoryTx implements RunTx {
  readonly run: RunRecord
  readonly #rows = new Map<string, MemoryRow>()
  readonly #gates = new Map<string, Gate>()
  readonly #timers = new Map<string, Timer>()
  readonly #decisions = new Map<string, Decision[]>()
  readonly #jobs: (NewJob | NewSignal)[] = []
  readonly #children: MemoryRun[] = []
  readonly #dropped: string[] = []
  #saved: Pick<MemoryRun, 'state' | 'status' | 'version' | 'output' | 'error'> | undefined

  constructor(
    private readonly base: MemoryRun,
    private readonly runs: Map<string, MemoryRun>,
    private readonly queue: MemoryQueue,
    private readonly roles: (userId: string, role: string) => boolean,
    readonly now: Date,
  ) {
    this.run = recordOf(base)
  }

  commit(): void {
    for (const [key, row] of this.#rows) this.base.rows.set(key, row)
    for (const [id, gate] of this.#gates) this.base.gates.set(id, gate)
    for (const [key, timer] of this.#timers) this.base.timers.set(key, timer)
    for (const [id, decisions] of this.#decisions) this.base.decisions.set(id, decisions)
    for (const child of this.#children) this.runs.set(child.run.id, child)
    if (this.#saved) Object.assign(this.base, this.#saved)
    this.queue.remove(this.#dropped)
    this.queue.insert(this.#jobs.filter((job) => !this.#dropped.includes(job.id)))
  }

  rollback(): void {
    const root = this.#root()
    if (root) root.descendants -= this.#children.length
  }

  async outputs(stepIds: string[]): Promise<Map<string, Json>> {
    return outputsOf(stepIds, this.#all())
  }

  async endAttempt(ref: StepRef, attempt: number, jobId: string, end: AttemptEnd): Promise<boolean> {
    const row = this.#row(keyOf(ref))
    if (row && end.kind === 'succeeded' && awaitsLost(row, attempt)) {
      if (row.jobId !== null) this.#dropped.push(row.jobId)
      this.#write({ ...row, ...ended(end), attempt, jobId, deferred: null })
      return true
    }
    if (row?.status !== 'running' || row.attempt !== attempt || row.jobId !== jobId) return false
    const ambiguous = row.ambiguous || ('ambiguous' in end && end.ambiguous)
    this.#write({ ...row, ...ended(end), ambiguous })
    if (end.kind === 'retry') this.#jobs.push(end.job)
    return true
  }

  async backToLost(ref: StepRef, attempt: number, jobId: string): Promise<boolean> {
    const row = this.#row(keyOf(ref))
    if (row?.status !== 'running' || row.attempt !== attempt || row.jobId !== jobId) return false
    this.#write({ ...row, attempt: attempt - 1 })
    return true
  }

  async conversation(agent: Pick<StepRef, 'stepId' | 'item' | 'epoch'>): Promise<StepRow[]> {
    return conversationOf(this.#all(), agent)
  }

  async holds(ref: StepRef, attempt: number, jobId: string): Promise<boolean> {
    const row = this.#row(keyOf(ref))
    return row?.status === 'running' && row.attempt === attempt && row.jobId === jobId
  }

  async startCall(ref: StepRef, call: { attempt: number; jobId: string; input: Json; plugin: string | null }): Promise<void> {
    const row = this.#row(keyOf(ref)) ?? newRow(ref, 'running')
    if (row.status === 'succeeded') throw new Error(`the call ${ref.call} of ${ref.stepId} has succeeded`)
    this.#write({
      ...row,
      ...call,
      input: textOf(call.input),
      status: 'running',
      keyEpoch: ref.epoch,
      error: null,
      startedAt: row.startedAt ?? this.now,
    })
  }

  async enqueue(jobs: NewJob[]): Promise<void> {
    for (const job of jobs) {
      const row = this.#row(keyOf(job.data)) ?? newRow(refOf(job.data), 'queued')
      this.#write({ ...row, status: 'queued', jobId: job.id, deferred: null })
    }
    this.#jobs.push(...jobs)
  }

  async settleStep(...[ref, status, written]: Parameters<RunTx['settleStep']>): Promise<void> {
    const row = this.#row(keyOf(ref)) ?? newRow(ref, status)
    const { output, error, input } = written
    this.#write({
      ...row,
      status,
      ...(output === undefined ? {} : { output: textOf(output) }),
      ...(error === undefined ? {} : { error }),
      ...(input === undefined ? {} : { input: textOf(input) }),
      startedAt: row.startedAt ?? (status === 'skipped' || status === 'cancelled' ? null : this.now),
    })
  }

  async openMap(ref: StepRef, over: Json[]): Promise<void> {
    const own = this.#row(keyOf(ref)) ?? newRow(ref, 'waiting')
    this.#write({ ...own, status: 'waiting', items: over.length, startedAt: own.startedAt ?? this.now })
    const before = new Map(this.#latestItems(ref.stepId).map((row) => [row.item, row]))
    over.forEach((value, item) => {
      const last = before.get(item)
      const itemValue = textOf(value)
      this.#write(last ? reopened(last, ref.epoch, itemValue) : { ...newRow({ ...ref, item }, 'pending'), itemValue })
    })
  }

  async reopen(stepIds: string[], epoch: number): Promise<void> {
    const latest = latestOf(this.#all(), (row) => row.item < 0)
    for (const stepId of stepIds) {
      const last = latest.get(`${stepId}/-1`)
      if (last) this.#write(reopened(last, epoch))
    }
  }

  async keepDeadlines(stepIds: string[], epoch: number): Promise<void> {
    const all = [...new Map([...this.base.timers, ...this.#timers]).values()].sort((a, b) => a.epoch - b.epoch)
    for (const timer of all) {
      const kept = { ...timer, epoch }
      if (timer.status === 'dropped' && stepIds.includes(timer.stepId)) this.#timers.set(timerKeyOf(kept), kept)
    }
  }

  async reopenMap(ref: StepRef): Promise<{ total: number; succeeded: number }> {
    const own = this.#row(keyOf(ref))
    const items = this.#latestItems(ref.stepId).filter((row) => row.item < (own?.items ?? 0))
    if (!own || items.length !== own.items) throw new Error(`map '${ref.stepId}' was never laid out`)
    this.#write({ ...own, status: 'waiting', startedAt: own.startedAt ?? this.now })
    const left = items.filter((row) => row.status !== 'succeeded')
    for (const row of left) this.#write(reopened(row, ref.epoch))
    return { total: items.length, succeeded: items.length - left.length }
  }

  async pendingItems(ref: StepRef, from: number, limit: number): Promise<number[]> {
    const pending = this.#latestItems(ref.stepId).filter((row) => row.item >= from && row.epoch === ref.epoch && row.status === 'pending')
    return pending.slice(0, limit).map((row) => row.item)
  }

  async laidOutMaps(): Promise<LaidOutMap[]> {
    const own = latestOf(this.#all(), (row) => row.item < 0 && row.items !== null && row.items > 0)
    return [...own.values()].map(({ stepId, items }) => {
      const standing = this.#latestItems(stepId).some((row) => row.item < (items ?? 0) && row.status === 'succeeded')
      return { stepId, standing }
    })
  }

  async recordOutcome(ref: StepRef, outcome: RecordedOutcome): Promise<boolean> {
    const row = this.#row(keyOf(ref))
    if (row?.status !== 'failed' || row.error?.code !== 'outcome_unknown') return false
    const written = outcome.happened
      ? { status: 'succeeded', output: textOf(outcome.output), seq: outcome.seq, undoable: outcome.undoable, error: null }
      : { error: outcome.error }
    this.#write({ ...row, ...written, flag: 'recorded_by_hand' })
    return true
  }

  /** The items of a map in their order, each by its latest row. */
  #latestItems(stepId: string): MemoryRow[] {
    return [...latestOf(this.#all(), (row) => row.stepId === stepId && row.item >= 0).values()].sort((a, b) => a.item - b.item)
  }

  async collectMap(ref: StepRef, status: 'succeeded' | 'failed', error: EngineError | undefined): Promise<void> {
    const own = this.#row(keyOf(ref)) ?? newRow(ref, status)
    const items = this.#latestItems(ref.stepId).filter((row) => row.item < (own.items ?? 0))
    const results = items.map((row) => (row.status === 'succeeded' ? (row.output ?? 'null') : 'null'))
    const failed = items
      .filter((row) => row.status === 'failed')
      .map((row) => ({ index: row.item, error: { code: row.error?.code ?? 'error', message: row.error?.message ?? '' } }))
    const output = `{"results":[${results.join(',')}],"failed":${JSON.stringify(failed)}}`
    const tooLarge = new TextEncoder().encode(output).length > MAP_OUTPUT_MAX
    for (const row of items) if (row.status === 'pending') this.#write({ ...row, status: 'skipped' })
    const written = tooLarge ? { output: 'null', flag: 'output_truncated' } : { output }
    this.#write({ ...own, ...written, status, error: error ?? null })
  }

  async openGate(gate: NewGate): Promise<void> {
    this.#gates.set(gate.id, { ...structuredClone(gate), runId: this.run.id, status: 'open', openedAt: this.now })
  }

  async gate(gateId: string): Promise<Gate | null> {
    const gate = this.#gate(gateId)
    return gate ? structuredClone(gate) : null
  }

  async holdsRole(userId: string, role: string): Promise<boolean> {
    return this.roles(userId, role)
  }

  async insertDecision(gateId: string, decision: Decision): Promise<boolean> {
    const earlier = await this.decisions(gateId)
    if (earlier.some((one) => one.userId === decision.userId)) return false
    const all = [...earlier, structuredClone(decision)]
    this.#decisions.set(
      gateId,
      all.sort((a, b) => a.at.getTime() - b.at.getTime()),
    )
    return true
  }

  async decisions(gateId: string): Promise<Decision[]> {
    return structuredClone(this.#decisions.get(gateId) ?? this.base.decisions.get(gateId) ?? [])
  }

  async settleGate(gateId: string, status: 'approved' | 'rejected' | 'expired'): Promise<void> {
    const gate = this.#gate(gateId)
    if (gate?.status !== 'open') throw new Error(`gate ${gateId} is not open`)
    this.#gates.set(gateId, { ...gate, status })
  }

  async setTimer({ stepId, epoch, dueAt }: { stepId: string; epoch: number; dueAt: Date }): Promise<Date> {
    const kept = (await this.timer(stepId, epoch))?.dueAt ?? dueAt
    this.#timers.set(timerKeyOf({ stepId, epoch }), { stepId, epoch, dueAt: kept, status: 'set' })
    return kept
  }

  async timer(stepId: string, epoch: number): Promise<Timer | null> {
    const key = timerKeyOf({ stepId, epoch })
    return this.#timers.get(key) ?? this.base.timers.get(key) ?? null
  }

  async fireTimer(stepId: string, epoch: number): Promise<void> {
    const timer = await this.timer(stepId, epoch)
    if (timer?.status !== 'set') throw new Error(`the timer of ${stepId} is not set`)
    this.#timers.set(timerKeyOf(timer), { ...timer, status: 'fired' })
  }

  async recall(stepId?: string): Promise<{ stepId: string; item: number }[]> {
    const refs: { stepId: string; item: number }[] = []
    for (const row of this.#all()) {
      if (row.status !== 'queued' || row.call !== '' || (stepId !== undefined && (row.stepId !== stepId || row.item < 0))) continue
      if (row.jobId !== null) this.#dropped.push(row.jobId)
      this.#write({ ...row, status: 'pending', jobId: null, deferred: null })
      refs.push({ stepId: row.stepId, item: row.item })
    }
    if (stepId !== undefined) return refs
    for (const gate of [...this.base.gates.values(), ...this.#gates.values()]) {
      const current = this.#gate(gate.id)
      if (current?.status === 'open') this.#gates.set(gate.id, { ...current, status: 'withdrawn' })
    }
    for (const key of new Set([...this.base.timers.keys(), ...this.#timers.keys()])) {
      const timer = this.#timers.get(key) ?? this.base.timers.get(key)
      if (timer?.status === 'set') this.#timers.set(key, { ...timer, status: 'dropped' })
    }
    return refs
  }

  async nextUndo(): Promise<WorkRef | null> {
    let next: MemoryRow | null = null
    for (const row of this.#all()) {
      if (row.call !== '' || row.status !== 'succeeded' || !row.undoable || row.seq === null) continue
      if (this.#row(keyOf({ ...refOf(row), call: 'undo' }))) continue
      if (next?.seq === undefined || next.seq === null || row.seq > next.seq) next = row
    }
    return next ? { stepId: next.stepId, item: next.item, epoch: next.epoch } : null
  }

  async row(ref: StepRef): Promise<StepRow | null> {
    const row = this.#row(keyOf(ref))
    return row ? stepRow(row) : null
  }

  async lostRows(): Promise<StepRow[]> {
    return lostRowsOf(this.#all(), this.queue)
  }

  async insertChild({ run, state }: ChildStart): Promise<boolean> {
    const root = this.#root()
    if (!root || root.descendants >= DESCENDANTS_MAX) return false
    if (this.runs.has(run.id)) throw new Error(`run ${run.id} is there already`)
    root.descendants++
    this.#children.push(newRun(run, state, this.now))
    return true
  }

  async childOf(ref: StepRef): Promise<Child | null> {
    return childOf(this.#row(keyOf(ref)), this.runs)
  }

  async noteChild(ref: StepRef, face: ChildCursor): Promise<void> {
    const row = this.#waitingForChild(ref)
    this.#write({ ...row, child: { ...row.child, was: face } })
  }

  async endChild(ref: StepRef, end: ChildRowEnd): Promise<void> {
    const row = this.#waitingForChild(ref)
    this.#write({ ...row, ...(end.kind === 'cancelled' ? { status: 'cancelled' } : ended(end)) })
  }

  async children(): ReturnType<RunTx['children']> {
    return [...childrenOf(this.#all(), this.runs)].map(({ runId, was, face, ref }) => ({ runId, was, face, ref }))
  }

  async signal(signals: NewSignal[]): Promise<void> {
    this.#jobs.push(...signals)
  }

  async save(state: RunState, finish?: RunEnd): Promise<void> {
    const { output, error } = finish
      ? { output: textOf(finish.output ?? undefined) ?? null, error: finish.error === undefined ? this.base.error : finish.error }
      : { output: this.base.output, error: this.base.error }
    this.#saved = { state: serializeState(state), status: state.status, version: this.base.version + 1, output, error }
  }

  #root(): MemoryRun | undefined {
    return this.runs.get(this.base.run.kin.rootId)
  }

  #waitingForChild(ref: StepRef): MemoryRow & { child: NonNullable<MemoryRow['child']> } {
    const row = this.#row(keyOf(ref))
    if (row?.status !== 'waiting' || !row.child) throw new Error(`${keyOf(ref)} waits for no child`)
    return { ...row, child: row.child }
  }

  #row(key: string): MemoryRow | undefined {
    return this.#rows.get(key) ?? this.base.rows.get(key)
  }

  #gate(id: string): Gate | undefined {
    return this.#gates.get(id) ?? this.base.gates.get(id)
  }

  #write(row: MemoryRow): void {
    this.#rows.set(keyOf(row), row)
  }

  *#all(): Generator<MemoryRow> {
    for (const [key, row] of this.base.rows) yield this.#rows.get(key) ?? row
    for (const [key, row] of this.#rows) if (!this.base.rows.has(key)) yield row
  }
}
