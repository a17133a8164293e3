import { createHash, randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { afterAll } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { effort } from '@/db/testing/effort'
import { conformanceSuite } from '@/server/engine/conformance.testsuite'
import type { CreateBench, SeenRun, SeenStep } from '@/server/engine/conformance.testsuite.player'
import type { EngineError } from '@/server/engine/model'
import type { Definition, Store } from '@/server/engine/ports'
import { TestClock } from '@/server/engine/test-clock'
import { toolsOf } from '@/server/engine/testing'
import { createStepQueue } from '@/server/queue/pg-boss'
import { createPostgresStore } from './store'
import { testEngine } from './testing/engine'
import { openHarness } from './testing/harness'
import { installTurnedClock, turnClock } from './testing/turned-clock'
import { parseDoc } from './sql'

/*
 * The same cases on PostgreSQL, one after the other in one database: each in a team of its own, with nothing left of the one before.
 * `npm test` plays the same third of them every time, `npm run test:long` all.
 */
const isChosen = (name: string) => (createHash('sha256').update(name).digest()[0] ?? 0) % 30 < effort(10)

type World = Awaited<ReturnType<typeof openWorld>>
let opened: Promise<World> | undefined
afterAll(async () => (await opened)?.close())

async function openWorld() {
  const h = await openHarness()
  await installTurnedClock(h.url)
  // A producer supervises nothing: by this clock every worker is dead after the first hour.
  const queue = createStepQueue({ connectionString: h.url, role: 'producer', onError: () => {} })
  const close = async () => {
    await queue.close()
    await h.close()
  }
  return { ...h, queue, ...watched(createPostgresStore(h.db, queue)), close }
}

/** The store, and when it has nothing under way. */
function watched(store: Store): { store: Store; calm: () => Promise<void> } {
  const work = { underway: 0 }
  const count = async (result: unknown) => {
    work.underway++
    try {
      return await result
    } finally {
      work.underway--
    }
  }
  const get = (from: Store, key: string | symbol): unknown => {
    const member: unknown = Reflect.get(from, key)
    return typeof member === 'function' ? (...given: unknown[]) => count(Reflect.apply(member, from, given)) : member
  }
  const calm = async () => {
    do await turn()
    while (work.underway > 0)
  }
  return { store: new Proxy(store, { get }), calm }
}

const onPostgres: CreateBench = async (options) => {
  const w = await (opened ??= openWorld())
  const clock = new TestClock()
  await empty(w)
  await turnClock(w.pool, clock.now())
  await w.queue.open(options.jobs.map(({ name }) => name))
  const ids = new Map<string, string>()
  const idOf = (name: string) => ids.get(name) ?? ids.set(name, randomUUID()).get(name) ?? ''
  await addTeam(w, idOf(options.teamId))
  const definitions = new Map<string, Definition>()
  const publish = async (spec: WorkflowSpec) => {
    const { slug } = spec
    const version = (definitions.get(slug)?.version ?? 0) + 1
    const definition = { id: w.newId(), teamId: idOf(options.teamId), slug, version, spec: JSON.stringify(spec) }
    definitions.set(slug, definition)
    await w.db.execute(sql`INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash)
      VALUES (${definition.id}, ${definition.teamId}, ${slug}, ${version}, 'db', ${definition.spec}::json, 'h')`)
  }
  for (const spec of options.workflows) await publish(spec)
  const { random, access, model } = options
  const called = { tools: toolsOf(options.tools), jobs: toolsOf(options.jobs), models: { reply: model } }
  const engine = testEngine(w, undefined, { clock, random, access, ...called })
  return {
    engine,
    queue: w.queue,
    calm: w.calm,
    idOf,
    publish,
    advance: async (ms) => {
      await turnClock(w.pool, new Date(clock.now().getTime() + ms))
      clock.advance(ms)
    },
    start: async (slug, input, principal) => {
      const definition = definitions.get(slug)
      if (!definition) throw new Error(`there is no workflow '${slug}'`)
      await addPerson(w, principal.userId)
      return engine.start({ definition, principal, input })
    },
    grantRole: async (teamId, userId, role) => {
      await addPerson(w, userId)
      await w.db.execute(
        sql`INSERT INTO role_grants (team_id, user_id, role) VALUES (${teamId}, ${userId}, ${role}) ON CONFLICT DO NOTHING`,
      )
    },
    run: (runId) => read(w, runId),
  }
}
conformanceSuite(onPostgres, isChosen)

async function empty(w: World): Promise<void> {
  await w.pool.query(`
    DELETE FROM pgboss.job; DELETE FROM gate_decisions; DELETE FROM gates; DELETE FROM workflow_timers; DELETE FROM step_attempts;
    DELETE FROM workflow_steps; DELETE FROM workflow_runs`)
}

async function addTeam(w: World, teamId: string): Promise<void> {
  await w.db.execute(sql`
    WITH org AS (INSERT INTO orgs (id, slug, name) VALUES (${teamId}, ${`team-${teamId}`}, 'Org'))
    INSERT INTO teams (id, org_id, slug, name) VALUES (${teamId}, ${teamId}, ${`team-${teamId}`}, 'Team')`)
}

async function addPerson(w: World, userId: string): Promise<void> {
  await w.db.execute(
    sql`INSERT INTO users (id, email, name) VALUES (${userId}, ${`${userId}@example.com`}, 'Somebody') ON CONFLICT DO NOTHING`,
  )
}

type RawRun = { id: string; title: string | null; status: string; output: string | null; error: string | null }
type RawRow = { step_id: string; item: number; status: string; output: string | null; error: string | null; child_run_id: string | null }

async function read(w: World, runId: string): Promise<SeenRun> {
  const [run] = (await w.pool.query<RawRun>('SELECT id, title, status, output, error FROM workflow_runs WHERE id = $1', [runId])).rows
  if (!run) throw new Error('there is no such run')
  const { rows } = await w.pool.query<RawRow>("SELECT * FROM workflow_steps WHERE run_id = $1 AND call = '' ORDER BY epoch, item", [runId])
  const steps = new Map<string, SeenStep>()
  for (const row of rows) {
    const step = steps.get(row.step_id)
    if (row.item < 0) steps.set(row.step_id, { ...seenStep(row), items: step?.items ?? [] })
    else if (step) step.items[row.item] = seenStep(row)
  }
  const opened = await w.pool.query<{ id: string }>('SELECT id FROM gates WHERE run_id = $1 ORDER BY opened_at, id', [runId])
  const gates = (await Promise.all(opened.rows.map(({ id }) => w.store.gate(id)))).filter((gate) => gate !== null)
  return { ...run, output: parseDoc(run.output), error: parseDoc<EngineError>(run.error), steps, gates }
}

function seenStep({ status, output, error, child_run_id: child }: RawRow): SeenStep {
  return { status, output: output === null ? undefined : parseDoc(output), error: parseDoc<EngineError>(error), items: [], child }
}
