import type { Clock } from './ports'
import { later, TEST_EPOCH } from './time'

type Sleeper = { at: number; wake: () => void }

/** A clock that stands still until it is turned. */
export class TestClock implements Clock {
  #now: Date
  #sleepers: Sleeper[] = []

  constructor(start: Date = TEST_EPOCH) {
    this.#now = start
  }

  now(): Date {
    return this.#now
  }

  /** Resolves when the clock has been turned past `ms` from now, or at once when `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const sleeper: Sleeper = { at: this.#now.getTime() + ms, wake: resolve }
      this.#sleepers.push(sleeper)
      const wake = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        resolve()
      }
      if (signal?.aborted) wake()
      else signal?.addEventListener('abort', wake, { once: true })
    })
  }

  /** Turns the clock on and wakes whoever slept until then. */
  advance(ms: number): void {
    this.#now = later(this.#now, ms)
    const due = this.#sleepers.filter((sleeper) => sleeper.at <= this.#now.getTime())
    this.#sleepers = this.#sleepers.filter((sleeper) => !due.includes(sleeper))
    for (const sleeper of due) sleeper.wake()
  }

  /** When the next sleeper wakes, in milliseconds from now; null where nobody sleeps. */
  untilNext(): number | null {
    return this.#sleepers.length === 0 ? null : Math.min(...this.#sleepers.map((sleeper) => sleeper.at)) - this.#now.getTime()
  }
}
