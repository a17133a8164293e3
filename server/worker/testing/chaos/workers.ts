import { killWorker, startWorker, type WorkerProcess } from '../worker'

/** Worker processes of which one after the other is killed and replaced. */
export class Workers {
  readonly #running: WorkerProcess[] = []
  readonly #starting = new Set<Promise<void>>()

  constructor(private readonly url: string) {}

  async start(count: number): Promise<void> {
    for (let i = 0; i < count; i++) this.#startOne()
    await this.settled()
  }

  /** `kill -9` of the one that has run longest; another one is started in its place. */
  async kill(): Promise<void> {
    while (this.#running.length === 0) {
      if (this.#starting.size === 0) throw new Error('no worker is left to kill')
      await Promise.race(this.#starting)
    }
    await killWorker(this.#running.shift()!)
    this.#startOne()
  }

  /** Resolves when all that were started are ready. */
  async settled(): Promise<void> {
    await Promise.all(this.#starting)
  }

  async stop(): Promise<void> {
    await Promise.allSettled(this.#starting)
    await Promise.all(this.#running.map((worker) => worker.stop()))
  }

  #startOne(): void {
    const starting: Promise<void> = startWorker(this.url)
      .then((worker) => void this.#running.push(worker))
      .finally(() => this.#starting.delete(starting))
    this.#starting.add(starting)
  }
}
