import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator'
import { drizzle } from 'drizzle-orm/node-postgres'
import path from 'node:path'
import { Client, escapeIdentifier } from 'pg'
import { PgBoss } from 'pg-boss'
import { AGENT_QUEUE, QUEUE_OPTIONS, SET_EXPIRY, STEP_QUEUE, UPKEEP_EXPIRE_SECONDS, UPKEEP_QUEUE } from './queue'

const LOCK = 0x636c6577 // "clew": one process migrates, the others wait for it and then find nothing to do

/** Applies `db/migrations`, and installs or upgrades the queue. Safe to call from many processes at the same moment. */
export async function migrate(connectionString: string, folder = path.resolve('db/migrations')): Promise<void> {
  const client = new Client({ connectionString, application_name: 'clew migrate' })
  await client.connect()
  try {
    await client.query('SELECT pg_advisory_lock($1)', [LOCK])
    await client.query('SET client_min_messages = warning')
    await applyMigrations(drizzle(client), { migrationsFolder: folder })
    await migrateQueue(client)
  } finally {
    await client.end() // ends the lock too
  }
}

/** Through the connection that holds the lock: pg-boss's own start would race with that of the other processes. */
async function migrateQueue(client: Client): Promise<void> {
  const db = { executeSql: (text: string, values?: unknown[]) => client.query(text, values) }
  const boss = new PgBoss({
    db,
    migrate: true,
    supervise: false,
    schedule: false,
    registerInstance: false,
    openTelemetry: { enabled: false },
  })
  const failed = new Promise<never>((_, reject) => boss.once('error', reject))
  failed.catch(() => {})
  await Promise.race([boss.start(), failed])
  try {
    for (const name of [STEP_QUEUE, AGENT_QUEUE]) if (!(await boss.getQueue(name))) await createPartitionedQueue(boss, client, name)
    if (!(await boss.getQueue(UPKEEP_QUEUE)))
      await boss.createQueue(UPKEEP_QUEUE, { expireInSeconds: UPKEEP_EXPIRE_SECONDS, retryLimit: 0 })
    await client.query(SET_EXPIRY)
  } finally {
    await boss.stop({ graceful: false })
  }
}

/**
 * pg-boss gives such a queue a table of its own. Its statistics are the trap: analysed while nearly empty, a fetch from 20,000 jobs
 * takes 60 times as long, so autovacuum has to look early; and every job is updated, so its page needs room.
 */
async function createPartitionedQueue(boss: PgBoss, client: Client, name: string): Promise<void> {
  await boss.createQueue(name, { ...QUEUE_OPTIONS, partition: true })
  const queue = await boss.getQueue(name)
  if (!queue) throw new Error(`the queue ${name} was not created`)
  await client.query(
    `ALTER TABLE pgboss.${escapeIdentifier(queue.table)} SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500)`,
  )
}
