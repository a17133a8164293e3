import { expect as baseExpect, test as base } from '@playwright/test'
import { Database } from './database'
import { People } from './people'

// What must be quick says so where it is expected; the rest may meet a machine that has other things to do.
export const expect = baseExpect.configure({ timeout: 15_000 })

/** Tests with a way into the database and people who are signed in. The running Clew is shared: name what is yours. */
export const test = base.extend<object, { database: Database; people: People }>({
  database: [
    // Playwright reads a fixture's needs off its first parameter.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const database = new Database(process.env.CLEW_E2E_DATABASE_URL ?? '')
      await use(database)
      await database.close()
    },
    { scope: 'worker' },
  ],
  people: [
    async ({ browser, database }, use) => {
      await use(new People(browser, database, process.env.CLEW_E2E_URL ?? ''))
    },
    { scope: 'worker' },
  ],
})

/** A reason for an expense that no other test uses. */
export const unique = (words: string) => `${words} ${crypto.randomUUID().slice(0, 8)}`
