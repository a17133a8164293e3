import { setTimeout } from 'node:timers/promises'
import { newId } from '@/db/ids'
import type { Clock, Ports } from '../engine/ports'

const clock: Clock = {
  now: () => new Date(),
  sleep: (ms, signal) => setTimeout(ms, undefined, signal ? { signal } : {}).catch(() => {}),
}

/** The engine's ports for a real process: its own parts, the machine's clock and randomness. */
export const portsOf = (own: Pick<Ports, 'store' | 'queue' | 'tools' | 'access' | 'log' | 'newTrace'>): Ports => ({
  ...own,
  clock,
  random: Math.random,
  newId,
})
