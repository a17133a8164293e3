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

  /** Turns the clock on and wakes whoever slept until then, the earliest first. */
  advance(ms: number): void {
    this.turn(ms)
    while (this.wakeNext());
  }

  /** Turns the clock on and wakes nobody yet. */
  turn(ms: number): void {
    this.#now = later(this.#now, ms)
  }

  /** Wakes who has slept past their time first; false where nobody has. */
  wakeNext(): boolean {
    const next = this.#first()
    if (!next || next.at > this.#now.getTime()) return false
    this.#sleepers = this.#sleepers.filter((other) => other !== next)
    next.wake()
    return true
  }

  /** When the next sleeper wakes, in milliseconds from now; null where nobody sleeps. */
  untilNext(): number | null {
    const next = this.#first()
    return next ? next.at - this.#now.getTime() : null
  }

  #first(): Sleeper | undefined {
    return this.#sleepers.reduce<Sleeper | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined)
  }
}
