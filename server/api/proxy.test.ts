import { NextRequest } from 'next/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { proxy } from '@/proxy'

beforeAll(() => {
  vi.stubEnv('DATABASE_URL', 'postgres://127.0.0.1/nothing')
  vi.stubEnv('CLEW_SECRET', 'a secret of the tests, long enough to be one')
})
afterAll(() => vi.unstubAllEnvs())

const ask = (path: string) => proxy(new NextRequest(`http://127.0.0.1:3000${path}`))

describe('an address', () => {
  it.each(['/api/v1/t/%E0%A4%A/workflows/validate', '/t/%ZZ/runs', '/%'])(
    'that cannot be decoded is a malformed request: %s',
    async (path) => {
      const response = ask(path)
      expect([response.status, response.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
      expect(await response.json()).toMatchObject({ status: 400, code: 'invalid' })
      expect(response.headers.get('content-security-policy')).toContain("default-src 'self'")
    },
  )

  it.each(['/t/%E2%82%AC/runs', '/t/finance/runs?workflow=%E0%A4%A', '/t/%00/runs'])('that can be decoded goes on: %s', (path) => {
    const response = ask(path)
    expect([response.status, response.headers.get('x-middleware-next')]).toEqual([200, '1'])
    expect(response.headers.get('x-middleware-request-x-clew-path')).toBe(path)
  })
})
