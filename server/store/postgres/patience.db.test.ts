import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exclusively } from './exclusive'
import { createPostgresStore } from './store'
import { type Harness, openHarness } from './testing/harness'

let h: Harness
beforeAll(async () => {
  h = await openHarness()
})
afterAll(() => h.close())

const cutEverybody = () =>
  h.db.execute(sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)

async function newRun(): Promise<string> {
  const { definition, principal } = await h.seed('{}')
  const id = h.newId()
  await h.store.insertRun({ id, definition, principal, title: 'a\u0000b', input: {} }, { status: 'queued', seq: 0, steps: new Map() }, 1)
  return id
}

it('makes a transition again whose connection was cut, and only once for good', async () => {
  const runId = await newRun()
  const patient = createPostgresStore(h.db, h.queue, 10_000)
  let tries = 0
  await patient.transact(runId, async (tx) => {
    tries++
    if (tries === 1) await cutEverybody()
    await tx.save({ ...tx.run.state, seq: tx.run.state.seq + 1 })
  })
  expect(tries).toBe(2)
  expect(await h.store.transact(runId, (tx) => Promise.resolve(tx.run.state.seq))).toBe(1)
})

it('fails at once without patience, and keeps nothing', async () => {
  const runId = await newRun()
  const failing = h.store.transact(runId, async (tx) => {
    await cutEverybody()
    await tx.save({ ...tx.run.state, seq: 1 })
  })
  await expect(failing).rejects.toThrow()
  expect(await h.store.transact(runId, (tx) => Promise.resolve(tx.run.state.seq))).toBe(0)
})

it('does not repeat what fails for a reason of its own', async () => {
  const patient = createPostgresStore(h.db, h.queue, 10_000)
  let tries = 0
  const failing = patient.transact(await newRun(), () => {
    tries++
    return Promise.reject(new Error('a mistake'))
  })
  await expect(failing).rejects.toThrow('a mistake')
  expect(tries).toBe(1)
})

it('lets one process at a time sweep, and the next after it', async () => {
  const entered = Promise.withResolvers<void>()
  const leave = Promise.withResolvers<void>()
  const first = exclusively(h.pool, async () => {
    entered.resolve()
    await leave.promise
    return 'first'
  })
  await entered.promise
  expect(await exclusively(h.pool, () => Promise.resolve('second'))).toBeNull()
  leave.resolve()
  expect(await first).toBe('first')
  expect(await exclusively(h.pool, () => Promise.resolve('third'))).toBe('third')
})
