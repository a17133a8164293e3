import type { Random } from '@/spec/testing/random'
import type { ModelBench } from './model.testsuite.bench'
import { byLabel, type Script } from './model.testsuite.script'
import type { Job } from './ports'

type Held = { label: string; job: Job; atWork: boolean }

const labelOf = ({ runId, stepId, item, call, epoch }: Job['data']) => `${runId} ${stepId} ${item} ${call} ${epoch}`

/** The worker of a random run: the jobs that it has fetched and is not done with, at work or not. */
export class Worker {
  readonly #held = new Map<string, Held>()

  constructor(
    private readonly bench: ModelBench,
    private readonly random: Random,
    private readonly script: Script,
  ) {}

  get hasJobs(): boolean {
    return this.#held.size > 0
  }

  /** Has it jobs that it has not started? */
  get hasWaiting(): boolean {
    return [...this.#held.values()].some(({ atWork }) => !atWork)
  }

  /** Takes every job that may start now. */
  async fetch(): Promise<void> {
    for (const job of await this.bench.fetch()) this.#held.set(job.id, { label: labelOf(job.data), job, atWork: false })
  }

  /** Fetches, and starts some of the jobs that it has. */
  async startJobs(limit: number): Promise<void> {
    await this.fetch()
    await this.startHeld(limit)
  }

  /** Starts some of the jobs that it has. */
  async startHeld(limit: number): Promise<void> {
    const waiting = [...this.#held.values()].filter(({ atWork }) => !atWork).sort(byLabel)
    const from = limit >= waiting.length ? 0 : this.random.below(waiting.length)
    for (const held of waiting.slice(from, from + limit)) {
      held.atWork = true
      void this.#perform(held)
      await this.quiet()
    }
  }

  async #perform(held: Held): Promise<void> {
    const { job } = held
    try {
      await this.bench.engine.perform(job)
      if (this.#held.get(job.id) !== held) return
      this.#held.delete(job.id)
      await this.bench.queue.complete([job.id])
    } catch (thrown) {
      this.script.fail(thrown)
    }
  }

  /** Jobs of this worker that are not its any more: whatever it still does with them comes too late. */
  take(count: number): string[] {
    const held = [...this.#held.values()].sort(byLabel)
    const from = this.random.below(Math.max(held.length, 1))
    const taken = held.slice(from, from + count).map(({ job }) => job.id)
    for (const id of taken) this.#held.delete(id)
    return taken
  }

  /** Waits until nothing moves that nobody has to end. @throws what ended the play */
  async quiet(): Promise<void> {
    await this.bench.calm()
    this.script.check()
  }
}
