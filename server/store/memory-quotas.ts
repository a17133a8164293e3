import type { Clock, NewJob } from '@/server/engine/ports'
import { admitted, type Deferral, freePlaces, type Quota, type QuotaUse, type Standing } from '@/server/engine/quota'
import { midnightAfter } from '@/server/engine/time'
import type { MemoryQueue } from '@/server/queue/memory'
import { keyOf, type MemoryRow, type MemoryRun } from './memory-run'

/** A step that was put off, by the job it has now. `turn`: its place in the order in which steps were first put off. */
type Place = { turn: number; teamId: string; runId: string; key: string; reason: Deferral['reason']; called: boolean }

/** Quotas of teams, and who waits for theirs: in the order in which they were put off. */
export class MemoryQuotas {
  readonly #quotas = new Map<string, Quota>()
  /** Steps started, by team and UTC day. */
  readonly #used = new Map<string, number>()
  readonly #places = new Map<string, Place>()
  #turns = 0

  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly runs: Map<string, MemoryRun>,
    private readonly queue: MemoryQueue,
  ) {}

  set(teamId: string, quota: Quota | null): void {
    if (quota) this.#quotas.set(teamId, quota)
    else this.#quotas.delete(teamId)
  }

  limits(teamId: string): boolean {
    return (this.#quotas.get(teamId)?.concurrentSteps ?? null) !== null
  }

  /** Whether this queued row may start now. If not, it is put off, with another job. */
  admit({ run, rows }: MemoryRun, row: MemoryRow & { jobId: string }): boolean {
    const { teamId } = run.principal
    const quota = this.#quotas.get(teamId)
    const place = this.#places.get(row.jobId)
    if (!quota || row.call !== '') {
      this.#places.delete(row.jobId)
      return true
    }
    const use = this.#useOf(teamId)
    const first = row.startedAt === null
    const [deferral] = admitted(quota, use, [{ first, standing: standingOf(place) }])
    this.#places.delete(row.jobId)
    if (!deferral) {
      if (first) this.#used.set(this.#today(teamId), use.today)
      return true
    }
    const job = this.#replaced(row, run.id, teamId)
    rows.set(keyOf(row), { ...row, jobId: job.id, deferred: deferral })
    const turn = place?.turn ?? ++this.#turns
    this.#places.set(job.id, { turn, teamId, runId: run.id, key: keyOf(row), reason: deferral.reason, called: false })
    this.queue.insert([{ ...job, startAfter: deferral.until }])
    return false
  }

  /** A place is free, and somebody waits for it who should be called. */
  isOvertaken(teamId: string): boolean {
    const quota = this.#quotas.get(teamId)
    const use = this.#useOf(teamId)
    return quota !== undefined && use.waiting > 0 && freePlaces(quota, use) > 0
  }

  teams(): string[] {
    return [...new Set([...this.#places.values()].filter(({ called }) => !called).map(({ teamId }) => teamId))]
  }

  /** Who can be called now, by their jobs. */
  next(teamId: string): { jobId: string; runId: string }[] {
    const waiting = [...this.#places]
      .filter(([jobId, place]) => place.teamId === teamId && !place.called && this.#isQueued(jobId, place))
      .toSorted(([, a], [, b]) => a.turn - b.turn)
    const use = this.#useOf(teamId)
    const steps = waiting.map(([, place]) => ({ first: this.#rowOf(place)?.startedAt === null, standing: standingOf(place) }))
    const deferrals = admitted(this.#quotas.get(teamId) ?? { stepsPerDay: null, concurrentSteps: null }, use, steps)
    return waiting.flatMap(([jobId, { runId }], i) => (deferrals[i] ? [] : [{ jobId, runId }]))
  }

  /** Its step may start now: a place is kept for it. Nothing where it waits no more. */
  call(jobId: string): void {
    const place = this.#places.get(jobId)
    const row = place && this.#rowOf(place)
    this.#places.delete(jobId)
    if (!place || row?.jobId !== jobId || row.status !== 'queued') return
    const job = this.#replaced({ ...row, jobId }, place.runId, place.teamId)
    this.queue.remove([jobId])
    this.runs.get(place.runId)?.rows.set(place.key, { ...row, jobId: job.id, deferred: null })
    this.#places.set(job.id, { ...place, called: true })
    this.queue.insert([job])
  }

  #replaced({ stepId, item, call, epoch, jobId }: MemoryRow & { jobId: string }, runId: string, teamId: string): NewJob {
    const before = this.queue.queueOf(jobId)
    return { id: `${jobId}+`, data: { runId, stepId, item, call, epoch }, teamId, ...(before ? { queue: before } : {}) }
  }

  #useOf(teamId: string): QuotaUse {
    const now = this.clock.now()
    let [taken, waiting] = [0, 0]
    for (const { run, rows } of this.runs.values())
      if (run.principal.teamId === teamId) for (const row of rows.values()) if (row.call === '' && row.status === 'running') taken++
    for (const [jobId, place] of this.#places) {
      if (place.teamId !== teamId || !this.#isQueued(jobId, place)) continue
      if (place.called) taken++
      else if (place.reason === 'concurrent_steps') waiting++
    }
    return { now, midnight: midnightAfter(now), today: this.#used.get(this.#today(teamId)) ?? 0, taken, waiting }
  }

  #today(teamId: string): string {
    return `${teamId} ${this.clock.now().toISOString().slice(0, 10)}`
  }

  #rowOf({ runId, key }: Place): MemoryRow | undefined {
    return this.runs.get(runId)?.rows.get(key)
  }

  #isQueued(jobId: string, place: Place): boolean {
    const row = this.#rowOf(place)
    return row?.jobId === jobId && row.status === 'queued'
  }
}

function standingOf(place: Place | undefined): Standing | null {
  if (place?.called) return 'called'
  return place?.reason === 'concurrent_steps' ? 'waiting' : null
}
