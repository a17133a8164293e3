import type { Job, Log, Queue, QueueName } from '@/server/engine/ports'

export type DispatcherOptions = {
  queue: Pick<Queue, 'fetch' | 'complete' | 'release' | 'touch' | 'listen'>
  /** The one it takes jobs from: of steps, unless given. */
  from?: QueueName
  /** Does one job to its end. Throws only where the platform failed; the job is then given back after a pause. */
  perform: (job: Job) => Promise<void>
  /** Called every `touchMs` with the runs whose jobs run here. */
  watch?: (runIds: string[]) => Promise<void>
  log: Pick<Log, 'error'>
  /** How many jobs run at the same time. */
  concurrency: number
  /** Looks for work this often even when nobody said there is some, in milliseconds. */
  pollMs?: number
  /** Renews the leases of what runs this often, in milliseconds: well within the queue's heartbeat of 10 s. */
  touchMs?: number
  /** The pause before a job goes back after an unexpected error, in milliseconds; doubled with each, up to a minute. */
  pauseMs?: number
}

const LONGEST_PAUSE_MS = 60_000
const LONGEST_MISS_MS = 5_000

/**
 * Keeps as many jobs running as there are slots. Looks for more when the queue announces work, when a slot becomes free, and every
 * second. Jobs that are done are taken off the queue together, one statement for all that ended meanwhile.
 */
export class Dispatcher {
  /** Jobs whose lease is ours: running, or done and not yet off the queue. */
  readonly #held = new Map<string, { runId: string; ended: Promise<void> }>()
  readonly #done = new Set<string>()
  readonly #failures = new Map<string, number>()
  readonly #timers: NodeJS.Timeout[] = []
  readonly #pauses = new Set<() => void>()
  #hungry = true
  #stopping = false
  #reachable = true
  /** No asking the queue before this moment, and how often it failed in a row. */
  #notBefore = 0
  #misses = 0
  #touching = false
  #wake = () => {}
  #loop: Promise<void> | undefined
  #unlisten = async () => {}

  constructor(private readonly options: DispatcherOptions) {}

  async start(): Promise<void> {
    const { queue, pollMs = 1_000, touchMs = 2_500 } = this.options
    this.#unlisten = await queue.listen(() => this.#look(), this.options.from)
    this.#timers.push(
      setInterval(() => this.#look(), pollMs),
      setInterval(() => void this.#touch(), touchMs),
    )
    this.#loop = this.#run()
  }

  /** Takes nothing new, waits up to `graceMs` for what runs, and gives the rest back to the queue. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true
    this.#wake()
    await this.#loop
    await this.#try('stop listening', this.#unlisten)
    for (const resume of this.#pauses) resume()
    const grace = Promise.withResolvers<void>()
    const timer = setTimeout(grace.resolve, graceMs)
    await Promise.race([Promise.allSettled([...this.#held.values()].map((job) => job.ended)), grace.promise])
    clearTimeout(timer)
    await this.#complete()
    await this.#try('give jobs back', () => this.options.queue.release([...this.#held.keys()]))
    this.#timers.forEach(clearInterval)
  }

  #look(): void {
    this.#hungry = true
    this.#wake()
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      const free = this.options.concurrency - (this.#held.size - this.#done.size)
      const waiting = Date.now() < this.#notBefore // the next poll looks again
      const fetching = this.#hungry && free > 0 && !waiting
      if (!fetching && (waiting || this.#done.size === 0)) {
        await new Promise<void>((resolve) => (this.#wake = resolve))
        continue
      }
      // What is done counts as its team's until it is off the queue: fetched before, a team at its limit would get nothing.
      await this.#complete()
      if (fetching) await this.#fetch(free)
    }
  }

  async #fetch(free: number): Promise<void> {
    this.#hungry = false
    const { queue, from, concurrency } = this.options
    const jobs = await this.#try('fetch', () => queue.fetch(free, from, concurrency))
    if (!jobs) return
    // There may be more: behind as many as there was room for, and where it is busy behind those of a team that has just reached its limit.
    const busy = jobs.length > 0 && concurrency - free + jobs.length > concurrency / 2
    if (jobs.length === free || busy) this.#hungry = true
    // One that runs here already had its lease run out while this process could not renew it: it runs on under the new lease.
    for (const job of jobs) if (!this.#held.has(job.id)) this.#held.set(job.id, { runId: job.data.runId, ended: this.#perform(job) })
  }

  async #perform(job: Job): Promise<void> {
    try {
      await this.options.perform(job)
      this.#failures.delete(job.id)
      this.#done.add(job.id)
    } catch (error) {
      this.options.log.error(`step ${job.data.stepId} of run ${job.data.runId}`, error)
      await this.#giveBack(job.id)
    }
    // What has just ended has mostly made another step ready.
    this.#look()
  }

  async #giveBack(jobId: string): Promise<void> {
    const failures = (this.#failures.get(jobId) ?? 0) + 1
    this.#failures.set(jobId, failures)
    await this.#pause(Math.min(LONGEST_PAUSE_MS, (this.options.pauseMs ?? 1_000) * 2 ** (failures - 1)))
    await this.#try('give a job back', () => this.options.queue.release([jobId]))
    this.#held.delete(jobId)
  }

  #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    this.#pauses.add(resolve)
    if (this.#stopping) resolve()
    return promise.finally(() => {
      clearTimeout(timer)
      this.#pauses.delete(resolve)
    })
  }

  async #complete(): Promise<void> {
    const ids = [...this.#done]
    if (ids.length === 0) return
    const completed = await this.#try('complete', async () => {
      await this.options.queue.complete(ids)
      return true
    })
    if (!completed) return
    for (const id of ids) {
      this.#done.delete(id)
      this.#held.delete(id)
    }
  }

  async #touch(): Promise<void> {
    if (this.#held.size === 0 || this.#touching) return
    this.#touching = true
    await this.#try('renew leases', () => this.options.queue.touch([...this.#held.keys()]))
    const runIds = new Set([...this.#held.values()].map((job) => job.runId))
    await this.#try('watch runs', async () => this.options.watch?.([...runIds]))
    this.#touching = false
  }

  /** The queue may be away for a while. Said once; asked again after a pause that grows. */
  async #try<T>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    try {
      const answer = await ask()
      this.#reachable = true
      this.#notBefore = this.#misses = 0
      return answer
    } catch (error) {
      this.#notBefore = Date.now() + Math.min(LONGEST_MISS_MS, 250 * 2 ** this.#misses++)
      if (this.#reachable) this.options.log.error(`the queue: could not ${what}`, error)
      this.#reachable = false
      return undefined
    }
  }
}
