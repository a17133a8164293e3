import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import path from 'node:path'
import pg from 'pg'

const LOCK = 0x636c6577 // "clew": one process migrates, the others wait for it and then find nothing to do

/** Applies `db/migrations` to the database. Safe to call from many processes at the same moment. */
export async function migrate(connectionString: string, folder = path.resolve('db/migrations')): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await applyMigrations(drizzle(client), { migrationsFolder: folder })
  } finally {
    await client.end() // ends the lock too
  }
}
