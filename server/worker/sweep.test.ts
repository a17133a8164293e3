import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startSweeper, type SweeperOptions } from './sweep'

let sweeps: number[]
let errors: string[]
let sweeper: { stop(): Promise<void> }

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  sweeps = []
  errors = []
})
afterEach(async () => {
  await sweeper.stop()
  vi.useRealTimers()
})

async function started(nextDue: () => number | null, exclusively?: SweeperOptions['exclusively']): Promise<void> {
  const sweep = () => {
    sweeps.push(Date.now())
    const due = nextDue()
    return Promise.resolve({ nextDue: due === null ? null : new Date(due) })
  }
  sweeper = startSweeper({ sweep, exclusively: exclusively ?? ((work) => work()), log: { error: (message) => void errors.push(message) } })
  await vi.advanceTimersByTimeAsync(0)
}

it('sweeps at the start and every 30 s', async () => {
  await started(() => null)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sweeps).toEqual([0, 30_000, 60_000])
})

it('sweeps when the next gate is due, and does not spin when its clock runs ahead', async () => {
  await started(() => 10_000)
  await vi.advanceTimersByTimeAsync(10_500)
  expect(sweeps).toEqual([0, 10_000, 10_250, 10_500])
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
  expect(sweeps).toEqual([30_000])
})

it('goes on after a sweep that failed', async () => {
  let fails = true
  await started(
    () => null,
    (work) => (fails ? Promise.reject(new Error('away')) : work()),
  )
  fails = false
  await vi.advanceTimersByTimeAsync(30_000)
  expect(errors).toEqual(['the sweep failed'])
  expect(sweeps).toEqual([30_000])
})
