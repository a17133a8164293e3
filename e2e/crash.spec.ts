import { test } from '@playwright/test'
import { Database } from './database'
import { expect } from './fixtures'
import { People } from './people'
import { startStack, type Stack } from './support/stack'

const ROUNDS = Number(process.env.CLEW_CHAOS_ROUNDS ?? 3)

/*
 * The worker dies at the two moments that matter while `pay` runs: inside the effect, and after the effect but before it is
 * recorded. Locks hold the moments open, so that no round depends on luck. A Clew of its own: the others' workers live on.
 */
test.describe('kill -9 of the worker while money is being posted', () => {
  let stack: Stack
  let database: Database

  test.beforeAll(async () => {
    test.setTimeout(150_000)
    stack = await startStack()
    database = new Database(stack.databaseUrl())
  })
  test.afterAll(async () => {
    await database?.close()
    await stack?.stop()
  })

  test(`leaves exactly one entry, ${ROUNDS} times`, async ({ browser }) => {
    test.setTimeout(60_000 + ROUNDS * 60_000)
    const people = new People(browser, database, stack.url)
    const context = await people.context('tom')
    const start = (reason: string) => people.startExpense(context, { amount: 5, reason })
    for (let round = 1; round <= ROUNDS; round++) {
      const ledger = await database.lockLedger()
      const unrecorded = await start(`round ${round}: done, not recorded`)
      await expect.poll(ledger.waiting).toBeGreaterThan(0)
      const record = await database.lockRun(unrecorded)
      await ledger.release()
      await expect.poll(record.waiting).toBeGreaterThan(0)
      expect(await database.postedBy(unrecorded)).toHaveLength(1)

      const ledgerAgain = await database.lockLedger()
      const unfinished = await start(`round ${round}: inside the effect`)
      await expect.poll(ledgerAgain.waiting).toBeGreaterThan(0)

      const { worker } = stack.processes()
      process.kill(worker, 'SIGKILL')
      await expect.poll(() => stack.processes().worker, { timeout: 30_000 }).not.toBe(worker)
      await Promise.all([record.release(), ledgerAgain.release()])

      for (const run of [unrecorded, unfinished]) {
        await expect.poll(() => database.statusOf(run), { timeout: 45_000 }).toBe('succeeded')
        expect(await database.postedBy(run), `round ${round}`).toHaveLength(1)
      }
    }
    await context.close()
  })
})
