import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifyPassword } from '@/server/auth/passwords'
import { manifest, pluginsFolder, toolsSource } from '@/server/plugins/testing/folder'
import { prepare } from './prepare'
import { testDatabase, type TestDatabase } from './testing/database'

const secret = 'a secret of the tests, long enough to be one'

describe('preparing an empty database', () => {
  let database: TestDatabase
  let client: Client
  beforeAll(async () => {
    database = await testDatabase()
    client = new Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.drop()
  })
  const count = async (table: string) => Number((await client.query(`select count(*) from ${table}`)).rows[0].count)

  it('of an external server gives a set-up link, the same each time, and nobody who could sign in', async () => {
    const first = await prepare({ databaseUrl: database.url, demo: false, secret })
    expect(first).toMatchObject({ demoAccounts: [], demoPresent: false, setupToken: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await prepare({ databaseUrl: database.url, demo: false, secret })).setupToken).toBe(first.setupToken)
    expect(await count('users')).toBe(0)
  })

  it('for the demo makes its people, whose passwords work and are told once', async () => {
    const first = await prepare({ databaseUrl: database.url, demo: true, secret })
    expect(first).toMatchObject({ setupToken: null, demoPresent: true })
    const { rows } = await client.query<{ email: string; password_hash: string }>('select email, password_hash from users')
    expect(first.demoAccounts.map(({ email }) => email).toSorted()).toEqual(rows.map(({ email }) => email).toSorted())
    const mia = first.demoAccounts.find(({ name }) => name === 'Mia Manager')
    expect(mia?.password).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/)
    expect(await verifyPassword(mia?.password ?? '', rows.find(({ email }) => email === mia?.email)?.password_hash ?? null)).toBe(true)
    expect(new Set(first.demoAccounts.map(({ password }) => password)).size).toBe(7)

    const again = await prepare({ databaseUrl: database.url, demo: true, secret })
    expect(again.demoAccounts).toEqual(first.demoAccounts.map(({ email, name, role }) => ({ email, name, role, password: null })))
    expect(await count('users')).toBe(7)
  })

  it('never adds the set-up link where there are people, and tells that some of them are the demo', async () => {
    expect(await prepare({ databaseUrl: database.url, demo: false, secret })).toMatchObject({ setupToken: null, demoPresent: true })
  })

  it('knows the plugins and their workflows before the first worker runs', async () => {
    const { rows } = await client.query('select slug from plugin_workflows order by slug')
    expect(rows.map(({ slug }) => slug)).toContain('expense-approval')
  })

  const withPlugin = async (source: string, pluginsLimitMs?: number) => {
    const folder = await pluginsFolder({
      'bad/plugin.json': manifest('bad'),
      'bad/index.ts': source,
      'good/plugin.json': manifest('good'),
      'good/index.ts': toolsSource('good.tool'),
    })
    try {
      await client.query('delete from plugins')
      return (await prepare({ databaseUrl: database.url, demo: false, secret, pluginsDir: folder.dir, pluginsLimitMs })).pluginsListed
    } finally {
      await folder.remove()
    }
  }

  it.each([
    ['rejects a promise', `void Promise.reject(new Error('nobody looks'))`],
    ['throws later', `setTimeout(() => { throw new Error('nobody looks') }, 0)`],
    ['leaves a timer', `setInterval(() => {}, 1_000)`],
    ['prints more than a pipe holds', `for (let i = 0; i < 5_000; i++) console.log('x'.repeat(100))`],
  ])('lists plugins although one of them %s', async (_what, source) => {
    expect(await withPlugin(`${source}\nexport const tools = []`)).toBe(true)
    expect((await client.query('select id from plugins order by id')).rows).toEqual([{ id: 'bad' }, { id: 'good' }])
  })

  it('leaves plugins that were listed before to the worker, however long they would take', async () => {
    const folder = await pluginsFolder({ 'slow/plugin.json': manifest('slow'), 'slow/index.ts': 'while (true);' })
    try {
      const prepared = await prepare({ databaseUrl: database.url, demo: false, secret, pluginsDir: folder.dir, pluginsLimitMs: 1_000_000 })
      expect(prepared.pluginsListed).toBe(true)
    } finally {
      await folder.remove()
    }
  })

  it.each([
    ['ends its process as if all were well', `process.exit(0)`, undefined],
    ['never comes to an end', `while (true);`, 4_000],
  ])('goes on, and tells, when a plugin %s', async (_what, source, limit) => {
    expect(await withPlugin(source, limit)).toBe(false)
  })
})
