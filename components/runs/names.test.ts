import { expect, it } from 'vitest'
import { itemsDone, stepsDone, triesOf, wasRetried } from './names'

it('says how far a run is, and what failed on the way', () => {
  expect(stepsDone({ stepsSettled: 1, stepsTotal: 3 })).toBe('1 of 3 steps done')
  expect(stepsDone({ stepsSettled: 0, stepsTotal: 1 }, 1)).toBe('0 of 1 step done, 1 step failed')
})

it('does not count a failed item among those that are done', () => {
  expect(itemsDone({ total: 3, succeeded: 2, failed: 1 })).toBe('2 of 3 items done, 1 failed')
  expect(itemsDone({ total: 1, succeeded: 1, failed: 0 })).toBe('1 of 1 item done')
})

it('says how often a step was tried, and nothing of it where all was done at the first try', () => {
  const step = { status: 'succeeded', attempt: 1, maxAttempts: 5, startedAt: '2026-01-01T00:00:00Z' } as const
  expect(triesOf(step)).toBe('1')
  expect(triesOf({ ...step, attempt: 2 })).toBe('2')
  expect(triesOf({ ...step, status: 'running', attempt: 2 })).toBe('2 of 5')
  expect(triesOf({ ...step, status: 'pending', startedAt: null })).toBe('–')
  expect(triesOf({ ...step, maxAttempts: null })).toBe('–')
  expect(wasRetried([step, { ...step, maxAttempts: null, attempt: 2 }])).toBe(false)
  expect(wasRetried([step, { ...step, attempt: 2 }])).toBe(true)
})
