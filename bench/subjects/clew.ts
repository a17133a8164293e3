import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { createDb, createPool } from '@/db/client'
import type { Definition } from '@/server/engine/ports'
import { createWorkerContainer } from '@/server/container/worker'
import { env } from '@/server/env'
import { createTelemetry } from '@/server/observability/telemetry'
import { runWorker } from '@/server/worker/worker'
import type { Step, WorkflowSpec } from '@/spec'
import { OUTPUT, runTest } from '../lib/tests'

const input = { text: { type: 'string' as const } }
const chain: WorkflowSpec = {
  spec: 1,
  slug: 'chain',
  title: 'Ten steps',
  input,
  steps: Array.from({ length: 10 }, (_, i): Step => ({
    id: `s${i}`,
    uses: 'tool:bench.step',
    after: i === 0 ? [] : [`s${i - 1}`],
    with: { text: i === 0 ? '${input.text}' : `\${steps.s${i - 1}.output.text}` },
  })),
}
const fanOut: WorkflowSpec = {
  spec: 1,
  slug: 'fan-out',
  title: 'A step for each',
  input: { items: { type: 'array' } },
  steps: [
    {
      id: 'each',
      uses: 'map',
      after: [],
      over: '${input.items}',
      concurrency: 100,
      do: { uses: 'tool:bench.step', with: { text: '${item}' } },
    },
  ],
}

/** Clew's worker in this process, with all that stands before a call; runs are started here too. */
async function open() {
  const db = createDb(createPool(env().DATABASE_URL))
  const telemetry = createTelemetry(env(), 'worker')
  const ended = new Map<string, () => void>()
  const { log } = telemetry.ports
  const event: typeof log.event = (name, fields, span) => {
    log.event(name, fields, span)
    if (name === 'run_finish') ended.get(String(fields.run_id))?.()
    if (name === 'step_park') throw new Error(`a run parked: ${JSON.stringify(fields)}`)
  }
  const worker = await createWorkerContainer({ ...telemetry, ports: { ...telemetry.ports, log: { ...log, event } } })
  const running = await runWorker(worker)
  const team = await seedTeam(db)
  const definitions = new Map<string, Definition>()
  for (const spec of [chain, fanOut]) definitions.set(spec.slug, await seedDefinition(db, team.teamId, spec))
  const run = async (slug: string, given: Record<string, string | string[]>) => {
    const definition = definitions.get(slug)
    if (!definition) throw new Error(slug)
    const id = randomUUID()
    const end = new Promise<void>((resolve) => ended.set(id, resolve))
    await worker.engine.start({ id, definition, principal: { ...team, locale: 'en' }, input: given })
    await end
    ended.delete(id)
  }
  return {
    chain: () => run('chain', { text: OUTPUT.text }),
    fanOut: (items: number) => run('fan-out', { items: Array.from({ length: items }, (_, i) => String(i)) }),
    close: () => running.stop(1000),
  }
}

type Db = ReturnType<typeof createDb>

async function seedTeam(db: Db) {
  const [orgId, teamId, userId] = [randomUUID(), randomUUID(), randomUUID()]
  await db.execute(sql`
    WITH org AS (INSERT INTO orgs (id, slug, name) VALUES (${orgId}, 'bench', 'Bench')),
      team AS (INSERT INTO teams (id, org_id, slug, name) VALUES (${teamId}, ${orgId}, 'bench', 'Bench'))
    INSERT INTO users (id, email, name) VALUES (${userId}, 'bench@example.com', 'Bench')`)
  await db.execute(sql`INSERT INTO memberships (team_id, user_id, level) VALUES (${teamId}, ${userId}, 'editor')`)
  return { teamId, userId }
}

async function seedDefinition(db: Db, teamId: string, document: WorkflowSpec): Promise<Definition> {
  const id = randomUUID()
  const spec = JSON.stringify(document)
  await db.execute(sql`
    INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash)
    VALUES (${id}, ${teamId}, ${document.slug}, 1, 'db', ${spec}::json, ${document.slug})`)
  return { id, teamId, slug: document.slug, version: 1, spec }
}

await runTest({ open })
