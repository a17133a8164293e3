import { setTimeout } from 'node:timers/promises'
import { newId } from '@/db/ids'
import type { Clock, Ports } from '../engine/ports'

const TIMER_MAX_MS = 2_147_483_647

const clock: Clock = {
  now: () => new Date(),
  async sleep(ms, signal) {
    // A timer that is set further ahead rings at once, and a job may take 90 days.
    let left = ms
    do {
      await setTimeout(Math.min(left, TIMER_MAX_MS), undefined, signal ? { signal } : {}).catch(() => (left = 0))
      left -= TIMER_MAX_MS
    } while (left > 0)
  },
}

/** The engine's ports for a real process: its own parts, the machine's clock and randomness. */
export const portsOf = (
  own: Pick<Ports, 'store' | 'queue' | 'tools' | 'jobs' | 'models' | 'access' | 'sealer' | 'log' | 'newTrace'>,
): Ports => ({
  ...own,
  clock,
  random: Math.random,
  newId,
})
