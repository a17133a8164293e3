import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Job, NewJob, Queue, QueueName } from '@/server/engine/ports'

/** What an adapter brings to the contract suite. */
export type QueueHarness = {
  /** With a queue of its own for the kind of job `suite`. */
  queue: Queue
  newId: () => string
  /** A team's and a run's id that jobs may name. */
  teamId: string
  runId: string
  /** Commits these jobs as `RunTx.enqueue` would. */
  enqueue: (jobs: NewJob[]) => Promise<void>
  /** As if the worker that holds these fetched jobs had died and its lease had run out. */
  loseWorker: (jobIds: string[]) => Promise<void>
  close: () => Promise<void>
}

const ids = (jobs: { id: string }[]) => jobs.map((j) => j.id).sort()

/** The contract of a queue: every adapter passes it. */
export function queueSuite(name: string, setup: () => Promise<QueueHarness>): void {
  describe(`the queue contract: ${name}`, () => {
    let h: QueueHarness
    beforeAll(async () => {
      h = await setup()
    })
    afterAll(() => h.close())

    const job = (stepId: string, startAfter?: Date): NewJob => ({
      id: h.newId(),
      data: { runId: h.runId, stepId, item: -1, call: '', epoch: 1 },
      teamId: h.teamId,
      ...(startAfter ? { startAfter } : {}),
    })
    async function fetchAll(): Promise<Job[]> {
      const all: Job[] = []
      for (;;) {
        const jobs = await h.queue.fetch(100)
        if (jobs.length === 0) return all
        all.push(...jobs)
      }
    }

    it('delivers a job once while its lease lives, with its data', async () => {
      const j = job('a')
      await h.enqueue([j])
      expect(await h.queue.fetch(10)).toEqual([{ id: j.id, data: j.data, redelivered: false }])
      expect(await h.queue.fetch(10)).toEqual([])
      await h.queue.touch([j.id])
      expect(await h.queue.fetch(10)).toEqual([])
      await h.queue.complete([j.id])
      expect(await h.queue.fetch(10)).toEqual([])
    })

    it('delivers no more than it is asked for, and all of it in the end', async () => {
      const jobs = Array.from({ length: 7 }, (_, i) => job(`s${i}`))
      await h.enqueue(jobs)
      const first = await h.queue.fetch(3)
      expect(first).toHaveLength(3)
      expect(ids([...first, ...(await fetchAll())])).toEqual(ids(jobs))
      await h.queue.complete(ids(jobs))
    })

    it('gives no job to two fetches at once', async () => {
      const jobs = Array.from({ length: 20 }, (_, i) => job(`s${i}`))
      await h.enqueue(jobs)
      const got = (await Promise.all([h.queue.fetch(20), h.queue.fetch(20), h.queue.fetch(20)])).flat()
      got.push(...(await fetchAll()))
      expect(ids(got)).toEqual(ids(jobs))
      await h.queue.complete(ids(jobs))
    })

    it('holds a job back until its time, and does not mind one that is past', async () => {
      const later = job('later', new Date(4_000_000_000_000))
      const past = job('past', new Date(0))
      await h.enqueue([later, past])
      expect(ids(await fetchAll())).toEqual([past.id])
      await h.queue.complete([past.id])
    })

    it('delivers the job of a dead worker again, and says so', async () => {
      const j = job('a')
      await h.enqueue([j])
      await fetchAll()
      await h.loseWorker([j.id])
      expect(await fetchAll()).toEqual([{ id: j.id, data: j.data, redelivered: true }])
      await h.queue.complete([j.id])
    })

    it('delivers what was released at once', async () => {
      const j = job('a')
      await h.enqueue([j])
      await fetchAll()
      await h.queue.release([j.id])
      expect(ids(await fetchAll())).toEqual([j.id])
      await h.queue.complete([j.id])
    })

    it('does not deliver a completed job again, and takes a completion twice or of an unknown job', async () => {
      const j = job('a')
      await h.enqueue([j])
      await fetchAll()
      await h.queue.complete([j.id])
      await h.queue.complete([j.id, h.newId()])
      await h.queue.complete([])
      expect(await fetchAll()).toEqual([])
    })

    it('keeps queues apart: what is of one is fetched, released, renewed and completed there', async () => {
      const long: NewJob = { ...job('long'), queue: 'job.suite' }
      const step = job('short')
      await h.enqueue([long, step])
      expect(await h.queue.names()).toEqual(expect.arrayContaining(['flow.step', 'flow.agent', 'job.suite']))
      expect(ids(await fetchAll())).toEqual([step.id])
      const fetched = () => h.queue.fetch(10, 'job.suite')
      expect(await fetched()).toEqual([{ id: long.id, data: long.data, redelivered: false }])
      await h.queue.touch([long.id, step.id])
      await h.queue.release([long.id])
      expect(await fetched()).toEqual([{ id: long.id, data: long.data, redelivered: true }])
      await h.queue.complete([long.id, step.id])
      expect([...(await fetched()), ...(await fetchAll())]).toEqual([])
    })

    it.each(['job.suite', 'flow.agent'] as QueueName[])('wakes whoever listens to %s', async (queue) => {
      const heard = Promise.withResolvers<void>()
      const stops = [await h.queue.listen(() => {}), await h.queue.listen(() => heard.resolve(), queue)]
      await h.enqueue([{ ...job('a'), queue }])
      await heard.promise
      for (const stop of stops) await stop()
      await h.queue.complete(ids(await h.queue.fetch(10, queue)))
    })

    it('wakes whoever listens when there is work, until told to stop', async () => {
      let woken = 0
      const heard = Promise.withResolvers<void>()
      const stop = await h.queue.listen(() => {
        woken++
        heard.resolve()
      })
      const first = job('a')
      await h.enqueue([first])
      await heard.promise
      await stop()
      const before = woken
      const second = job('b')
      await h.enqueue([second])
      expect(woken).toBe(before)
      expect(ids(await fetchAll())).toEqual(ids([first, second]))
      await h.queue.complete(ids([first, second]))
    })
  })
}
