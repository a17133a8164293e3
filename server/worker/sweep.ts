import type { Log } from '@/server/engine/ports'

type Found = { nextDue: Date | null }

export type SweeperOptions = {
  /** Everything that time and crashes leave to do; says when the next gate or timer is due. */
  sweep: () => Promise<Found>
  /** Only what is due by the clock. */
  sweepDue: () => Promise<Found>
  /** Runs the work unless another worker is at it; null then. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T | null>
  log: Pick<Log, 'error'>
  everyMs?: number
  lookMs?: number
}

/** Never sooner again than this: our clock may run ahead of the database's, by which a gate is due. */
const SHORTEST_MS = 250

/**
 * Sweeps at the start and every 30 s, and looks every second, or at the moment it knows of, for what is due: a wait may be shorter than the
 * time between two sweeps, and whoever set its timer is another process. One worker at a time does it.
 */
export function startSweeper(options: SweeperOptions): { stop(): Promise<void> } {
  const { exclusively, log, everyMs = 30_000, lookMs = 1_000 } = options
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let failing = false
  let nextSweep = 0

  async function once(): Promise<void> {
    const whole = Date.now() >= nextSweep
    if (whole) nextSweep = Date.now() + everyMs
    let waitMs = lookMs
    try {
      const found = await exclusively(whole ? options.sweep : options.sweepDue)
      if (found?.nextDue) waitMs = Math.min(lookMs, Math.max(SHORTEST_MS, found.nextDue.getTime() - Date.now()))
      failing = false
    } catch (error) {
      // Said once: while the database is away this comes every second.
      if (!failing) log.error('the sweep failed', error)
      failing = true
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
