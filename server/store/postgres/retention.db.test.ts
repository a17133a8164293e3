import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventually } from './testing/eventually'
import { type Harness, openHarness } from './testing/harness'
import { deleteFinishedRuns } from './retention'

let h: Harness
let seeded: Awaited<ReturnType<Harness['seed']>>
beforeAll(async () => {
  h = await openHarness()
  seeded = await h.seed('{}')
})
afterAll(() => h.close())

type Given = { status?: string; age?: number; parent?: string; moving?: boolean; items?: number }

/** A run as it is stored, with a row in every table that keeps something of a run. */
async function run({ status = 'succeeded', age = 40, parent, moving = false, items = 1 }: Given = {}): Promise<string> {
  const id = randomUUID()
  const { definition, principal } = seeded
  const over = ['succeeded', 'rejected', 'cancelled', 'parked'].includes(status)
  await h.pool.query(
    `INSERT INTO workflow_runs (id, def_id, team_id, user_id, locale, status, input, cursor_json, steps_total, moving, parent_run_id, root_run_id, finished_at)
     VALUES ($1, $2, $3, $4, 'en', $5, '{}', '{}', 1, $6, $7, $7, CASE WHEN $8 THEN now() - make_interval(days => $9) END)`,
    [id, definition.id, principal.teamId, principal.userId, status, moving, parent ?? null, over, age],
  )
  await h.pool.query(
    `INSERT INTO workflow_steps (run_id, step_id, item, status) SELECT $1, 's', i, 'succeeded' FROM generate_series(0, $2::int - 1) i`,
    [id, items],
  )
  await h.pool.query(
    `INSERT INTO step_attempts (run_id, step_id, item, call, epoch, attempt, error) VALUES ($1, 's', 0, '', 1, 1, '{"code":"x","message":"x"}')`,
    [id],
  )
  await h.pool.query(
    `INSERT INTO quota_places (job_id, team_id, run_id, step_id, item, epoch, standing) VALUES ($1, $2, $3, 's', 0, 1, 'running')`,
    [randomUUID(), principal.teamId, id],
  )
  await h.pool.query(`INSERT INTO workflow_timers (run_id, step_id, epoch, due_at, status) VALUES ($1, 'w', 1, now(), 'fired')`, [id])
  const gate = randomUUID()
  await h.pool.query(
    `INSERT INTO gates (id, run_id, step_id, team_id, role, status, channels, approvals, self_approval, require_sign_in, title, show, shown_hash, opened_at, expires_at)
     VALUES ($1, $2, 'g', $3, 'r', 'approved', '{web}', 1, false, false, 't', '{}', 'h', now(), now())`,
    [gate, id, principal.teamId],
  )
  await h.pool.query(`INSERT INTO gate_decisions (gate_id, user_id, decision, channel, at) VALUES ($1, $2, 'approve', 'web', now())`, [
    gate,
    principal.userId,
  ])
  return id
}

const count = async (statement: string, values: unknown[] = []) =>
  Number((await h.pool.query<{ count: string }>(`SELECT count(*) FROM ${statement}`, values)).rows[0]?.count)
const stands = async (id: string) => (await count('workflow_runs WHERE id = $1', [id])) === 1

it('deletes what ended long ago with all that was kept of it, and nothing else', async () => {
  const [old, rejected, cancelled] = [await run(), await run({ status: 'rejected' }), await run({ status: 'cancelled' })]
  const kept = [
    await run({ age: 20 }),
    await run({ status: 'parked', age: 400 }),
    await run({ status: 'running' }),
    await run({ status: 'cancelled', moving: true }), // still undoing what it did
  ]
  const [definitions, audited] = [await count('workflow_defs'), await count('audit_log')]
  expect(await deleteFinishedRuns(h.db, 30)).toBe(3)
  for (const id of [old, rejected, cancelled]) expect(await stands(id)).toBe(false)
  for (const id of kept) expect(await stands(id)).toBe(true)
  const { rows } = await h.pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'run_id' AND table_schema = 'public'`,
  )
  expect(rows.length).toBeGreaterThan(3)
  // A table that is new here is one that retention has to know.
  for (const { name } of rows.filter((one) => one.name !== 'audit_log')) {
    expect(
      await count(`${name} WHERE run_id = ANY($1)`, [kept]),
      `${name}: this test fills every table that keeps something of a run`,
    ).toBe(4)
    expect(await count(`${name} WHERE run_id <> ALL($1)`, [kept]), name).toBe(0)
  }
  expect(await count('gate_decisions')).toBe(kept.length)
  expect([await count('workflow_defs'), await count('audit_log')]).toEqual([definitions, audited])
})

it('takes child runs with their root, and leaves a family alone of which one is young, waits or goes on', async () => {
  const root = await run()
  const child = await run({ parent: root })
  const grandchild = await run({ parent: child, age: 1 })
  const waiting = await run()
  const parked = await run({ parent: waiting, status: 'parked' })
  const young = await run({ age: 1 })
  const old = await run({ parent: young })
  const orphan = await run({ parent: randomUUID() })
  expect(await deleteFinishedRuns(h.db, 30)).toBe(4)
  expect(await Promise.all([root, child, grandchild, orphan].map(stands))).toEqual([false, false, false, false])
  expect(await Promise.all([waiting, parked, young, old].map(stands))).toEqual([true, true, true, true])
})

it('deletes a large run in bounded pieces, and goes on where it was broken off', async () => {
  const large = await run({ items: 25 })
  const sizes: number[] = []
  let left = 2
  const breaking: Pick<typeof h.db, 'execute'> = {
    ...h.db,
    execute: ((query: Parameters<typeof h.db.execute>[0]) =>
      h.db.execute(query).then((result) => {
        if (result.command === 'DELETE') sizes.push(result.rowCount ?? 0)
        if (result.command === 'DELETE' && --left < 0) throw new Error('broken off')
        return result
      })) as typeof h.db.execute,
  }
  await expect(deleteFinishedRuns(breaking, 30, 10)).rejects.toThrow('broken off')
  expect(await stands(large)).toBe(true)
  left = Number.POSITIVE_INFINITY
  await deleteFinishedRuns(breaking, 30, 10)
  expect(await stands(large)).toBe(false)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
})

it('goes on by itself, as one job of all workers', async () => {
  const old = await run()
  const other = await openHarness({ url: h.url, drop: async () => {} })
  const ran: string[] = []
  await h.queue.every(3_600, async () => void ran.push(`first ${await deleteFinishedRuns(h.db, 30)}`))
  await other.queue.every(3_600, async () => void ran.push(`second ${await deleteFinishedRuns(h.db, 30)}`))
  await eventually(async () => ((await stands(old)) ? undefined : true), 20, 'the run is gone')
  expect(ran).toHaveLength(1)
  await other.close()
})
