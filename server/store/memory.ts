import type { Json } from '@/spec'
import type { RunState, StepRef } from '@/server/engine/model'
import type { Claimed, Clock, Definition, Gate, Job, NewRun, RunTx, StepRow, Store } from '@/server/engine/ports'
import type { Quota } from '@/server/engine/quota'
import { isSignal } from '@/server/engine/signals'
import type { MemoryQueue } from '@/server/queue/memory'
import { conversationOf, keyOf, newRun, recordOf, stepRow, textOf, type MemoryRun } from './memory-run'
import { isStale } from './memory-children'
import { MemoryQuotas } from './memory-quotas'
import { lostRowsOf, outputsOf } from './memory-rows'
import { MemoryTx } from './memory-tx'

/** A store in memory with the guards of the real one: one transaction at a time in a run, all of it or nothing, rows fenced by attempt and job. */
export class MemoryStore implements Store {
  readonly #runs = new Map<string, MemoryRun>()
  readonly #definitions = new Map<string, Definition>()
  readonly #locks = new Map<string, Promise<unknown>>()
  readonly #roles = new Set<string>()
  readonly #quotas: MemoryQuotas

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly queue: MemoryQueue,
  ) {
    this.#quotas = new MemoryQuotas(clock, this.#runs, queue)
  }

  addDefinition(definition: Definition): void {
    this.#definitions.set(definition.id, definition)
  }

  grantRole(teamId: string, userId: string, role: string): void {
    this.#roles.add(`${teamId} ${userId} ${role}`)
  }

  revokeRole(teamId: string, userId: string, role: string): void {
    this.#roles.delete(`${teamId} ${userId} ${role}`)
  }

  /** What a team may use; null: as much as it likes. */
  setQuota(teamId: string, quota: Quota | null): void {
    this.#quotas.set(teamId, quota)
  }

  /** Everything kept of a run, for tests to look at. */
  read(runId: string): MemoryRun | undefined {
    return this.#runs.get(runId)
  }

  async insertRun(run: NewRun, state: RunState): Promise<void> {
    if (this.#runs.has(run.id)) throw new Error(`run ${run.id} is there already`)
    this.addDefinition(run.definition)
    this.#runs.set(run.id, newRun(run, state, this.clock.now()))
  }

  async definition(defId: string): Promise<Definition | null> {
    return this.#definitions.get(defId) ?? null
  }

  async findDefinition(teamId: string, slug: string, version: number | null): Promise<Definition | null> {
    const found = [...this.#definitions.values()].filter((one) => one.teamId === teamId && one.slug === slug)
    if (version !== null) return found.find((one) => one.version === version) ?? null
    return found.reduce<Definition | null>((newest, one) => (newest && newest.version > one.version ? newest : one), null)
  }

  transact<T>(runId: string, work: (tx: RunTx) => Promise<T>): Promise<T | null> {
    return this.#locked(runId, async () => {
      const run = this.#runs.get(runId)
      if (!run) return null
      const { teamId } = run.run.principal
      const holds = (userId: string, role: string) => this.#roles.has(`${teamId} ${userId} ${role}`)
      const tx = new MemoryTx(run, this.#runs, this.queue, holds, this.clock.now())
      try {
        const value = await work(tx)
        tx.commit()
        return value
      } catch (error) {
        tx.rollback()
        throw error
      }
    })
  }

  async claim(job: Job): Promise<Claimed | null> {
    const claimed = await this.#claim(job)
    if (!claimed || !('overtakenIn' in claimed)) return claimed
    // It came new while others waited, and there is room: those are called first.
    if (this.#quotas.isOvertaken(claimed.overtakenIn)) await this.readmit(claimed.overtakenIn)
    return null
  }

  async readmit(teamId: string): Promise<void> {
    for (const { jobId, runId } of this.#quotas.next(teamId)) await this.#locked(runId, async () => this.#quotas.call(jobId))
  }

  async deferredTeams(): Promise<string[]> {
    return this.#quotas.teams()
  }

  #claim({ data, ...job }: Job): Promise<Claimed | { overtakenIn: string } | null> {
    return this.#locked(data.runId, async () => {
      const run = this.#runs.get(data.runId)
      const row = isSignal(data) ? undefined : run?.rows.get(keyOf(data))
      if (!run || row?.jobId !== job.id) return null
      const takenOver = row.status === 'running' && job.redelivered
      if (row.status !== 'queued' && !takenOver) return null
      const putOff = takenOver ? null : this.#quotas.admit(run, { ...row, jobId: job.id })
      if (putOff) return putOff === 'concurrent_steps' ? { overtakenIn: run.run.principal.teamId } : null
      const claimed = {
        ...row,
        status: 'running',
        attempt: takenOver ? row.attempt + 1 : row.attempt,
        ambiguous: row.ambiguous || takenOver,
        plugin: null,
        deferred: null,
        startedAt: row.startedAt ?? this.clock.now(),
      }
      run.rows.set(keyOf(row), claimed)
      const undone = row.call === 'undo' ? run.rows.get(keyOf({ ...row, call: '' })) : undefined
      const limited = row.call === '' && this.#quotas.limits(run.run.principal.teamId)
      return { run: recordOf(run), row: stepRow(claimed), takenOver, undoes: undone ? stepRow(undone) : null, limited }
    })
  }

  async recordInput(runId: string, ref: StepRef, attempt: number, input: Json, plugin: string | null): Promise<void> {
    const run = this.#runs.get(runId)
    const row = run?.rows.get(keyOf(ref))
    if (run && row?.attempt === attempt) run.rows.set(keyOf(ref), { ...row, input: textOf(input), plugin })
  }

  async outputs(runId: string, stepIds: string[]): Promise<Map<string, Json>> {
    return outputsOf(stepIds, this.#runs.get(runId)?.rows.values() ?? [])
  }

  async conversation(runId: string, agent: Pick<StepRef, 'stepId' | 'item' | 'epoch'>): Promise<StepRow[]> {
    return conversationOf(this.#runs.get(runId)?.rows.values() ?? [], agent)
  }

  async gate(gateId: string): Promise<Gate | null> {
    for (const gate of this.#gates()) if (gate.id === gateId) return structuredClone(gate)
    return null
  }

  async dueGates(limit: number): Promise<{ due: { gateId: string; runId: string }[]; next: Date | null }> {
    const now = this.clock.now()
    const open = [...this.#gates()].filter((gate) => gate.status === 'open')
    open.sort((a, b) => a.expiresAt.getTime() - b.expiresAt.getTime())
    const due = open.filter((gate) => gate.expiresAt <= now).slice(0, limit)
    const next = open.find((gate) => gate.expiresAt > now)?.expiresAt ?? null
    return { due: due.map((gate) => ({ gateId: gate.id, runId: gate.runId })), next }
  }

  async dueTimers(limit: number): Promise<{ due: { runId: string; stepId: string; epoch: number }[]; next: Date | null }> {
    const now = this.clock.now()
    const set = [...this.#runs].flatMap(([runId, run]) =>
      [...run.timers.values()].flatMap(({ status, ...timer }) => (status === 'set' ? [{ runId, ...timer }] : [])),
    )
    set.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime())
    const due = set.filter((timer) => timer.dueAt <= now).slice(0, limit)
    const next = set.find((timer) => timer.dueAt > now)?.dueAt ?? null
    return { due: due.map(({ runId, stepId, epoch }) => ({ runId, stepId, epoch })), next }
  }

  async stalledRuns(limit: number, after: string | null): Promise<string[]> {
    const stalled = [...this.#runs].filter(
      ([, run]) => run.status === 'queued' || lostRowsOf(run.rows.values(), this.queue).length > 0 || isStale(run, this.#runs),
    )
    const ids = stalled.map(([id]) => id).filter((id) => after === null || id > after)
    return ids.sort().slice(0, limit)
  }

  *#gates(): Generator<Gate> {
    for (const { gates } of this.#runs.values()) yield* gates.values()
  }

  /** One at a time for each run; a failed one does not hold up the next. */
  #locked<T>(runId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#locks.get(runId) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => undefined)
    this.#locks.set(runId, settled)
    void settled.then(() => this.#locks.get(runId) === settled && this.#locks.delete(runId))
    return mine
  }
}
