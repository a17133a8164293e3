import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestQueue, type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { eventually } from '@/server/store/postgres/testing/eventually'
import type { NewJob } from '@/server/engine/ports'
import { createStepQueue } from './pg-boss'
import { queueSuite } from './queue.testsuite'

queueSuite('pg-boss', async () => {
  const h = await openHarness()
  const { principal } = await h.seed('{}')
  await h.queue.open(['suite'])
  return { ...h, teamId: principal.teamId, runId: h.newId(), enqueue: (jobs) => h.queue.insert(h.db, jobs) }
})

describe('the queue on pg-boss', () => {
  let h: Harness
  beforeAll(async () => {
    h = await openHarness()
  })
  afterAll(() => h.close())

  const newJob = () => ({ id: h.newId(), data: { runId: h.newId(), stepId: 'a', item: -1, call: '' as const, epoch: 1 }, teamId: 'team' })

  it('keeps no job whose transaction was rolled back', async () => {
    const job = newJob()
    const failing = h.db.transaction(async (tx) => {
      await h.queue.insert(tx, [job])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await h.queue.fetch(10)).toEqual([])
  })

  it('does not let a worker that lost its lease take the job from the one that has it now', async () => {
    const job = newJob()
    await h.queue.insert(h.db, [job])
    const other = createTestQueue(h.url)
    try {
      expect(await h.queue.fetch(1)).toHaveLength(1)
      await h.loseWorker([job.id])
      expect(await other.fetch(1)).toEqual([{ id: job.id, data: job.data, redelivered: true }])
      await h.queue.complete([job.id])
      await h.queue.release([job.id])
      const { rows } = await h.db.execute(sql`SELECT state FROM pgboss.job WHERE id = ${job.id}`)
      expect(rows).toEqual([{ state: 'active' }])
      await other.complete([job.id])
    } finally {
      await other.close()
    }
  })

  it("holds a team's limit whatever workers ask at once, and leaves the others alone", async () => {
    const limited = () => createStepQueue({ connectionString: h.url, role: 'worker', onError: () => {}, teamConcurrency: 3 })
    const workers = [limited(), limited(), limited(), limited()]
    const flood = Array.from({ length: 200 }, () => ({ ...newJob(), teamId: 'flood' }))
    const one = { ...newJob(), teamId: 'quiet' }
    await h.queue.insert(h.db, [...flood, one])
    try {
      let left = flood.length
      for (let round = 0; round < 12; round++) {
        const taken = await Promise.all(workers.map((worker) => worker.fetch(2)))
        const ours = taken.flat().filter(({ id }) => id !== one.id)
        expect(ours).toHaveLength(3)
        if (round === 0) expect(taken.flat().map(({ id }) => id)).toContain(one.id)
        await Promise.all(workers.map((worker, i) => worker.complete(taken[i]?.map(({ id }) => id) ?? [])))
        left -= ours.length
      }
      const { rows } = await h.db.execute(sql`SELECT 1 FROM pgboss.job WHERE group_id = 'flood'`)
      expect(rows).toHaveLength(left)
    } finally {
      await h.db.execute(sql`DELETE FROM pgboss.job WHERE group_id IN ('flood', 'quiet')`)
      await Promise.all(workers.map((worker) => worker.close()))
    }
  })

  it('renews the heartbeat of what is touched', async () => {
    const job = newJob()
    await h.queue.insert(h.db, [job])
    await h.queue.fetch(1)
    await h.db.execute(sql`UPDATE pgboss.job SET heartbeat_on = now() - interval '5 s' WHERE id = ${job.id}`)
    await h.queue.touch([job.id])
    const { rows } = await h.db.execute(
      sql`SELECT heartbeat_on > now() - interval '4 s' AS fresh, heartbeat_seconds FROM pgboss.job WHERE id = ${job.id}`,
    )
    expect(rows).toEqual([{ fresh: true, heartbeat_seconds: 10 }])
    await h.queue.complete([job.id])
  })

  it('never takes for lost what its worker says is alive, however long it has been running', async () => {
    await h.queue.open(['long'])
    const jobs: NewJob[] = [newJob(), { ...newJob(), queue: 'job.long' }]
    await h.queue.insert(h.db, jobs)
    const { rows } = await h.db.execute(
      sql`SELECT DISTINCT expire_seconds > 90 * 86400 AS enough FROM pgboss.job WHERE name IN ('flow.step', 'job.long')`,
    )
    expect(rows).toEqual([{ enough: true }])
    for (const { queue } of jobs) await h.queue.complete((await h.queue.fetch(10, queue)).map(({ id }) => id))
  })

  it('knows the queue of a kind that another worker has made, and sends a kind that none has to the steps', async () => {
    const worker = createTestQueue(h.url)
    try {
      expect(await h.queue.available('job.later')).toBe('flow.step')
      await worker.open(['later'])
      await worker.open(['later'])
      expect(await h.queue.available('job.later')).toBe('job.later')
      expect(await h.queue.names()).toEqual(expect.arrayContaining(['flow.agent', 'flow.step', 'job.later']))
    } finally {
      await worker.close()
    }
  })

  it('goes on by itself, and hears of new work again, after the database has cut every connection', async () => {
    const queue = createTestQueue(h.url)
    try {
      let heard = Promise.withResolvers<void>()
      const stop = await queue.listen(() => heard.resolve())
      await heard.promise // at once, for what came before
      heard = Promise.withResolvers<void>()
      await h.db.execute(
        sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'clew%'`,
      )
      await heard.promise // listening again: something may have been missed
      heard = Promise.withResolvers<void>()
      const job = newJob()
      await h.queue.insert(h.db, [job])
      await heard.promise
      expect((await queue.fetch(10)).map((j) => j.id)).toEqual([job.id])
      await queue.complete([job.id])
      await stop()
    } finally {
      await queue.close()
    }
  })

  it('reads about as many rows as it fetches from a long backlog, also with statistics from when that was empty', async () => {
    const own = await openHarness()
    try {
      const queue = createStepQueue({ connectionString: own.url, role: 'producer', onError: () => {} })
      await own.db.execute(sql`ANALYZE pgboss.job`)
      for (let i = 0; i < 20; i++) await queue.insert(own.db, Array.from({ length: 1_000 }, newJob))
      for (let i = 0; i < 10; i++) expect(await queue.fetch(50)).toHaveLength(50)
      await queue.close() // its connection reports what it read when it ends
      const read = await eventually(
        async () => {
          const { rows } = await own.db.execute<{ read: number }>(sql`
            SELECT (seq_tup_read + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes i WHERE i.relid = t.relid))::int AS read
            FROM pg_stat_user_tables t WHERE relname = (SELECT table_name FROM pgboss.queue WHERE name = 'flow.step')`)
          return (rows[0]?.read ?? 0) > 0 ? rows[0]!.read : undefined
        },
        10,
        'reads were reported',
      )
      expect(read).toBeLessThan(20_000) // the trap: every ready row for each row fetched, or all of them for each fetch
    } finally {
      await own.close()
    }
  })
})
