import { describe, expect, test } from 'vitest'
import { assertRunsAgain, assertRunTransition, assertStepTransition } from './transitions'

const RUN = {
  queued: ['running', 'cancelled'],
  running: ['awaiting_approval', 'succeeded', 'rejected', 'parked', 'cancelled'],
  awaiting_approval: ['running'],
  succeeded: [],
  rejected: [],
  parked: ['running', 'cancelled'],
  cancelled: [],
} as const
const STEP = {
  pending: ['active', 'deciding', 'skipped'],
  active: ['waiting', 'settled', 'failed', 'pending'],
  deciding: ['waiting', 'settled', 'failed'],
  waiting: ['waiting', 'settled', 'failed', 'pending'],
  settled: ['compensated'],
  skipped: [],
  failed: ['settled'],
  compensated: [],
} as const
const AGAIN = new Set<string>(['pending', 'waiting', 'settled', 'skipped', 'failed', 'compensated'])

const keys = <K extends string>(of: Record<K, unknown>) => Object.keys(of) as K[]
const pairs = <K extends string>(of: Record<K, readonly string[]>) =>
  keys(of).flatMap((from) => keys(of).map((to) => ({ from, to, allowed: of[from].includes(to) })))

/** Written down a second time: whoever changes what may follow what says so here as well. */
describe('whatever may not follow throws', () => {
  test.each(pairs(RUN))('a run from $from to $to: $allowed', ({ from, to, allowed }) => {
    const change = () => assertRunTransition(from, to)
    if (allowed) expect(change).not.toThrow()
    else expect(change).toThrow(`a run cannot go from ${from} to ${to}`)
  })

  test.each(pairs(STEP))('a step from $from to $to: $allowed', ({ from, to, allowed }) => {
    const change = () => assertStepTransition('pay', from, to)
    if (allowed) expect(change).not.toThrow()
    else expect(change).toThrow(`step 'pay' cannot go from ${from} to ${to}`)
  })

  test.each(keys(STEP))('what is %s runs again only where a re-drive takes it back', (from) => {
    const change = () => assertRunsAgain('pay', from)
    if (AGAIN.has(from)) expect(change).not.toThrow()
    else expect(change).toThrow(`step 'pay', which is ${from}, cannot run again`)
  })
})
