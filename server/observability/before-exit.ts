import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Does this before the process ends by `process.exit`, for at most `limitMs`: the whole end of a process may take 3.7 s. For a process whose signals are handled by a framework that ends it as
 * soon as the last request is done, and asks nobody.
 */
export function beforeExit(work: () => Promise<void>, limitMs = 2_000): void {
  const exit = process.exit
  const held = (code?: number | string | null) => {
    process.exit = exit
    void Promise.race([work().catch(() => {}), sleep(limitMs)]).finally(() => exit(code))
  }
  process.exit = held as typeof process.exit
}
