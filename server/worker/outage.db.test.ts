import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownServer } from '@/db/testing/server'
import type { Job } from '@/server/engine/ports'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { Dispatcher } from './dispatcher'
import { createStepQueue } from '@/server/queue/pg-boss'

const HEARTBEAT_S = 6
const GRACE_MS = 9_000

let server: Awaited<ReturnType<typeof ownServer>>
let h: Harness
beforeAll(async () => {
  server = await ownServer()
  h = await openHarness({ url: server.url, drop: async () => {} })
}, 120_000)
afterAll(async () => {
  await h?.close()
  await server?.remove()
})

const openQueue = () => createStepQueue({ connectionString: server.url, role: 'worker', onError: () => {}, graceMs: GRACE_MS })

const passed = (ms: number) => {
  const until = performance.now() + ms
  return eventually(async () => (performance.now() > until ? true : undefined), 20, 'the time has passed')
}

it('takes nothing from workers that lived through an outage longer than a heartbeat, and finds the job of one that did not', async () => {
  const calls: string[] = []
  const end = Promise.withResolvers<void>()
  // Nobody renews in the first seconds after the return: whoever judges then finds every lease run out.
  let renews = true
  const perform = (job: Job) => {
    calls.push(job.id)
    return end.promise
  }
  const worker = async () => {
    const queue = openQueue()
    const late = {
      fetch: queue.fetch.bind(queue),
      complete: queue.complete.bind(queue),
      release: queue.release.bind(queue),
      listen: queue.listen.bind(queue),
      touch: async (ids: string[]) => (renews ? queue.touch(ids) : undefined),
    }
    const dispatcher = new Dispatcher({ queue: late, perform, concurrency: 10, touchMs: 1_000, log: { error: () => {} } })
    await dispatcher.start()
    return { queue, dispatcher }
  }
  const enqueue = async () => {
    const id = randomUUID()
    await h.queue.insert(h.db, [{ id, data: { runId: randomUUID(), stepId: 'a', item: -1, call: '', epoch: 1 }, teamId: 'team' }])
    return id
  }
  const dead = openQueue()
  const lost = await enqueue()
  expect(await dead.fetch(1)).toHaveLength(1)
  const workers = [await worker(), await worker()]
  const held = [await enqueue(), await enqueue(), await enqueue()]
  const called = (jobs: string[]) =>
    eventually(async () => (jobs.every((id) => calls.includes(id)) ? true : undefined), 40, 'the jobs are called')
  await called(held)
  await h.pool.query(`UPDATE pgboss.job SET heartbeat_seconds = $1`, [HEARTBEAT_S])
  await dead.touch([lost])
  try {
    renews = false
    await server.kill()
    await dead.close()
    await passed((HEARTBEAT_S + 1) * 1_000)
    expect(calls.toSorted()).toEqual(held.toSorted())
    await server.start()
    await passed(3_000)
    renews = true
    await called([...held, lost])
    expect(calls.toSorted()).toEqual([...held, lost].toSorted())
    const { rows } = await h.pool.query(`SELECT id FROM pgboss.job WHERE retry_count > 0`)
    expect(rows).toEqual([{ id: lost }])
  } finally {
    end.resolve()
    for (const { queue, dispatcher } of workers) {
      await dispatcher.stop(1_000)
      await queue.close()
    }
  }
}, 120_000)
