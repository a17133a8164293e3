import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Job } from '@/server/engine/ports'
import { createStepQueue, type StepQueue } from '@/server/queue/pg-boss'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { Dispatcher } from './dispatcher'

let h: Harness
let queue: StepQueue
beforeAll(async () => {
  h = await openHarness()
  queue = createStepQueue({ connectionString: h.url, role: 'worker', onError: () => {} })
})
afterAll(async () => {
  await queue?.close()
  await h?.close()
})

const jobs = (teamId: string, count: number) =>
  Array.from({ length: count }, () => ({
    id: randomUUID(),
    data: { runId: teamId, stepId: 'a', item: -1, call: '' as const, epoch: 1 },
    teamId,
  }))

it("starts another team's step while one team has more slow steps than there are slots, and goes through these as they end", async () => {
  const ends: (() => void)[] = []
  const running: string[] = []
  const perform = async ({ data }: Job) => {
    running.push(data.runId)
    if (data.runId === 'slow') await new Promise<void>((resolve) => ends.push(resolve))
  }
  const dispatcher = new Dispatcher({ queue, perform, concurrency: 4, log: { error: () => {} } })
  const seen = (team: string, count: number) =>
    eventually(async () => (running.filter((one) => one === team).length === count ? true : undefined), 20, `${count} of ${team}`)
  await h.queue.insert(h.db, jobs('slow', 30))
  await dispatcher.start()
  try {
    await seen('slow', 3)
    await h.queue.insert(h.db, jobs('quick', 2))
    await seen('quick', 2)
    expect(running.filter((one) => one === 'slow')).toHaveLength(3)
    for (const end of ends.splice(0)) end()
    await seen('slow', 6)
  } finally {
    await dispatcher.stop(0)
    for (const end of ends) end()
  }
}, 60_000)

it('counts the slots of every worker there is', async () => {
  const second = createStepQueue({ connectionString: h.url, role: 'worker', onError: () => {} })
  try {
    await h.db.execute('DELETE FROM pgboss.job')
    await second.fetch(1)
    await h.queue.insert(h.db, jobs('many', 20))
    const taken: Job[] = []
    await eventually(
      async () => {
        taken.push(...(await queue.fetch(4, 'flow.step', 4)))
        return taken.length >= 7 ? true : undefined
      },
      20,
      'seven of eight slots are taken',
    )
    expect(await queue.fetch(4, 'flow.step', 4)).toEqual([])
    expect(taken).toHaveLength(7)
  } finally {
    await second.close()
  }
}, 60_000)
