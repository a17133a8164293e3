import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startSweeper, type SweeperOptions } from './sweep'

let sweeps: number[]
let looks: number[]
let errors: string[]
let sweeper: { stop(): Promise<void> }

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  sweeps = []
  looks = []
  errors = []
})
afterEach(async () => {
  await sweeper.stop()
  vi.useRealTimers()
})

async function started(nextDue: () => number | null, exclusively?: SweeperOptions['exclusively']): Promise<void> {
  const noted = (list: number[]) => () => {
    list.push(Date.now())
    const due = nextDue()
    return Promise.resolve({ nextDue: due === null ? null : new Date(due) })
  }
  sweeper = startSweeper({
    sweep: noted(sweeps),
    sweepDue: noted(looks),
    exclusively: exclusively ?? ((work) => work()),
    log: { error: (message) => void errors.push(message) },
  })
  await vi.advanceTimersByTimeAsync(0)
}

it('sweeps at the start and every 30 s', async () => {
  await started(() => null)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sweeps).toEqual([0, 30_000, 60_000])
})

it('looks every second for what is due, because a timer may be shorter than the time between two sweeps', async () => {
  await started(() => null)
  await vi.advanceTimersByTimeAsync(3_000)
  expect(looks).toEqual([1_000, 2_000, 3_000])
})

it('looks when the next gate or timer is due, and does not spin when its clock runs ahead', async () => {
  await started(() => 1_600)
  await vi.advanceTimersByTimeAsync(2_200)
  expect(looks).toEqual([1_000, 1_600, 1_850, 2_100])
})

it('leaves it to another worker that is at it, and looks again', async () => {
  let locked = true
  await started(
    () => null,
    (work) => (locked ? Promise.resolve(null) : work()),
  )
  expect(sweeps).toEqual([])
  locked = false
  await vi.advanceTimersByTimeAsync(30_000)
  expect([sweeps, looks.length]).toEqual([[30_000], 29])
})

it('goes on after sweeps that failed, and says so once until one went well', async () => {
  let fails = true
  await started(
    () => null,
    (work) => (fails ? Promise.reject(new Error('away')) : work()),
  )
  await vi.advanceTimersByTimeAsync(2_000)
  fails = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect([errors, looks]).toEqual([['the sweep failed'], [3_000]])
  fails = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect(errors).toEqual(['the sweep failed', 'the sweep failed'])
})
