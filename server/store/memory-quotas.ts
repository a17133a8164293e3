import type { Clock, NewJob } from '@/server/engine/ports'
import { admitted, type Deferral, freePlaces, type Quota, type QuotaUse, type Standing } from '@/server/engine/quota'
import { midnightAfter } from '@/server/engine/time'
import type { MemoryQueue } from '@/server/queue/memory'
import { keyOf, type MemoryRow, type MemoryRun } from './memory-run'

/** A step that was let in or put off, by the job it has. `turn`: its place in the order in which that first happened. */
type Place = { turn: number; teamId: string; runId: string; key: string } & (
  { standing: 'running' | 'called' } | { standing: 'waiting'; reason: Deferral['reason'] }
)

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

  /** Whether this queued row may start now. If not, it is put off, with another job; by what is told. */
  admit({ run, rows }: MemoryRun, row: MemoryRow & { jobId: string }): Deferral['reason'] | null {
    const { teamId } = run.principal
    const quota = this.#quotas.get(teamId)
    const place = this.#places.get(row.jobId)
    if (!quota || row.call !== '') return null
    const use = this.#useOf(teamId)
    const first = row.startedAt === null
    const [deferral] = admitted(quota, use, [{ first, standing: standingOf(place) }])
    this.#places.delete(row.jobId)
    const own = { turn: place?.turn ?? ++this.#turns, teamId, runId: run.id, key: keyOf(row) }
    if (!deferral) {
      if (first) this.#used.set(this.#today(teamId), use.today)
      if (this.limits(teamId)) this.#places.set(row.jobId, { ...own, standing: 'running' })
      return null
    }
    const job = this.#replaced(row, run.id, teamId)
    rows.set(keyOf(row), { ...row, jobId: job.id, deferred: deferral })
    this.#places.set(job.id, { ...own, standing: 'waiting', reason: deferral.reason })
    this.queue.insert([{ ...job, startAfter: deferral.until }])
    return deferral.reason
  }

  /** Whether a place is free that somebody waits for. */
  isOvertaken(teamId: string): boolean {
    const quota = this.#quotas.get(teamId)
    const use = this.#useOf(teamId)
    return quota !== undefined && use.waiting > 0 && freePlaces(quota, use) > 0
  }

  teams(): string[] {
    return [...new Set([...this.#places.values()].filter(({ standing }) => standing === 'waiting').map(({ teamId }) => teamId))]
  }

  /** Who can be called now, by their jobs. */
  next(teamId: string): { jobId: string; runId: string }[] {
    const waiting = [...this.#places]
      .filter(([jobId, place]) => place.teamId === teamId && place.standing === 'waiting' && this.#holds(jobId, place))
      .toSorted(([, a], [, b]) => Number(standingOf(a) === null) - Number(standingOf(b) === null) || a.turn - b.turn)
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
    const { turn, teamId, runId, key } = place
    this.#places.set(job.id, { turn, teamId, runId, key, standing: 'called' })
    this.queue.insert([job])
  }

  #replaced({ stepId, item, call, epoch, jobId }: MemoryRow & { jobId: string }, runId: string, teamId: string): NewJob {
    const before = this.queue.queueOf(jobId)
    return { id: `${jobId}+`, data: { runId, stepId, item, call, epoch }, teamId, ...(before ? { queue: before } : {}) }
  }

  #useOf(teamId: string): QuotaUse {
    const now = this.clock.now()
    let [taken, waiting] = [0, 0]
    for (const [jobId, place] of this.#places) {
      if (place.teamId !== teamId || !this.#holds(jobId, place)) continue
      if (place.standing !== 'waiting') taken++
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

  /** Whatever ends a step, or takes its job, ends its place. */
  #holds(jobId: string, place: Place): boolean {
    const row = this.#rowOf(place)
    return row?.jobId === jobId && row.status === (place.standing === 'running' ? 'running' : 'queued')
  }
}

function standingOf(place: Place | undefined): Standing | null {
  if (place?.standing === 'called') return 'called'
  return place?.standing === 'waiting' && place.reason === 'concurrent_steps' ? 'waiting' : null
}
