import { expect, test } from 'vitest'
import { ambiguous, fatal, type Failure } from './failure'
import { backoffMs, judge, retryAfterMs, type Circumstances } from './retry'

const now = new Date('2030-01-01T00:00:00Z')
const retry = { maxAttempts: 3, baseSeconds: 1, maxSeconds: 5 }
const at = (over: Partial<Circumstances> = {}): Circumstances => ({
  attempt: 1,
  retry,
  effect: 'write',
  stopping: false,
  startedAt: now,
  now,
  random: 0.5,
  ...over,
})
const transient = ambiguous('transient', 'hm')
const limited = (retryAfter?: unknown): Failure => ({ kind: 'not_performed', error: { code: 'rate_limited', message: 'slow' }, retryAfter })

test('the delay doubles from the base up to its limit, and is spread evenly from zero', () => {
  expect([1, 2, 3, 4, 20].map((attempt) => backoffMs(attempt, retry, 0.5))).toEqual([500, 1000, 2000, 2500, 2500])
  expect(backoffMs(3, retry, 0)).toBe(0)
})

test('a transient failure is tried again until the attempts are used up', () => {
  expect(judge(transient, at({ attempt: 2 }))).toMatchObject({ kind: 'retry', attempt: 3, delayMs: 1000 })
  expect(judge(transient, at({ attempt: 3 }))).toMatchObject({ kind: 'failed', error: { code: 'transient' }, mustPark: false })
})

test('a fatal failure is not tried again', () => {
  expect(judge(fatal('failed', 'no'), at())).toMatchObject({ kind: 'failed', mustPark: false })
})

test('a rate limit uses no attempt, not even the last, and waits at least as long as it is told', () => {
  expect(judge(limited(30), at({ attempt: 3 }))).toEqual({
    kind: 'retry',
    attempt: 3,
    delayMs: 30_500,
    ambiguous: false,
    error: { code: 'rate_limited', message: 'slow' },
  })
})

test('a rate limit that says nothing, or zero, does not spin', () => {
  for (const value of [undefined, 0, -1, 'soon'])
    expect(judge(limited(value), at({ random: 0 }))).toMatchObject({ kind: 'retry', delayMs: 1000 })
})

test('a rate limit is given up when the wait would pass 24 hours since the first attempt', () => {
  const startedAt = new Date(now.getTime() - 23 * 3_600_000)
  expect(judge(limited(3000), at({ startedAt }))).toMatchObject({ kind: 'retry' })
  expect(judge(limited(3601), at({ startedAt }))).toMatchObject({ kind: 'failed', error: { code: 'rate_limited' }, mustPark: false })
})

test('a call that cannot be repeated is tried again only after a rate limit; any other open end is an unknown outcome, which parks', () => {
  expect(judge(limited(1), at({ effect: 'once' }))).toMatchObject({ kind: 'retry' })
  expect(judge(transient, at({ effect: 'once' }))).toMatchObject({ kind: 'failed', error: { code: 'outcome_unknown' }, mustPark: true })
  expect(judge(transient, at({ effect: 'once', stopping: true }))).toMatchObject({ error: { code: 'outcome_unknown' } })
  expect(judge(fatal('failed', 'no'), at({ effect: 'once' }))).toMatchObject({ error: { code: 'failed' } })
})

test('nothing is tried again while the run is stopping, and a known end counts', () => {
  expect(judge(transient, at({ stopping: true }))).toEqual({ kind: 'interrupted', ambiguous: true })
  expect(judge(limited(1), at({ stopping: true }))).toEqual({ kind: 'interrupted', ambiguous: false })
  expect(judge(fatal('failed', 'no'), at({ stopping: true }))).toMatchObject({ kind: 'failed' })
})

test('Retry-After is seconds, as a number or as text, or an HTTP date', () => {
  expect(retryAfterMs(1.5, now)).toBe(1500)
  expect(retryAfterMs('120', now)).toBe(120_000)
  expect(retryAfterMs('Tue, 01 Jan 2030 00:01:00 GMT', now)).toBe(60_000)
  expect(retryAfterMs('Mon, 31 Dec 2029 00:00:00 GMT', now)).toBe(0)
  expect(retryAfterMs(new Date(now.getTime() + 5), now)).toBe(5)
  for (const junk of [undefined, null, '', 'soon', Number.NaN, Infinity, -1, {}]) expect(retryAfterMs(junk, now)).toBeUndefined()
})
