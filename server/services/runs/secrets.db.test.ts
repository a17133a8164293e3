import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TEST_SEALER } from '@/server/engine/testing'
import { HIDDEN } from '@/spec'
import { openOffice, refusal, type Office } from '../testing/office'
import { publishWorkflow } from '../workflows/publish'
import { getRun } from './get'
import { listRuns } from './list'
import { startRun } from './start'

let office: Office
beforeAll(async () => {
  office = await openOffice()
  await publishWorkflow(await office.as('eli'), { team: 'finance', source: JSON.stringify(VAULT) })
})
afterAll(() => office.close())

const [TEXT, NESTED, LISTED] = ['canary-7f3a-text', 'canary-7f3a-nested', 'canary-7f3a-listed']
/** With such a memo the last call fails. */
const INPUT = { memo: 'fail visibly', key: TEXT, login: { user: 'u', password: NESTED }, codes: [{ code: LISTED }] }
const SHOWN = { memo: 'fail visibly', key: HIDDEN, login: { user: 'u', password: HIDDEN }, codes: [{ code: HIDDEN }] }
const secret = { type: 'string', secret: true }
const VAULT = {
  spec: 1,
  slug: 'vault',
  title: 'Vault',
  input: {
    memo: { type: 'string' },
    key: secret,
    login: { type: 'object', properties: { user: { type: 'string' }, password: secret } },
    codes: { type: 'array', items: { type: 'object', properties: { code: secret } } },
  },
  run_title: '${input.memo}',
  steps: [
    {
      id: 'a',
      uses: 'tool:x.a',
      after: [],
      with: { key: '${input.key}' },
      compensate: { uses: 'tool:x.undo', with: { key: '${input.login}' } },
    },
    { id: 'each', uses: 'map', after: ['a'], over: [1], do: { uses: 'tool:x.b', with: { key: '${input.codes.0.code}' } } },
    { id: 'c', uses: 'tool:x.c', after: ['each'], with: { key: '${input.login.password}', memo: '${input.memo}' } },
  ],
}

const vault = async (input: typeof INPUT = INPUT, idempotencyKey?: string) =>
  startRun(await office.as('eli'), { team: 'finance', slug: 'vault', input, idempotencyKey })

/** The tables of which a row holds this text in any column. */
async function tablesWith(text: string): Promise<string[]> {
  const { rows } = await office.pool.query<{ name: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  )
  const found: string[] = []
  const hex = Buffer.from(text).toString('hex')
  for (const { name } of rows) {
    const { rowCount } = await office.pool.query(`SELECT FROM ${name} AS t WHERE t::text LIKE $1 OR t::text LIKE $2 LIMIT 1`, [
      `%${text}%`,
      `%${hex}%`,
    ])
    if (rowCount !== 0) found.push(name)
  }
  return found
}

test('secrets reach the handlers, and no column of any table', async () => {
  const { id } = await vault()
  await office.work()
  const given = office.handled.slice(-4)
  expect(given).toEqual([{ key: TEXT }, { key: LISTED }, { key: NESTED, memo: 'fail visibly' }, { key: INPUT.login }])
  expect(await tablesWith('fail visibly'), 'the search finds what is there').toContain('public.workflow_runs')
  for (const canary of [TEXT, NESTED, LISTED]) expect(await tablesWith(canary)).toEqual([])
  const { rows } = await office.pool.query<{ secrets: string }>('SELECT secrets FROM workflow_runs WHERE id = $1', [id])
  expect(Object.keys(JSON.parse(rows[0]?.secrets ?? '{}') as object)).toEqual(['key', 'login', 'codes'])
})

test('the keys that are still needed are listed as the manual lists them', async () => {
  const manual = readFileSync('docs/how-to/operate.md', 'utf8')
  const query = /```sql\n(SELECT split_part[^`]+)```/.exec(manual)?.[1] ?? ''
  const { rows } = await office.pool.query<{ key_id: string }>(query)
  expect([...new Set(rows.map((row) => row.key_id))]).toEqual([TEST_SEALER.seal('', '').split('.')[1]])
})

test('no page tells them, not even to whoever gave them', async () => {
  const { id } = await vault()
  await office.work()
  const [eli, olga] = [await office.as('eli'), await office.as('olga')]
  const run = await getRun(eli, { team: 'finance', id })
  expect(run).toMatchObject({ view: 'data', status: 'parked', title: 'fail visibly', input: SHOWN })
  expect('input' in run && run.steps.map((step) => ('input' in step ? step.input : null))).toMatchObject([
    { key: HIDDEN },
    {},
    { key: HIDDEN },
  ])
  const pages = [run, await getRun(olga, { team: 'finance', id }), await listRuns(eli, { team: 'finance', limit: 20 })]
  expect(JSON.stringify(pages)).not.toMatch(/canary-7f3a|"1\.[\w-]{8}\./)
})

test('an idempotency key stands for one input, its secrets included', async () => {
  const first = await vault(INPUT, 'once')
  expect(await vault(INPUT, 'once')).toEqual(first)
  expect(await refusal(vault({ ...INPUT, key: 'canary-7f3a-other' }, 'once'))).toMatchObject({ code: 'conflict' })
  expect(await tablesWith('canary-7f3a')).toEqual([])
})

test('what is wrong with them is said without them', async () => {
  const refused = await refusal(vault({ ...INPUT, key: [TEXT] as unknown as string }))
  expect(refused).toMatchObject({ code: 'invalid_input', detail: { problems: [{ code: 'input_invalid', path: '/key' }] } })
  expect(JSON.stringify(refused)).not.toContain(TEXT)
})
