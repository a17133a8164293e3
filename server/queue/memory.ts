import type { Clock, Job, NewJob, NewSignal, Queue, QueueName } from '@/server/engine/ports'

type Entry = { job: NewJob | NewSignal; active: boolean; deliveries: number }

/** A queue in memory, for tests and for plugin authors: jobs wait for their time on the given clock, a fetched one is leased until it ends. */
export class MemoryQueue implements Queue {
  readonly #entries = new Map<string, Entry>()
  readonly #listeners = new Set<() => void>()

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  async names(): Promise<QueueName[]> {
    return [...new Set<QueueName>(['flow.step', 'flow.agent', ...[...this.#entries.values()].map(({ job }) => job.queue ?? 'flow.step')])]
  }

  async fetch(limit: number, from: QueueName = 'flow.step'): Promise<Job[]> {
    const now = this.clock.now()
    const jobs: Job[] = []
    for (const entry of this.#entries.values()) {
      if (jobs.length >= limit) break
      if ((entry.job.queue ?? 'flow.step') !== from || entry.active || (entry.job.startAfter && entry.job.startAfter > now)) continue
      entry.active = true
      jobs.push({ id: entry.job.id, data: { ...entry.job.data }, redelivered: entry.deliveries++ > 0 })
    }
    return jobs
  }

  async complete(jobIds: string[]): Promise<void> {
    this.remove(jobIds)
  }

  async release(jobIds: string[]): Promise<void> {
    this.lose(jobIds)
    this.#wake()
  }

  async touch(): Promise<void> {}

  async listen(wake: () => void): Promise<() => Promise<void>> {
    this.#listeners.add(wake)
    return async () => {
      this.#listeners.delete(wake)
    }
  }

  /** What a committed transaction enqueued. An id that is there already is a defect. */
  insert(jobs: readonly (NewJob | NewSignal)[]): void {
    for (const job of jobs) {
      if (this.#entries.has(job.id)) throw new Error(`job ${job.id} is queued already`)
      this.#entries.set(job.id, { job, active: false, deliveries: 0 })
    }
    if (jobs.length > 0) this.#wake()
  }

  remove(jobIds: readonly string[]): void {
    for (const id of jobIds) this.#entries.delete(id)
  }

  /** The queue of a job; null where it is gone. */
  queueOf(jobId: string): QueueName | null {
    const entry = this.#entries.get(jobId)
    return entry ? (entry.job.queue ?? 'flow.step') : null
  }

  has(jobId: string): boolean {
    return this.#entries.has(jobId)
  }

  /** As if the worker that holds these had died and its lease had run out. */
  lose(jobIds: readonly string[]): void {
    for (const id of jobIds) {
      const entry = this.#entries.get(id)
      if (entry) entry.active = false
    }
  }

  /** When the next job that nobody holds may start; null where none waits. */
  nextStart(): Date | null {
    let next: Date | null = null
    for (const { job, active } of this.#entries.values()) {
      const at = job.startAfter ?? this.clock.now()
      if (!active && (next === null || at < next)) next = at
    }
    return next
  }

  #wake(): void {
    for (const wake of this.#listeners) wake()
  }
}
