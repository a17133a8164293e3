import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import type { Definition } from '@/server/engine/ports'
import { createStepQueue } from '@/server/queue/pg-boss'
import type { WorkflowSpec } from '@/spec'
import { createPostgresStore } from '../store'
import { openHarness } from './harness'
import { installTurnedClock } from './turned-clock'

/*
 * A database in which engines of a test live one after the other, by a clock that the test turns, with nothing left of the one before. Every call
 * of the store and of the queue is watched, so that it can be known when nothing is under way.
 */

export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld() {
  const h = await openHarness()
  await installTurnedClock(h.url)
  // A producer supervises nothing: by this clock every worker is dead after the first hour.
  const queue = createStepQueue({ connectionString: h.url, role: 'producer', onError: () => {} })
  const work = { underway: 0 }
  const calm = async () => {
    do await turn()
    while (work.underway > 0)
  }
  const close = async () => {
    await queue.close()
    await h.close()
  }
  return { ...h, queue: watched(queue, work), store: watched(createPostgresStore(h.db, queue), work), calm, close }
}

function watched<T extends object>(watchedObject: T, work: { underway: number }): T {
  const count = async (result: unknown) => {
    work.underway++
    try {
      return await result
    } finally {
      work.underway--
    }
  }
  const get = (from: T, key: string | symbol): unknown => {
    const member: unknown = Reflect.get(from, key)
    return typeof member === 'function' ? (...given: unknown[]) => count(Reflect.apply(member, from, given)) : member
  }
  return new Proxy(watchedObject, { get })
}

export async function emptyWorld(w: World): Promise<void> {
  await w.pool.query(`
    DELETE FROM quota_places; DELETE FROM team_usage; DELETE FROM team_quotas; DELETE FROM pgboss.job; DELETE FROM gate_decisions; DELETE FROM gates; DELETE FROM workflow_timers; DELETE FROM step_attempts;
    DELETE FROM workflow_steps; DELETE FROM workflow_runs`)
}

export async function addTeam(w: World, teamId: string): Promise<void> {
  await w.db.execute(sql`
    WITH org AS (INSERT INTO orgs (id, slug, name) VALUES (${teamId}, ${`team-${teamId}`}, 'Org'))
    INSERT INTO teams (id, org_id, slug, name) VALUES (${teamId}, ${teamId}, ${`team-${teamId}`}, 'Team')`)
}

export async function addPerson(w: World, userId: string): Promise<void> {
  await w.db.execute(
    sql`INSERT INTO users (id, email, name) VALUES (${userId}, ${`${userId}@example.com`}, 'Somebody') ON CONFLICT DO NOTHING`,
  )
}

export async function grantRole(w: World, teamId: string, userId: string, role: string): Promise<void> {
  await addPerson(w, userId)
  await w.db.execute(sql`INSERT INTO role_grants (team_id, user_id, role) VALUES (${teamId}, ${userId}, ${role}) ON CONFLICT DO NOTHING`)
}

/** Stores the next versions of workflows, and knows the newest of each. */
export function createPublisher(w: World, teamId: string) {
  const definitions = new Map<string, Definition>()
  const publish = async (spec: WorkflowSpec) => {
    const { slug } = spec
    const version = (definitions.get(slug)?.version ?? 0) + 1
    const definition = { id: w.newId(), teamId, slug, version, spec: JSON.stringify(spec) }
    definitions.set(slug, definition)
    await w.db.execute(sql`INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash)
      VALUES (${definition.id}, ${teamId}, ${slug}, ${version}, 'db', ${definition.spec}::json, 'h')`)
  }
  const newest = (slug: string): Definition => {
    const definition = definitions.get(slug)
    if (!definition) throw new Error(`there is no workflow '${slug}'`)
    return definition
  }
  return { publish, newest }
}
