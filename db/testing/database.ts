import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { inject } from 'vitest'

export interface TestDatabase {
  /** Connects as the application's role, which owns the database and is not a superuser. */
  readonly url: string
  /** Removes the database, even where connections to it are still open. */
  drop(): Promise<void>
}

/** An empty, migrated database of the caller's own, on the real PostgreSQL of this test run (Vitest project `database`). */
export async function testDatabase(): Promise<TestDatabase> {
  const url = new URL(inject('templateUrl'))
  const template = url.pathname.slice(1)
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const maintenance = new URL(url)
  maintenance.pathname = '/postgres'
  await run(maintenance.href, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => drop(maintenance.href, name) }
}

/** Autovacuum, which is PostgreSQL's own, may be in there just now, and only a superuser may end that: it is done in a moment. */
async function drop(maintenance: string, name: string): Promise<void> {
  for (const until = performance.now() + 20_000; ; await sleep(200)) {
    try {
      return await run(maintenance, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    } catch (error) {
      const isForbidden = error instanceof DatabaseError && error.code === '42501'
      if (!isForbidden || performance.now() > until) throw error
    }
  }
}

async function run(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
