import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Job, Queue } from '@/server/engine/ports'
import { Dispatcher, type DispatcherOptions } from './dispatcher'

/** A queue of this process that says what was asked of it. */
class FakeQueue implements Omit<Queue, 'names'> {
  readonly waiting: Job[] = []
  readonly completed: string[][] = []
  readonly released: string[] = []
  readonly touched: string[][] = []
  readonly asked: number[] = []
  failing = false
  wake = () => {}

  add(...ids: string[]): void {
    this.waiting.push(
      ...ids.map((id) => ({ id, data: { runId: `run of ${id}`, stepId: 's', item: -1, call: '' as const, epoch: 1 }, redelivered: false })),
    )
    this.wake()
  }
  #answer<T>(value: T): Promise<T> {
    return this.failing ? Promise.reject(new Error('away')) : Promise.resolve(value)
  }
  fetch(limit: number) {
    this.asked.push(limit)
    return this.#answer(this.failing ? [] : this.waiting.splice(0, limit))
  }
  complete(ids: string[]) {
    if (!this.failing) this.completed.push(ids)
    return this.#answer(undefined)
  }
  release(ids: string[]) {
    this.released.push(...ids)
    return this.#answer(undefined)
  }
  touch(ids: string[]) {
    this.touched.push(ids)
    return this.#answer(undefined)
  }
  listen(wake: () => void) {
    this.wake = wake
    return Promise.resolve(() => Promise.resolve())
  }
}

let queue: FakeQueue
let ends: Map<string, PromiseWithResolvers<void>>
let errors: string[]
let dispatcher: Dispatcher

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'] })
  queue = new FakeQueue()
  ends = new Map()
  errors = []
})
afterEach(async () => {
  for (const end of ends.values()) end.resolve()
  const stopped = dispatcher.stop(0)
  await vi.advanceTimersByTimeAsync(10)
  await stopped
  vi.useRealTimers()
})

function perform(job: Job): Promise<void> {
  const end = Promise.withResolvers<void>()
  ends.set(job.id, end)
  return end.promise
}

async function started(options: Partial<DispatcherOptions> = {}): Promise<void> {
  dispatcher = new Dispatcher({ queue, perform, concurrency: 2, log: { error: (message) => void errors.push(message) }, ...options })
  await dispatcher.start()
  await settled()
}
const settled = () => vi.advanceTimersByTimeAsync(0)

it('runs no more jobs at once than it has slots, and takes the next when one ends', async () => {
  queue.add('a', 'b', 'c')
  await started()
  expect([...ends.keys()]).toEqual(['a', 'b'])
  ends.get('a')!.resolve()
  await settled()
  expect([...ends.keys()]).toEqual(['a', 'b', 'c'])
  expect(queue.completed).toEqual([['a']])
})

it('takes a job when the queue announces it, and finds one that nobody announced', async () => {
  await started()
  queue.add('a')
  await settled()
  expect([...ends.keys()]).toEqual(['a'])
  queue.wake = () => {}
  queue.add('b')
  await vi.advanceTimersByTimeAsync(1_000)
  expect([...ends.keys()]).toEqual(['a', 'b'])
})

it('takes jobs that end together off the queue together', async () => {
  queue.add('a', 'b')
  await started()
  ends.get('a')!.resolve()
  ends.get('b')!.resolve()
  await settled()
  expect(queue.completed).toEqual([['a', 'b']])
})

it('gives a job back after a pause when it failed unexpectedly, and goes on with the others', async () => {
  queue.add('a')
  await started()
  ends.get('a')!.reject(new Error('the database hiccuped'))
  await settled()
  expect(errors).toEqual(['step s of run run of a'])
  expect(queue.released).toEqual([])
  queue.add('b')
  await settled()
  expect(ends.has('b')).toBe(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(queue.released).toEqual(['a'])
  expect(queue.completed).toEqual([])
})

it('renews the leases of what runs, and tells which runs these are', async () => {
  const watched: string[][] = []
  queue.add('a')
  await started({ watch: async (runIds) => void watched.push(runIds) })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(queue.touched).toEqual([['a'], ['a']])
  expect(watched).toEqual([['run of a'], ['run of a']])
})

it('does not run a job twice whose lease ran out while it was running here', async () => {
  queue.add('a')
  await started()
  const first = ends.get('a')
  queue.add('a')
  await settled()
  expect(ends.get('a')).toBe(first)
})

it('says once that the queue is away, and goes on when it is back', async () => {
  await started()
  queue.failing = true
  const before = queue.asked.length
  await vi.advanceTimersByTimeAsync(30_000)
  expect(errors).toEqual(['the queue: could not fetch'])
  expect(queue.asked.length - before).toBeLessThan(15)
  queue.failing = false
  queue.waiting.push({ id: 'a', data: { runId: 'r', stepId: 's', item: -1, call: '', epoch: 1 }, redelivered: false })
  await vi.advanceTimersByTimeAsync(6_000)
  expect(ends.has('a')).toBe(true)
})

it('stops: takes nothing new, waits for what runs, and gives back what does not end in time', async () => {
  queue.add('a', 'b')
  await started()
  const stopped = dispatcher.stop(3_000)
  queue.add('c')
  ends.get('a')!.resolve()
  await vi.advanceTimersByTimeAsync(3_000)
  await stopped
  expect(queue.completed).toEqual([['a']])
  expect(queue.released).toEqual(['b'])
  expect(ends.has('c')).toBe(false)
})
