import { randomUUID } from 'node:crypto'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownServer } from '@/db/testing/server'
import type { WorkflowEngine } from '@/server/engine/engine'
import type { Definition } from '@/server/engine/ports'
import type { Principal } from '@/server/engine/model'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { type Harness, openHarness } from '@/server/store/postgres/testing/harness'
import { judge, type Judgement } from './judge'
import { Workers } from './workers'
import { WORKFLOWS } from './workflows'

export type ChaosOptions = { runs: number; workers: number; workerKills: number; databaseKills: number }

export type ChaosResult = Judgement & { seconds: number; secondsAfterLast: number }

const BETWEEN_KILLS_MS = 2_500
const LIMIT_MS = 60_000

type Team = { definitions: Definition[]; principal: Principal; managerId: string }

/** Starts runs, decides gates, and meanwhile kills workers and the database with `kill -9` and cuts connections; then judges what became of the runs. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const server = await ownServer()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'clew-chaos-'))
  const h = await openHarness({ url: server.url, drop: async () => {} })
  const workers = new Workers(server.url)
  const over = new AbortController()
  try {
    const engine = testEngine(h, undefined, { log: { event: () => {}, error: () => {} } })
    const team = await seedTeam(h)
    const file = path.join(folder, 'effects')
    await fs.writeFile(file, '')
    await workers.start(options.workers)
    const begun = performance.now()
    const starting = startRuns(engine, team, file, options)
    const deciding = decideGates(h, engine, team.managerId, over.signal)
    await destroy(server, workers, options)
    const started = await starting
    await workers.settled()
    const last = performance.now()
    await finished(h, last + LIMIT_MS)
    const ended = performance.now()
    over.abort()
    await deciding
    const judgement = await judge(h, started, await fs.readFile(file, 'utf8'))
    return { ...judgement, seconds: secondsOf(ended - begun), secondsAfterLast: secondsOf(ended - last) }
  } finally {
    over.abort()
    await workers.stop()
    await h.close()
    await server.remove()
    await fs.rm(folder, { recursive: true })
  }
}

const secondsOf = (ms: number) => Math.round(ms / 100) / 10

async function seedTeam(h: Harness): Promise<Team> {
  const { principal, managerId } = await h.seed(JSON.stringify(WORKFLOWS[0]))
  const { teamId, userId } = principal
  await h.pool.query(`INSERT INTO memberships (team_id, user_id, level) VALUES ($1, $2, 'member')`, [teamId, userId])
  const definitions = WORKFLOWS.map(({ slug }, i) => ({ id: randomUUID(), teamId, slug, version: 1, spec: JSON.stringify(WORKFLOWS[i]) }))
  for (const { id, slug, spec } of definitions)
    await h.pool.query(`INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash) VALUES ($1, $2, $3, 1, 'db', $4, 'h')`, [
      id,
      teamId,
      slug,
      spec,
    ])
  return { definitions, principal, managerId }
}

/** Spread over the time of the kills. A start that failed is made again under the same id, as a client with an idempotency key does. */
async function startRuns(engine: WorkflowEngine, team: Team, file: string, { runs, workerKills }: ChaosOptions): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < runs; i++) {
    const id = randomUUID()
    const definition = team.definitions[i % team.definitions.length]!
    for (;;) {
      try {
        await engine.start({ id, definition, principal: team.principal, input: { file } })
        break
      } catch (error) {
        if (codesOf(error).includes('23505')) break // the first try was stored, and only its answer was lost
        await sleep(200)
      }
    }
    ids.push(id)
    await sleep((BETWEEN_KILLS_MS * workerKills) / runs)
  }
  return ids
}

function codesOf(error: unknown): unknown[] {
  return error instanceof Error ? ['code' in error ? error.code : null, ...codesOf(error.cause)] : []
}

async function decideGates(h: Harness, engine: WorkflowEngine, userId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await (async () => {
      const { rows } = await h.pool.query<{ id: string }>(`SELECT id FROM gates WHERE status = 'open'`)
      for (const { id } of rows) await engine.decideGate(id, { userId, decision: 'approve', channel: 'web' })
    })().catch(() => {}) // the database is away: again
    await sleep(300, undefined, { signal }).catch(() => {})
  }
}

/** The kills of the database are spread evenly among those of the workers; connections are cut between them. */
async function destroy(server: Awaited<ReturnType<typeof ownServer>>, workers: Workers, options: ChaosOptions): Promise<void> {
  const { workerKills, databaseKills } = options
  const every = Math.ceil((workerKills + 1) / (databaseKills + 1))
  let killed = 0
  for (let i = 1; i <= workerKills; i++) {
    await sleep(BETWEEN_KILLS_MS)
    await workers.kill()
    if (i % every === 0 && killed < databaseKills) {
      killed++
      await server.kill()
      await sleep(500)
      await server.start()
    } else if (i % 2 === 1) await server.cut()
  }
}

/** Every run is over, or waits for a person because nobody knows how a `once` call ended. */
async function finished(h: Harness, limit: number): Promise<void> {
  for (;;) {
    const { rows } = await h.pool
      .query<{ open: number }>(
        `SELECT count(*)::int AS open FROM workflow_runs WHERE moving OR status NOT IN ('succeeded', 'parked', 'cancelled', 'rejected')`,
      )
      .catch(() => ({ rows: [{ open: 1 }] }))
    if (rows[0]?.open === 0 || performance.now() > limit) return
    await sleep(200)
  }
}
