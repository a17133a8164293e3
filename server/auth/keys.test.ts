import { beforeAll, describe, expect, it, vi } from 'vitest'
import { safeCallbackUrl } from './callback-url'
import { deriveKey } from './keys'
import { checkOrigin } from './origin'
import { hashPassword, verifyPassword } from './passwords'

const CHEAP = { N: 2 ** 10, r: 8, p: 1 }

describe('subkeys', () => {
  it('differ by purpose and secret, and are the same each time', () => {
    const keys = [deriveKey('a', 'session'), deriveKey('a', 'setup'), deriveKey('b', 'session')]
    expect(new Set(keys).size).toBe(3)
    expect(deriveKey('a', 'session')).toBe(keys[0])
    expect(Buffer.from(keys[0] ?? '', 'base64url')).toHaveLength(32)
  })
})

describe('passwords', () => {
  it('verify only what was hashed, however it was typed in Unicode', async () => {
    const stored = await hashPassword('caf\u00e9 au lait', CHEAP)
    expect(stored).not.toContain('au lait')
    expect(await verifyPassword('cafe\u0301 au lait', stored)).toBe(true)
    expect(await verifyPassword('cafe au lait', stored)).toBe(false)
    expect(await hashPassword('caf\u00e9 au lait', CHEAP)).not.toBe(stored)
  })

  it('never fit an account without one', async () => {
    expect(await verifyPassword('', null)).toBe(false)
  })
})

describe('the address to go back to', () => {
  it.each([
    ['/t/finance/runs?status=parked#top', '/t/finance/runs?status=parked#top'],
    ['http://127.0.0.1:3000/approvals', '/approvals'],
    ['https://evil.example/x', '/'],
    ['//evil.example/x', '/'],
    ['/\\evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['http://[', '/'],
    ['/.//evil.example', '/'],
    ['/x/..//evil.example', '/'],
    ['/.\\/evil.example', '/'],
    ['/./\\evil.example', '/'],
    ['/%2e//evil.example', '/'],
    ['http://127.0.0.1:3000//evil.example', '/'],
    [undefined, '/'],
  ])('%s becomes %s', (asked, path) => {
    expect(safeCallbackUrl(asked, 'http://127.0.0.1:3000')).toBe(path)
  })
})

const check = (headers: { host: string; origin?: string | undefined }) => () =>
  checkOrigin(new Request('http://ignored/', { headers: new Headers(Object.entries(headers).filter(([, value]) => value)) }))

describe('where a request comes from', () => {
  beforeAll(() => {
    vi.stubEnv('DATABASE_URL', 'postgres://clew:pw@127.0.0.1:5432/clew')
    vi.stubEnv('CLEW_SECRET', 's'.repeat(32))
    vi.stubEnv('CLEW_PUBLIC_URL', 'https://clew.example.com')
    vi.stubEnv('PORT', '3000')
  })

  it.each([
    { host: 'clew.example.com' },
    { host: 'clew.example.com', origin: 'https://clew.example.com' },
    { host: '127.0.0.1:3000' },
    { host: 'localhost:3000', origin: 'http://localhost:3000' },
  ])('our own pages, and programs: %o', (headers) => {
    expect(check(headers)).not.toThrow()
  })

  it.each([
    { host: 'clew.example.com', origin: 'https://evil.example' },
    { host: 'clew.example.com', origin: 'http://clew.example.com.evil.example' },
    { host: 'clew.example.com', origin: 'null' },
    { host: 'clew.example.com', origin: 'http://clew.example.com:8080' },
    { host: '127.0.0.1:3000', origin: 'http://127.0.0.1:4000' },
    { host: 'rebound.example:3000' },
    { host: 'rebound.example:3000', origin: 'http://rebound.example:3000' },
  ])('refuses %o', (headers) => {
    expect(check(headers)).toThrow(expect.objectContaining({ code: 'forbidden' }))
  })
})
