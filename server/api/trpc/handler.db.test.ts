import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { deriveKey } from '../../auth/keys'
import { openWorld, type World } from '../../auth/testing/world'
import { container } from '../../container/web'
import { insertSession } from '../../store/postgres/sessions'
import { handleTrpc } from './handler'

const SECRET = 'a secret of the tests, long enough to be one'
const HOST = '127.0.0.1:3000'
let world: World
let cookie: string

beforeAll(async () => {
  world = await openWorld()
  vi.stubEnv('DATABASE_URL', world.url)
  vi.stubEnv('CLEW_SECRET', SECRET)
  vi.stubEnv('LOG_LEVEL', 'silent')
  const sid = crypto.randomUUID()
  await insertSession(world.db, { id: sid, userId: world.ids.tom, days: 1 })
  cookie = `next-auth.session-token=${await encode({ token: { sub: world.ids.tom, sid }, secret: deriveKey(SECRET, 'session') })}`
})
afterAll(async () => {
  await container().pool.end()
  await world.close()
})

async function ask(path: string, init: RequestInit, headers: Record<string, string> = { cookie }) {
  const response = await handleTrpc(new Request(`http://${HOST}/api/trpc/${path}`, { ...init, headers: { host: HOST, ...headers } }))
  return { status: response.status, cache: response.headers.get('cache-control'), text: await response.text() }
}
const query = (path: string, input: unknown, headers?: Record<string, string>) =>
  ask(input === undefined ? path : `${path}?input=${encodeURIComponent(JSON.stringify(input))}`, {}, headers)
const mutate = (path: string, input: unknown, headers: Record<string, string> = {}) =>
  ask(path, { method: 'POST', body: JSON.stringify(input) }, { cookie, 'content-type': 'application/json', ...headers })
const errorOf = (text: string) => (JSON.parse(text) as { error: { message: string; data: object } }).error

describe('the API of the pages', () => {
  it('answers whoever the session cookie speaks for, for nobody else to keep', async () => {
    const { status, cache, text } = await query('me.get', undefined)
    expect([status, cache]).toEqual([200, 'no-store'])
    expect(text).toContain('tom@example.com')
    const nobody = await query('me.get', undefined, {})
    expect([nobody.status, errorOf(nobody.text)]).toMatchObject([401, { data: { clew: { code: 'unauthenticated' } } }])
  })

  it('refuses in a stream as in every other call', async () => {
    const id = crypto.randomUUID()
    const [theirs, nowhere] = await Promise.all(
      ['studio', 'nowhere'].map((team) => query('runs.watch', { team, id }, { cookie, accept: 'text/event-stream' })),
    )
    if (!theirs || !nowhere) throw new Error('no answer')
    expect(theirs.text).toContain('NOT_FOUND')
    expect(theirs.text).not.toContain('INTERNAL')
    expect(theirs.text).toEqual(nowhere.text)
  })

  it('does not know API keys: those speak on REST only', async () => {
    expect(await query('me.get', undefined, { authorization: `Bearer clew_${'a'.repeat(43)}` })).toMatchObject({ status: 401 })
  })

  it('tells refusals by code, malformed requests by place, and never a stack', async () => {
    const missing = await query('workflows.get', { team: 'nowhere', slug: 'x' })
    expect([missing.status, errorOf(missing.text)]).toMatchObject([404, { data: { clew: { code: 'not_found' } } }])
    const malformed = await mutate('me.update', { timeZone: 'Mars/Olympus' })
    expect([malformed.status, errorOf(malformed.text)]).toMatchObject([
      400,
      { data: { clew: { code: 'invalid', problems: [{ path: '/timeZone' }] } } },
    ])
    for (const { text } of [missing, malformed]) expect(text).not.toMatch(/stack|\.ts/)
  })

  it.each(['\u0000', 'fin\u0000ance', '\ud800', 'x'.repeat(65)])('finds nothing in an address that could not exist (%j)', async (odd) => {
    const missing: [string, object][] = [
      ['workflows.list', { team: odd }],
      ['workflows.get', { team: 'finance', slug: odd }],
      ['runs.get', { team: 'finance', id: odd }],
      ['approvals.get', { gate: odd }],
    ]
    for (const [path, input] of missing) expect((await query(path, input)).status, path).toBe(404)
    expect((await mutate('runs.start', { team: 'finance', slug: odd, input: {} })).status).toBe(404)
    const { status, text } = await query('runs.list', { team: 'finance', slug: odd })
    expect([status, JSON.parse(text)]).toMatchObject([200, { result: { data: { rows: [] } } }])
  })

  it.each(['a\u0000b', 'a\ud800b'])('refuses %j where a person writes text, by place', async (odd) => {
    const gate = crypto.randomUUID()
    const asked: [string, object, string][] = [
      ['me.update', { name: odd }, '/name'],
      ['me.update', { locale: odd }, '/locale'],
      ['me.update', { timeZone: odd }, '/timeZone'],
      ['keys.create', { team: 'finance', name: odd, scopes: ['draft'] }, '/name'],
      ['approvals.decide', { gate, decision: 'approve', comment: odd }, '/comment'],
      ['runs.start', { team: 'finance', slug: 'x', input: {}, idempotencyKey: odd }, '/idempotencyKey'],
      ['setup.complete', { token: odd }, '/token'],
    ]
    for (const [path, input, place] of asked) {
      const { status, text } = await mutate(path, input)
      expect([status, errorOf(text)], path).toMatchObject([400, { data: { clew: { code: 'invalid' } } }])
      expect(text).toContain(`"path":"${place}"`)
    }
  })

  it('carries data whatever its keys are called', async () => {
    const spec = JSON.stringify({
      spec: 1,
      slug: 'odd',
      title: 'Odd',
      input: { constructor: { type: 'string' }, prototype: { type: 'object' } },
      steps: [{ id: 'a', uses: 'wait', after: [], seconds: 60 }],
    })
    await world.pool.query(
      `INSERT INTO workflow_defs (id, team_id, slug, version, source, spec, hash)
       SELECT $1, id, 'odd', 1, 'db', $2::json, 'h' FROM teams WHERE slug = 'finance'`,
      [crypto.randomUUID(), spec],
    )
    expect(await query('workflows.get', { team: 'finance', slug: 'odd' })).toMatchObject({ status: 200 })
    const data = '{"constructor":"canary","prototype":{"__proto__":{"toJSON":1},"constructor":null}}'
    const body = `{"team":"finance","slug":"odd","input":${data}}`
    const started = await ask('runs.start', { method: 'POST', body }, { cookie, 'content-type': 'application/json' })
    expect(started).toMatchObject({ status: 200 })
    const { id } = (JSON.parse(started.text) as { result: { data: { id: string } } }).result.data
    await world.pool.query('UPDATE workflow_runs SET output = $2::json WHERE id = $1', [id, data])
    const run = await query('runs.get', { team: 'finance', id })
    expect(run).toMatchObject({ status: 200 })
    expect(run.text).toContain(`"output":${data}`)
    expect(run.text).toContain(`"input":${data}`)
  })

  it('says nothing of a surprise but that it happened', async () => {
    await world.pool.query('alter table workflow_defs rename to gone')
    const { status, text } = await query('workflows.list', { team: 'finance' })
    await world.pool.query('alter table gone rename to workflow_defs')
    expect([status, errorOf(text)]).toMatchObject([500, { data: { clew: { code: 'internal' } } }])
    expect(text).not.toMatch(/workflow_defs|insert|select/i)
  })

  it('refuses what another site sends, and what is too large', async () => {
    expect(await mutate('me.update', { name: 'Hacked' }, { origin: 'https://evil.example' })).toMatchObject({ status: 403 })
    expect(await mutate('me.update', { name: 'x'.repeat(1024 * 1024) })).toMatchObject({ status: 413 })
    expect((await query('me.get', undefined)).text).not.toContain('Hacked')
    expect(await mutate('me.update', { name: 'Tommy' }, { origin: `http://${HOST}` })).toMatchObject({ status: 200 })
  })
})
