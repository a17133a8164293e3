import { setTimeout as sleep } from 'node:timers/promises'

/** What another process does is only to be seen by looking. */
export async function eventually<T>(look: () => Promise<T | undefined>, seconds: number, what: string): Promise<T> {
  // Not by the wall clock, which jumps where a machine stood still.
  const until = performance.now() + seconds * 1_000
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (performance.now() > until) throw new Error(`after ${seconds} s still not: ${what}`)
    await sleep(50)
  }
}
