import { NextRequest } from 'next/server'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { proxy } from '@/proxy'
import { handleAuth } from './auth'

const database = vi.hoisted(() => ({ query: () => Promise.resolve() as Promise<void> }))
vi.mock('@/server/container/web', () => ({
  container: () => ({ pool: { query: () => database.query() }, db: {}, log: { error: () => {} } }),
  isAway: () => false,
}))

let clock = 0
beforeAll(() => {
  vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1/nothing')
  vi.stubEnv('CLEW_SECRET', 'a secret of the tests, long enough to be one')
  vi.stubEnv('CLEW_PUBLIC_URL', 'http://127.0.0.1:3000')
  vi.spyOn(performance, 'now').mockImplementation(() => clock)
})
beforeEach(() => {
  database.query = () => Promise.resolve()
  clock += 5_000
})
afterAll(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const ask = (path: string, cookie = '') => proxy(new NextRequest(`http://127.0.0.1:3000${path}`, { headers: { cookie } }))

describe('an address', () => {
  it.each(['/api/v1/t/%E0%A4%A/workflows/validate', '/t/%ZZ/runs', '/%'])(
    'that cannot be decoded is a malformed request: %s',
    async (path) => {
      const response = await ask(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
      expect(await response.json()).toMatchObject({ status: 400, code: 'invalid' })
      expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    },
  )

  it.each(['/t/%E2%82%AC/runs', '/t/finance/runs?workflow=%E0%A4%A', '/t/%00/runs'])('that can be decoded goes on: %s', async (path) => {
    const response = await ask(path)
    expect([response.status, response.headers.get('x-middleware-next')]).toEqual([200, '1'])
    expect(response.headers.get('x-middleware-request-x-clew-path')).toBe(path)
  })
})

describe('while the database does not answer', () => {
  beforeEach(() => {
    database.query = () => Promise.reject(new Error('connect ECONNREFUSED canary'))
  })

  it('a page is a 503 that comes back by itself, runs only its own script, keeps the theme, and touches no cookie', async () => {
    const response = await ask('/t/finance/runs', 'clew-theme=dark; next-auth.session-token=x')
    expect([response.status, response.headers.get('retry-after'), response.headers.get('cache-control')]).toEqual([503, '2', 'no-store'])
    expect(response.headers.get('set-cookie')).toBeNull()
    const html = await response.text()
    const nonce = /'nonce-([^']+)'/.exec(response.headers.get('content-security-policy') ?? '')?.[1]
    expect(html).toContain(`<script nonce="${nonce}">`)
    expect(html).toContain('data-theme="dark"')
    expect(html).toContain('The database does not answer')
    expect(html).not.toContain('canary')
  })

  it('is there again as soon as it answers: nothing older than a second counts', async () => {
    expect((await ask('/')).status).toBe(503)
    database.query = () => Promise.resolve()
    clock += 1_001
    expect((await ask('/')).status).toBe(200)
  })

  it('the API and files go on to whoever answers for them', async () => {
    for (const path of ['/api/health', '/api/trpc/me.get', '/api/v1/whoami', '/schemas/workflow-1.json'])
      expect((await ask(path)).headers.get('x-middleware-next'), path).toBe('1')
  })

  it('signing in and out is a 503 that the page can read, and nothing is set', async () => {
    const request = new NextRequest('http://127.0.0.1:3000/api/auth/callback/credentials', {
      method: 'POST',
      headers: { host: '127.0.0.1:3000' },
    })
    const response = await handleAuth(request, { params: Promise.resolve({ nextauth: ['callback', 'credentials'] }) })
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('retry-after'),
      response.headers.get('set-cookie'),
    ]).toEqual([503, 'application/problem+json', '5', null])
    expect(await response.json()).toMatchObject({
      code: 'unavailable',
      url: expect.stringContaining('/signin?error=Unavailable') as string,
    })
  })
})
