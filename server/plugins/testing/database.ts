import type { Pool } from 'pg'
import { inject } from 'vitest'
import { createPool } from '@/db/client'
import { testDatabase } from '@/db/testing/database'

/** A database of the suite's own, as the application's ordinary role (which owns it) and as a superuser. */
export async function pluginDatabase(): Promise<{ ordinary: Pool; superuser: Pool; url: string; close(): Promise<void> }> {
  const database = await testDatabase()
  const administrator = new URL(inject('superuserUrl'))
  administrator.pathname = new URL(database.url).pathname
  const ordinary = createPool(database.url, { max: 5 })
  const superuser = createPool(administrator.href, { max: 5 })
  return {
    ordinary,
    superuser,
    url: database.url,
    close: async () => {
      await Promise.all([ordinary.end(), superuser.end()])
      await database.drop()
    },
  }
}
