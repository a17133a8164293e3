import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { encode } from 'next-auth/jwt'
import { mintApiKey } from '../auth/api-keys'
import type { Scope } from '../auth/principal'
import { openWorld, type PersonName, type World } from '../auth/testing/world'
import { container } from '../container/web'
import { handleRest, openApiDocument } from './rest'
import { handleTrpc } from './trpc/handler'
import { deriveKey } from '../auth/keys'
import { principalOfCookie } from '../auth/session'
import { insertSession } from '../store/postgres/sessions'
import { insertApiKey } from '../store/postgres/api-keys'

const SECRET = 'a secret of the tests, long enough to be one'
let world: World

beforeAll(async () => {
  world = await openWorld()
  vi.stubEnv('DATABASE_URL', world.url)
  vi.stubEnv('CLEW_SECRET', SECRET)
  vi.stubEnv('LOG_LEVEL', 'silent')
})
afterAll(async () => {
  await container().pool.end()
  await world.close()
})

async function keyOf(name: PersonName, team: 'finance' | 'logistics' | 'studio', scopes: Scope[] = ['draft', 'publish']): Promise<string> {
  const { key, prefix, hash } = mintApiKey()
  await insertApiKey(world.db, {
    id: crypto.randomUUID(),
    userId: world.ids[name],
    teamId: world.teamIds[team],
    name: 'test',
    prefix,
    hash,
    scopes,
    days: 1,
  })
  return key
}

const HOST = '127.0.0.1:3000'
async function post(path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await handleRest(
    new Request(`http://${HOST}/api/v1${path}`, { method: 'POST', body, headers: { host: HOST, ...headers } }),
  )
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}
const bearer = async (...of: Parameters<typeof keyOf>) => ({ authorization: `Bearer ${await keyOf(...of)}` })

const SPEC = `{ "spec": 1, "slug": "greet", "title": "Greet", "steps": [ { "id": "say", "uses": "tool:text.render", "after": [] } ] }`
const BAD = `{
  "spec": 2,
  "slug": "greet",
  "title": "One", "title": "Two",
  "colour": "red",
  "steps": [
    { "id": "a", "uses": "tool:x", "after": ["b"] },
    { "id": "b", "uses": "tool:x", "after": ["a"] }
  ]
}`
const stored = async () => Number((await world.pool.query('select count(*) from workflow_defs')).rows[0].count)

const ask = (path: string, method = 'GET') => handleRest(new Request(`http://${HOST}/api/v1${path}`, { method, headers: { host: HOST } }))

it('says of an address that is there with which methods, whoever asks', async () => {
  for (const path of ['/t/finance/workflows', '/t/nowhere/workflows/validate', '/t/finance/runs/made-up/outcome']) {
    const answer = await ask(path)
    expect([answer.status, answer.headers.get('allow'), answer.headers.get('content-type')], path).toEqual([
      405,
      'POST',
      'application/problem+json',
    ])
  }
  const redrive = await ask('/t/finance/runs/made-up/redrive', 'DELETE')
  expect(redrive.status).toBe(405)
  expect(redrive.headers.get('allow')?.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'POST'])
  expect((await ask('/t/finance/made-up')).status).not.toBe(405)
})

it('answers 503 with Retry-After while the database is away, and 401 or 200 when it is back', async () => {
  const headers = await bearer('tom', 'finance')
  const sid = crypto.randomUUID()
  await insertSession(world.db, { id: sid, userId: world.ids.tom, days: 1 })
  const cookie = `next-auth.session-token=${await encode({ token: { sub: world.ids.tom, sid }, secret: deriveKey(SECRET, 'session') })}`
  const name = new URL(world.url).pathname.slice(1)
  const administrator = new Client({ connectionString: inject('superuserUrl') })
  await administrator.connect()
  try {
    await administrator.query(`ALTER DATABASE ${name} CONNECTION LIMIT 0`)
    await administrator.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [name])
    const away = await post('/t/finance/workflows/validate', SPEC, headers)
    expect(away.status).toBe(503)
    expect(away.type).toBe('application/problem+json')
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(away.body).toMatchObject({ status: 503, code: 'unavailable' })
    const page = await handleTrpc(new Request(`http://${HOST}/api/trpc/me.get`, { headers: { host: HOST, cookie } }))
    expect(page.status).toBe(503)
    expect(JSON.stringify(await page.json())).toContain('unavailable')
  } finally {
    await administrator.query(`ALTER DATABASE ${name} CONNECTION LIMIT -1`)
    await administrator.end()
  }
  expect((await post('/t/finance/workflows/validate', SPEC, headers)).status).toBe(200)
})

describe('a run over the API', () => {
  const run = `/t/finance/runs/${crypto.randomUUID()}`

  it('is steered with the scope that the settings offer for it, and with no other', async () => {
    const [steers, publishes] = [await bearer('eli', 'finance', ['control']), await bearer('eli', 'finance', ['publish', 'draft'])]
    for (const [path, body] of [
      [`${run}/redrive`, '{"answers":{}}'],
      [`${run}/outcome`, '{"step":"a","happened":false}'],
    ] as const) {
      expect(await post(path, body, steers), path).toMatchObject({ status: 404, body: { code: 'not_found' } })
      expect(await post(path, body, publishes), path).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    }
  })
})

describe('POST /api/v1/t/{team}/workflows', () => {
  it('publishes the document as it was sent, once', async () => {
    const key = await bearer('eli', 'finance')
    expect(await post('/t/finance/workflows', SPEC, key)).toMatchObject({ status: 200, body: { slug: 'greet', version: 1, created: true } })
    expect(await post('/t/finance/workflows', SPEC.replaceAll(' ', '\n'), key)).toMatchObject({
      status: 200,
      body: { version: 1, created: false },
    })
    expect(await post('/t/finance/workflows', SPEC.replace('"Greet"', '"Greet!"'), key)).toMatchObject({
      body: { version: 2, created: true },
    })
    expect(await post('/t/finance/workflows', SPEC, key)).toMatchObject({ body: { version: 3, created: true } })
  })

  it('answers a bad document with 422 and every problem with its place, and stores nothing', async () => {
    const before = await stored()
    const { status, type, body } = await post('/t/finance/workflows', BAD, await bearer('eli', 'finance'))
    expect([status, type, body.code, body.status]).toEqual([422, 'application/problem+json', 'invalid_spec', 422])
    expect(body.problems).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          code: 'duplicate_key',
          path: '/title',
          line: 4,
          message: expect.any(String),
          column: expect.any(Number),
        }),
      ]),
    )
    expect(await stored()).toBe(before)
  })

  it('makes one version of two publications of the same at the same time', async () => {
    const key = await bearer('sam', 'studio')
    const both = await Promise.all([1, 2, 3].map(() => post('/t/studio/workflows', SPEC, key)))
    expect(both.map(({ body }) => body.version)).toEqual([1, 1, 1])
    expect(both.filter(({ body }) => body.created)).toHaveLength(1)
  })

  it('gives the same "not found" for a team that is not there and one that is not the key\'s', async () => {
    const [missing, ...others] = await Promise.all([
      post('/t/nowhere/workflows', SPEC, await bearer('eli', 'finance')),
      post('/t/studio/workflows', SPEC, await bearer('eli', 'finance')),
      post('/t/finance/workflows', SPEC, await bearer('lena', 'logistics')),
      post('/t/finance/workflows', SPEC, await bearer('sam', 'studio')),
      post('/t/finance/workflows/validate', BAD, await bearer('sam', 'studio')),
      post('/t/finance/workflows', SPEC, await bearer('rita', 'finance')),
    ])
    expect(missing).toMatchObject({ status: 404, body: { code: 'not_found' } })
    for (const other of others) expect(other.body).toEqual(missing?.body)
  })

  it('refuses a key without the scope, and an owner without the right', async () => {
    expect(await post('/t/finance/workflows', SPEC, await bearer('eli', 'finance', ['draft']))).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    expect(await post('/t/finance/workflows', SPEC, await bearer('tom', 'finance'))).toMatchObject({ status: 403 })
    const refused = await world.pool.query("select details from audit_log where action = 'access.refused' and actor_id = $1", [
      world.ids.tom,
    ])
    expect(JSON.parse(refused.rows[0].details)).toEqual({ action: 'workflow.publish' })
  })

  it('knows nobody without a key, whatever the cookies say', async () => {
    const sid = crypto.randomUUID()
    await insertSession(world.db, { id: sid, userId: world.ids.eli, days: 1 })
    const token = await encode({ token: { sub: world.ids.eli, sid }, secret: deriveKey(SECRET, 'session') })
    const cookie = `next-auth.session-token=${token}`
    expect(await principalOfCookie(world.db, cookie)).not.toBeNull()
    const without: Record<string, string>[] = [{}, { authorization: 'Bearer clew_x' }, { cookie }]
    for (const headers of without) {
      const { status, headers: answered } = await post('/t/finance/workflows', SPEC, headers)
      expect([status, answered.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
  })

  it('refuses other sites, foreign names, large bodies, what is not UTF-8, and paths that are not there', async () => {
    const key = await bearer('eli', 'finance')
    expect(await post('/t/finance/workflows', SPEC, { ...key, origin: 'https://evil.example' })).toMatchObject({ status: 403 })
    expect(await post('/t/finance/workflows', SPEC, { ...key, host: 'evil.example' })).toMatchObject({ status: 403 })
    const large = ' '.repeat(1024 * 1024 + 1)
    expect(await post('/t/finance/workflows/greet/runs', large, key)).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect(await post('/t/finance/workflows', large)).toMatchObject({ status: 413, body: { code: 'too_large' } })
    expect(await post('/t/finance/workflows', new Uint8Array([0x7b, 0xff]), key)).toMatchObject({ status: 400, body: { code: 'invalid' } })
    expect(await post('/nothing/here', '{}', key)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    for (const team of ['%E0%A4%A', '%', '%00', '%ED%A0%80']) {
      const { status, type, body } = await post(`/t/${team}/workflows/validate`, SPEC, key)
      expect([status, type, body.code], team).toEqual([404, 'application/problem+json', 'not_found'])
    }
  })
})

describe('POST /api/v1/t/{team}/workflows/validate', () => {
  it('answers a good document with its canonical text and hash', async () => {
    const { status, body } = await post('/t/finance/workflows/validate', SPEC, await bearer('tom', 'finance'))
    expect([status, body.valid]).toEqual([200, true])
    expect(JSON.parse(String(body.canonical))).toEqual(JSON.parse(SPEC))
  })

  it.each([
    ['an unknown field', SPEC.replace('"title"', '"colour": 1, "title"'), 'unknown_field', '/colour'],
    ['another version of the format', SPEC.replace('1', '2'), 'unsupported_spec', '/spec'],
    ['a cycle', SPEC.replace('[]', '["say"]'), 'cycle', '/steps/0/after/0'],
    [
      'a reference to a step that does not come before',
      SPEC.replace('"after"', '"with": { "a": "${steps.other.output}" }, "after"'),
      'unknown_step',
      '/steps/0/with/a',
    ],
    ['no document at all', '', 'syntax_error', ''],
    ['a document of more than 256 KiB', SPEC.replace('Greet', 'G'.repeat(256 * 1024)), 'document_too_large', ''],
    [
      'a text of more than 1 MiB, with its own problem',
      SPEC.replace('"title"', `"colour": "${'é'.repeat(2 ** 20)}", "title"`),
      'unknown_field',
      '/colour',
    ],
    ['a text that is too long to be read', `${SPEC}${' '.repeat(9 * 2 ** 20)}`, 'document_too_large', ''],
  ])('refuses %s with 422', async (_, source, code, path) => {
    const before = await stored()
    const { status, type, body } = await post('/t/finance/workflows/validate', source, await bearer('tom', 'finance'))
    expect([status, type]).toEqual([422, 'application/problem+json'])
    expect(body.problems).toEqual(expect.arrayContaining([expect.objectContaining({ code, path })]))
    expect(await stored()).toBe(before)
  })
})

it('GET /api/openapi.json describes every address, with the document as the body and problems as the errors', async () => {
  const api = (await openApiDocument().json()) as {
    openapi: string
    paths: Record<string, { post: { requestBody: object; security: object[]; responses: object } }>
  }
  expect(api.openapi).toMatch(/^3\.1/)
  expect(Object.keys(api.paths).toSorted()).toEqual([
    '/t/{team}/runs/{id}/outcome',
    '/t/{team}/runs/{id}/redrive',
    '/t/{team}/workflows',
    '/t/{team}/workflows/validate',
  ])
  const { post } = api.paths['/t/{team}/workflows'] ?? {}
  expect(JSON.stringify(post?.requestBody)).not.toContain('source')
  expect(post?.security).toEqual([{ apiKey: [] }])
  expect(Object.keys(post?.responses ?? {})).toEqual(['200', 'default'])
})
