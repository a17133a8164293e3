import { setTimeout as sleep } from 'node:timers/promises'

/** What another process does is only to be seen by looking. */
export async function eventually<T>(look: () => Promise<T | undefined>, seconds: number, what: string): Promise<T> {
  const until = Date.now() + seconds * 1_000
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (Date.now() > until) throw new Error(`after ${seconds} s still not: ${what}`)
    await sleep(50)
  }
}
