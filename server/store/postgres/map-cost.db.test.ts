import type { Socket } from 'node:net'
import type { Pool } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDb, createPool } from '@/db/client'
import { effort } from '@/db/testing/effort'
import type { WorkflowEngine } from '@/server/engine/engine'
import type { ToolCall } from '@/server/engine/ports'
import type { Json } from '@/spec'
import { createPostgresStore } from './store'
import { testEngine } from './testing/engine'
import { type Harness, openHarness } from './testing/harness'

const ITEMS_MAX = 10_000
/** How many ends are measured of each map. */
const MEASURED = 50
/** So much more may an end cost in the large map, in bytes on the wire: its numbers have more digits. */
const DIGITS = 300
/** So many more rows: whether a small table is read whole is the planner's choice, and it may hold versions that nobody needs. What grew with the map would be thousands. */
const CHOICE = 100

let h: Harness
let pool: Pool
let engine: WorkflowEngine
let meter: ReturnType<typeof metered>
beforeAll(async () => {
  h = await openHarness()
  // One connection, so that everything the store does is seen on it.
  pool = createPool(h.url, { max: 1 })
  meter = metered(pool)
  engine = testEngine({ ...h, store: createPostgresStore(createDb(pool), h.queue) }, echo)
})
afterAll(async () => {
  await pool.end()
  await h.close()
})

const spec = (over: Json) =>
  JSON.stringify({
    spec: 1,
    slug: 'suite',
    title: 'Suite',
    input: { list: { type: 'array' } },
    steps: [
      { id: 'list', uses: 'tool:list', after: [], with: '${input.list}' },
      { id: 'm', uses: 'map', after: ['list'], over, do: { uses: 'tool:one', with: { value: '${item}', index: '${index}' } } },
    ],
    output: '${steps.m.output}',
  })

const echo = (_: ToolCall, input: Json) => Promise.resolve({ output: { was: input } })
const listOf = (items: number) => Array.from({ length: items }, (_, i) => `the value of item ${i}`)

async function startMap(items: number, over: Json = '${input.list}') {
  const { definition, principal } = await h.seed(spec(over))
  return engine.start({ definition, principal, input: { list: listOf(items) } })
}

/** Does so many jobs of those that wait, a few at the same time. */
async function perform(limit: number, by = engine): Promise<number> {
  let done = 0
  while (done < limit) {
    const jobs = await h.queue.fetch(Math.min(20, limit - done))
    if (jobs.length === 0) break
    await Promise.all(jobs.map((job) => by.perform(job)))
    await h.queue.complete(jobs.map(({ id }) => id))
    done += jobs.length
  }
  return done
}

/** Counts what goes over the connections of this pool, and the rows that their server touched, those of large values included. */
function metered(pool: Pool) {
  const streams = new Set<Socket>()
  const texts: string[] = []
  pool.on('connect', (client) => {
    streams.add(client.connection.stream as Socket)
    const { query } = client
    client.query = ((...given: Parameters<typeof query>) => {
      const [first] = given as unknown as [string | { text: string }]
      texts.push(typeof first === 'string' ? first : first.text)
      return Reflect.apply(query, client, given)
    }) as typeof query
  })
  const rows = async () => {
    await pool.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await pool.query<{ relname: string; n: string }>(`
      SELECT COALESCE(o.relname || ' (large)', t.relname) AS relname,
        COALESCE(t.seq_tup_read, 0) + COALESCE(t.idx_tup_fetch, 0) + t.n_tup_ins + t.n_tup_upd + t.n_tup_del AS n
      FROM pg_stat_all_tables t LEFT JOIN pg_class o ON o.reltoastrelid = t.relid
      WHERE COALESCE(o.relnamespace, (SELECT relnamespace FROM pg_class c WHERE c.oid = t.relid))::regnamespace::text IN ('public', 'pgboss')`)
    return Object.fromEntries(rows.map(({ relname, n }) => [relname, Number(n)]))
  }
  const bytes = () => [...streams].reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0)
  return async (work: () => Promise<void>) => {
    const before = await rows()
    const [sent, said] = [bytes(), texts.length]
    await work()
    const [after, statements] = [bytes() - sent, texts.length - said]
    const touched = Object.entries(await rows()).map(([table, n]) => [table, (n - (before[table] ?? 0)) / MEASURED] as const)
    return { statements: statements / MEASURED, bytes: after / MEASURED, rows: Object.fromEntries(touched.filter(([, n]) => n !== 0)) }
  }
}

it.each(['${input.list}', '${steps.list.output.was}'])(
  'one item of a map over %s ends at the same cost among 10,000 as among 100: statements, rows and bytes',
  async (over) => {
    const measured = async (items: number) => {
      await startMap(items, over)
      await perform(20) // what comes before the map, and its first items
      const cost = await meter(async () => void expect(await perform(MEASURED)).toBe(MEASURED))
      await h.pool.query('DELETE FROM pgboss.job') // the rest is not run
      return cost
    }
    const [small, large] = [await measured(100), await measured(ITEMS_MAX)]
    expect(large.statements).toBe(small.statements)
    expect(large.bytes, 'nothing that grows with the map is sent').toBeLessThan(small.bytes + DIGITS)
    for (const [table, rows] of Object.entries(large.rows)) expect(rows, `rows of ${table}`).toBeLessThan((small.rows[table] ?? 0) + CHOICE)
  },
)

it('a map comes to its end with each result at the place of its item; in long rounds one of all the items there may be', async () => {
  const items = effort(1) > 1 ? ITEMS_MAX : 200
  const runId = await startMap(items)
  expect(await perform(Infinity, testEngine(h, echo))).toBe(items + 1)
  const { rows } = await h.pool.query<{ status: string; output: string }>('SELECT status, output FROM workflow_runs WHERE id = $1', [runId])
  expect(rows[0]?.status).toBe('succeeded')
  const results = listOf(items).map((value, index) => ({ was: { value, index } }))
  expect(JSON.parse(rows[0]?.output ?? '')).toEqual({ results, failed: [] })
}, 600_000)
