import type { Log } from '@/server/engine/ports'

export type SweeperOptions = {
  /** Sweeps, and says when the next gate is due. */
  sweep: () => Promise<{ nextDue: Date | null }>
  /** Runs the work unless another worker is at it; null then. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T | null>
  log: Pick<Log, 'error'>
  everyMs?: number
}

/** Never sooner again than this: our clock may run ahead of the database's, by which a gate is due. */
const SHORTEST_MS = 250

/**
 * Sweeps at the start, every 30 s, and when the next gate is due. One worker at a time does it; the others look again after 30 s. A gate
 * stays open for a minute at least, so a sweep sees each of them before its deadline.
 */
export function startSweeper({ sweep, exclusively, log, everyMs = 30_000 }: SweeperOptions): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  async function once(): Promise<void> {
    let waitMs = everyMs
    try {
      const swept = await exclusively(sweep)
      if (swept?.nextDue) waitMs = Math.min(everyMs, Math.max(SHORTEST_MS, swept.nextDue.getTime() - Date.now()))
    } catch (error) {
      log.error('the sweep failed', error)
    }
    if (!stopped) timer = setTimeout(() => (running = once()), waitMs)
  }

  let running = once()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
