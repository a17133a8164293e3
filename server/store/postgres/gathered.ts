/**
 * Work that is done for many at once: what is asked for while it is under way is gathered, and is the next piece. One piece at a time, of at most
 * `limit`; a piece that fails fails for all who asked for it.
 */
export function gathered<T, R>(work: (asked: T[]) => Promise<R[]>, limit = 100): (one: T) => Promise<R> {
  type Waiting = { one: T; resolve: (value: R) => void; reject: (error: unknown) => void }
  const waiting: Waiting[] = []
  let busy = false

  async function run(): Promise<void> {
    if (busy) return
    busy = true
    // What is asked for in the same turn comes along.
    await Promise.resolve()
    while (waiting.length > 0) {
      const piece = waiting.splice(0, limit)
      try {
        const results = await work(piece.map(({ one }) => one))
        piece.forEach(({ resolve }, i) => resolve(results[i] as R))
      } catch (error) {
        for (const { reject } of piece) reject(error)
      }
    }
    busy = false
  }

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject })
      void run()
    })
}
