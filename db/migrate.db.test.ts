import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { migrate } from './migrate'
import { AGENT_QUEUE, STEP_QUEUE, UPKEEP_QUEUE } from './queue'

const name = `empty_${randomUUID().replaceAll('-', '')}`
const urlOf = (database: string) => Object.assign(new URL(inject('templateUrl')), { pathname: `/${database}` }).href
const maintenance = new Client({ connectionString: inject('templateUrl') && urlOf('postgres') })
let client: Client

beforeAll(async () => {
  await maintenance.connect()
  await maintenance.query(`CREATE DATABASE ${name}`)
  client = new Client({ connectionString: urlOf(name) })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await maintenance.query(`DROP DATABASE ${name} WITH (FORCE)`)
  await maintenance.end()
})

it('brings up an empty database, whoever of three that start at the same moment comes first', async () => {
  await Promise.all([migrate(urlOf(name)), migrate(urlOf(name)), migrate(urlOf(name))])
  const { rows } = await client.query<{ tables: boolean; queues: string[] }>(
    `SELECT to_regclass('workflow_runs') IS NOT NULL AS tables, (SELECT array_agg(name ORDER BY name) FROM pgboss.queue) AS queues`,
  )
  expect(rows).toEqual([{ tables: true, queues: [AGENT_QUEUE, STEP_QUEUE, UPKEEP_QUEUE] }])
  await migrate(urlOf(name))
})

it('gives the table of jobs early statistics', async () => {
  const { rows } = await client.query<{ reloptions: string[] }>(
    `SELECT reloptions FROM pg_class WHERE oid = (SELECT ('pgboss.' || table_name)::regclass FROM pgboss.queue WHERE name = $1)`,
    [STEP_QUEUE],
  )
  expect(rows[0]?.reloptions).toContain('autovacuum_analyze_threshold=500')
})

it.each(['UPDATE audit_log SET action = $1', 'DELETE FROM audit_log WHERE action <> $1', 'TRUNCATE audit_log'])(
  'refuses to let the audit log be changed: %s',
  async (statement) => {
    const values = statement.includes('$1') ? ['x'] : []
    await client.query(`INSERT INTO audit_log (action, object_type, object_id, details) VALUES ('run.started', 'run', '1', '{}')`)
    await expect(client.query(statement, values)).rejects.toThrow('append-only')
  },
)
