import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { createDb, createPool, type Db } from '@/db/client'
import { testDatabase, type TestDatabase } from '@/db/testing/database'
import type { Definition } from '@/server/engine/ports'
import type { Principal } from '@/server/engine/model'
import type { Quota } from '@/server/engine/quota'
import { createStepQueue, type StepQueue } from '@/server/queue/pg-boss'
import { createPostgresStore } from '../store'

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** A store and a queue on a database of their own, or on the one given. */
export async function openHarness(own?: TestDatabase) {
  const database = own ?? (await testDatabase())
  const pool = createPool(database.url)
  const db = createDb(pool)
  const queue = createTestQueue(database.url)
  return {
    url: database.url,
    pool,
    db,
    queue,
    store: createPostgresStore(db, queue),
    newId: randomUUID,
    seed: (spec: string) => seed(db, spec),
    setQuota: (teamId: string, quota: Quota | null) => setQuota(db, teamId, quota),
    loseWorker: (jobIds: string[]) => loseWorker(db, jobIds),
    dropJobs: async (jobIds: string[]) => void (await db.execute(sql`DELETE FROM pgboss.job WHERE id = ANY(${sql.param(jobIds)}::uuid[])`)),
    close: async () => {
      await queue.close()
      await pool.end()
      await database.drop()
    },
  }
}

async function setQuota(db: Db, teamId: string, quota: Quota | null): Promise<void> {
  await db.execute(
    quota
      ? sql`INSERT INTO team_quotas (team_id, steps_per_day, concurrent_steps) VALUES (${teamId}, ${quota.stepsPerDay}, ${quota.concurrentSteps})
          ON CONFLICT (team_id) DO UPDATE SET steps_per_day = excluded.steps_per_day, concurrent_steps = excluded.concurrent_steps`
      : sql`DELETE FROM team_quotas WHERE team_id = ${teamId}`,
  )
}

/** Tests cut its connections and drop its database; what matters is what it does then. */
export function createTestQueue(url: string): StepQueue {
  return createStepQueue({ connectionString: url, role: 'worker', onError: () => {} })
}

/** What the supervision does to a job without a heartbeat. */
async function loseWorker(db: Db, jobIds: string[]): Promise<void> {
  await db.execute(sql`UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE id = ANY(${sql.param(jobIds)}::uuid[])`)
}

async function seed(db: Db, spec: string): Promise<{ definition: Definition; principal: Principal; managerId: string }> {
  const [orgId, teamId, userId, managerId, defId] = Array.from({ length: 5 }, () => randomUUID()) as [
    string,
    string,
    string,
    string,
    string,
  ]
  const slug = `team-${teamId}`
  await db.execute(sql`
    WITH org AS (INSERT INTO orgs (id, slug, name) VALUES (${orgId}, ${slug}, 'Org')),
      team AS (INSERT INTO teams (id, org_id, slug, name) VALUES (${teamId}, ${orgId}, ${slug}, 'Team')),
      people AS (INSERT INTO users (id, email, name) VALUES (${userId}, ${`${userId}@example.com`}, 'Mia'), (${managerId}, ${`${managerId}@example.com`}, 'Tom')),
      role AS (INSERT INTO role_grants (team_id, user_id, role) VALUES (${teamId}, ${managerId}, 'manager'))
    INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash) VALUES (${defId}, ${teamId}, 'suite', 1, 'db', ${spec}::json, 'h')`)
  return { definition: { id: defId, teamId, slug: 'suite', version: 1, spec }, principal: { userId, teamId, locale: 'en' }, managerId }
}
