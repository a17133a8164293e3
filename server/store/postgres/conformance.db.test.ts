import { createHash, randomUUID } from 'node:crypto'
import { afterAll } from 'vitest'
import { effort } from '@/db/testing/effort'
import { conformanceSuite } from '@/server/engine/conformance.testsuite'
import type { CreateBench, SeenRun, SeenStep } from '@/server/engine/conformance.testsuite.bench'
import type { EngineError } from '@/server/engine/model'
import { TestClock } from '@/server/engine/test-clock'
import { toolsOf } from '@/server/engine/testing'
import { testEngine } from './testing/engine'
import { addPerson, addTeam, createPublisher, emptyWorld, grantRole, openWorld, type World } from './testing/world'
import { turnClock } from './testing/turned-clock'
import { parseDoc } from './sql'

/*
 * The same cases on PostgreSQL, one after the other in one database: each in a team of its own, with nothing left of the one before.
 * `npm test` plays the same third of them every time, `npm run test:long` all.
 */
const isChosen = (name: string) => (createHash('sha256').update(name).digest()[0] ?? 0) % 30 < effort(10)

let opened: Promise<World> | undefined
afterAll(async () => (await opened)?.close())

const onPostgres: CreateBench = async (options) => {
  const w = await (opened ??= openWorld())
  const clock = new TestClock()
  await emptyWorld(w)
  await turnClock(w.pool, clock.now())
  await w.queue.open(options.jobs.map(({ name }) => name))
  const ids = new Map<string, string>()
  const idOf = (name: string) => ids.get(name) ?? ids.set(name, randomUUID()).get(name) ?? ''
  await addTeam(w, idOf(options.teamId))
  const { publish, newest } = createPublisher(w, idOf(options.teamId))
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
      await addPerson(w, principal.userId)
      return engine.start({ definition: newest(slug), principal, input })
    },
    grantRole: (...grant) => grantRole(w, ...grant),
    run: (runId) => read(w, runId),
  }
}
conformanceSuite(onPostgres, isChosen)

type RawRun = { id: string; title: string | null; status: string; output: string | null; error: string | null }
type RawRow = {
  step_id: string
  item: number
  status: string
  output: string | null
  error: string | null
  flag: string | null
  child_run_id: string | null
}

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

function seenStep({ status, output, error, flag, child_run_id: child }: RawRow): SeenStep {
  return { status, output: output === null ? undefined : parseDoc(output), error: parseDoc<EngineError>(error), flag, items: [], child }
}
