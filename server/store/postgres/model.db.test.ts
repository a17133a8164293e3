import { sql } from 'drizzle-orm'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { effort } from '@/db/testing/effort'
import { WorkflowEngine } from '@/server/engine/engine'
import { TestClock } from '@/server/engine/test-clock'
import { memoryBench, PEOPLE, RUN_ID, scriptedPorts, STARTER } from '@/server/engine/model.testsuite.bench'
import type { ModelBench, Scripted, SeenRun } from '@/server/engine/model.testsuite.bench'
import type { Job, QueueName } from '@/server/engine/ports'
import { arbitraryFamily, type Drawn } from '@/server/engine/model.testsuite.family'
import { Play } from '@/server/engine/model.testsuite.play'
import { gateOf, type RawGate } from './gates'
import { instantOrNull } from './sql'
import { storedInMemory, storedOnPostgres } from './testing/stored'
import { turnClock } from './testing/turned-clock'
import { addPerson, addTeam, createPublisher, emptyWorld, grantRole, openWorld, type World } from './testing/world'

/*
 * The two stores agree: the same random run, with all that it starts, is played on both, and after each thing that happens both hold the same,
 * have called the same and have logged the same. On the store in memory the model test checks the rules of a run; what holds there holds here.
 */

type On = { bench: ModelBench; stored: () => Promise<Record<string, object>> }
type Moment = { stored: Record<string, object>; called: string[]; logged: string[] }

async function moments(drawn: Drawn, create: (scripted: Scripted) => Promise<On>): Promise<Moment[]> {
  const seen: Moment[] = []
  let called: string[] = []
  const look = async () => {
    seen.push({ stored: await on.stored(), called: called.sort(), logged: play.script.logged() })
    called = []
  }
  const play: Play = new Play(drawn, {
    called: ({ idempotencyKey, attempt }) => called.push(`${idempotencyKey} ${attempt}`),
    asked: ({ about, turns }) => called.push(JSON.stringify([about, turns])),
    between: look,
  })
  const on = await create(play.script)
  await play.whole(on.bench)
  await look()
  return seen
}

async function inMemory(scripted: Scripted): Promise<On> {
  const { bench, runs } = memoryBench(scripted)
  return {
    bench,
    stored: async () => Object.fromEntries(runs().map((run) => [run.run.id, storedInMemory(run)])),
  }
}

async function onPostgres(w: World, scripted: Scripted): Promise<On> {
  const clock = new TestClock()
  await emptyWorld(w)
  await w.pool.query('DELETE FROM workflow_defs')
  await turnClock(w.pool, clock.now())
  const { publish, newest } = createPublisher(w, STARTER.teamId)
  const engine = new WorkflowEngine({ store: w.store, queue: w.queue, clock, newId: w.newId, ...scriptedPorts(scripted) })
  const bench: ModelBench = {
    engine,
    queue: w.queue,
    clock,
    publish,
    limit: (quota) => w.setQuota(STARTER.teamId, quota),
    fetch: () => fetchOn(w),
    calm: w.calm,
    turned: () => turnClock(w.pool, clock.now()),
    drop: (jobIds) => w.dropJobs(jobIds),
    due: async () => {
      const { rows } = await w.db.execute<{ due: string | null }>(sql`
        SELECT least((SELECT min(start_after) FROM pgboss.job WHERE state < 'active'),
          (SELECT min(due_at) FROM workflow_timers WHERE status = 'set')) AS due`)
      return instantOrNull(rows[0]?.due ?? null)
    },
    start: async (slug, input) => void (await engine.start({ id: RUN_ID, definition: newest(slug), principal: STARTER, input })),
    family: () => familyOn(w),
  }
  return { bench, stored: () => storedOnPostgres(w) }
}

/** Only queues in which something waits are asked. */
async function fetchOn({ db, queue }: World): Promise<Job[]> {
  const { rows } = await db.execute<{ name: QueueName }>(
    sql`SELECT DISTINCT name FROM pgboss.job WHERE state < 'active' AND start_after <= (SELECT at FROM turned.clock)`,
  )
  const jobs: Job[] = []
  for (const { name } of rows) jobs.push(...(await queue.fetch(1000, name)))
  return jobs
}

async function familyOn({ db }: World): Promise<SeenRun[]> {
  const { rows } = await db.execute<Omit<SeenRun, 'gates'>>(sql`SELECT id, status, cursor_json AS state FROM workflow_runs`)
  const gates = (await db.execute<RawGate>(sql`SELECT * FROM gates`)).rows.map(gateOf)
  return rows.map(({ id, status, state }) => ({ id, status, state, gates: gates.filter(({ runId }) => runId === id) }))
}

test('the two stores agree on any run and its children, after each thing that happens', { timeout: effort(300_000) }, async () => {
  const w = await openWorld()
  await w.queue.open(['train', 'export.all'])
  await addTeam(w, STARTER.teamId)
  await addPerson(w, STARTER.userId)
  for (const person of PEOPLE) await grantRole(w, STARTER.teamId, person, 'manager')
  let [children, putOff] = [0, 0]
  await fc.assert(
    fc.asyncProperty(arbitraryFamily({ maxSteps: 6, maxActions: 20 }), async (drawn) => {
      const expected = await moments(drawn, inMemory)
      const found = await moments(drawn, (scripted) => onPostgres(w, scripted))
      for (const [i, moment] of expected.entries()) expect(found[i], `after ${i + 1} things`).toEqual(moment)
      expect(found).toHaveLength(expected.length)
      putOff += expected.filter(({ stored }) => JSON.stringify(stored).includes('"deferred":{')).length
      children += Object.keys(expected.at(-1)?.stored ?? {}).length - 1
    }),
    // The smallest of what fails is looked for by hand: every try takes seconds.
    { numRuns: effort(30), endOnFailure: true },
  )
  expect(children).toBeGreaterThan(5)
  expect(putOff).toBeGreaterThan(5)
  await w.close()
})
