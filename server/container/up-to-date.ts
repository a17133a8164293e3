import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing } from '../store/postgres/passing'

// The web server is bundled in parts, each with a copy of this module.
const kept = globalThis as { clewDatabase?: 'behind' | 'ready' }

/** Whether the database may still be as another version left it: pages wait for it as for one that is away. */
export const isBehind = (): boolean => kept.clewDatabase === 'behind'

/**
 * Brings the database up to date by `migrate`. One that is away, or only starting, is tried again in the background for as long as it
 * takes: Next never calls again what has failed once, and would answer 500 to everything for good.
 * @throws whatever else keeps it from being brought up to date
 */
export async function bringUpToDate(migrate: () => Promise<void>, pauseMs = 500): Promise<{ later: Promise<void> }> {
  kept.clewDatabase = 'behind'
  const done = async () => {
    try {
      await migrate()
      kept.clewDatabase = 'ready'
      return true
    } catch (error) {
      if (isPassing(error) === 'no') throw error
      return false
    }
  }
  if (await done()) return { later: Promise.resolve() }
  const again = async () => {
    while (!(await done())) await sleep(pauseMs)
  }
  return { later: again() }
}
