import { encode } from 'next-auth/jwt'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { apiKeys, auditLog, rateLimits, setupTokens, toolPolicies } from '@/db/schema'
import { env } from '../env'
import { completeFirstSetup } from '../services/setup/complete'
import { insertApiKey, revokeApiKey } from '../store/postgres/api-keys'
import { createAccess } from './access'
import { mintApiKey, principalOfKey } from './api-keys'
import { listDemo } from './demo'
import { deriveKey } from './keys'
import { hashPassword } from './passwords'
import { limitTries } from './rate-limit'
import { authOptions, principalOfCookie } from './session'
import { isSetupOpen, openSetup } from './setup'
import { signInAsDemo, signInWithPassword } from './sign-in'
import { openWorld, type World } from './testing/world'

const SECRET = 'a secret of the tests, long enough to be one'
let world: World

beforeAll(async () => {
  world = await openWorld()
  vi.stubEnv('DATABASE_URL', world.url)
  vi.stubEnv('CLEW_SECRET', SECRET)
  const hash = await hashPassword('correct horse', { N: 2 ** 10, r: 8, p: 1 })
  await world.pool.query('update users set password_hash = $1 where id = $2', [hash, world.ids.tom])
})
afterAll(() => world.close())

/** Signs Tom in as next-auth does after `authorize`, and gives the cookie his browser would hold. */
async function signInTom() {
  const { callbacks } = authOptions(world.db)
  const user = { id: world.ids.tom }
  const token = await callbacks?.jwt?.({ token: { sub: user.id, name: 'Tom', email: 'tom@example.com' }, user, account: null } as never)
  if (!token) throw new Error('no token')
  const cookie = `theme=dark; next-auth.session-token=${await encode({ token, secret: deriveKey(SECRET, 'session') })}`
  return { token, cookie }
}

const sealed = async (claims: Parameters<typeof encode>[0]['token'], secret: string) =>
  `next-auth.session-token=${await encode({ token: claims, secret })}`

/** Uses up every counter that there is, for this minute and, as the test may cross into it, the next. */
const exhaust = () =>
  world.pool
    .query(`insert into rate_limits select distinct key, date_trunc('minute', now()) + make_interval(mins => m), 10 from rate_limits, generate_series(0, 1) m
    on conflict (key, window_start) do update set count = 10`)

describe('signing in', () => {
  it('takes the right password, for the address in any case', async () => {
    expect(await signInWithPassword(world.db, ' TOM@Example.com ', 'correct horse')).toEqual({ id: world.ids.tom })
  })

  it('refuses a wrong password, an unknown address and an account without a password alike, and notes it without the address', async () => {
    for (const [email, password] of [
      ['tom@example.com', 'wrong'],
      ['nobody@example.com', 'wrong'],
      ['mia@example.com', ''],
    ] as const) {
      expect(await signInWithPassword(world.db, email, password)).toBeNull()
    }
    const noted = (await world.db.select().from(auditLog)).filter((row) => row.action === 'session.refused')
    expect(noted.map((row) => row.objectId).toSorted()).toEqual([world.ids.mia, world.ids.tom, 'unknown'].toSorted())
    expect(JSON.stringify(noted)).not.toContain('nobody@')
  })

  it('slows down whoever tries too often, for that address only, and the next minute is a new one', async () => {
    const tries = () => limitTries(world.db, 'sign-in', 'Guess@example.com ')
    await tries()
    await exhaust()
    await expect(tries()).rejects.toMatchObject({ code: 'rate_limited', detail: { retryAfterSeconds: expect.any(Number) } })
    await limitTries(world.db, 'sign-in', 'somebody-else@example.com')
    expect(JSON.stringify(await world.db.select().from(rateLimits))).not.toContain('example.com')
    await world.pool.query("update rate_limits set window_start = window_start - interval '2 minutes'")
    await tries()
  })

  it('tells the sign-in page of too many tries by a code, even with the right password', async () => {
    await limitTries(world.db, 'sign-in', 'tom@example.com')
    await exhaust()
    await expect(signInWithPassword(world.db, 'tom@example.com', 'correct horse')).rejects.toThrow(/^RateLimited$/)
    await world.pool.query('delete from rate_limits')
  })

  it('takes an address that PostgreSQL could not hold for one that nobody has', async () => {
    expect(await signInWithPassword(world.db, 'tom\u0000@example.com', 'correct horse')).toBeNull()
  })

  it.each(['/.//evil.example', '/x/..//evil.example', '/.\\/evil.example', 'http://127.0.0.1:3000//evil.example', 'https://evil.example'])(
    'leads to no other site when asked to go on to %s',
    async (url) => {
      const { CLEW_PUBLIC_URL } = env()
      const asked = url.replace('http://127.0.0.1:3000', CLEW_PUBLIC_URL)
      const next = await authOptions(world.db).callbacks?.redirect?.({ url: asked, baseUrl: CLEW_PUBLIC_URL })
      expect(next).toBe(new URL('/', CLEW_PUBLIC_URL).href)
    },
  )

  it('offers nobody by name outside of demo mode', async () => {
    await world.pool.query('update users set is_demo = true where id = $1', [world.ids.sam])
    expect(await listDemo(world.db)).toEqual([])
    expect(await signInAsDemo(world.db, world.ids.sam)).toBeNull()
    expect(authOptions(world.db).providers.map((provider) => provider.options?.id)).toEqual(['credentials'])
  })
})

describe('a session', () => {
  it('is named by a token that says who and which session, and nothing else', async () => {
    const { token } = await signInTom()
    expect(Object.keys(token).toSorted()).toEqual(['sid', 'sub'])
  })

  it('speaks for the person with the rights they have now', async () => {
    const { cookie } = await signInTom()
    const before = await principalOfCookie(world.db, cookie)
    expect(before?.teams.map(({ slug, level }) => [slug, level])).toEqual([['finance', 'member']])
    const setLevel = (level: string) => world.pool.query('update memberships set level = $1 where user_id = $2', [level, world.ids.tom])
    await setLevel('editor')
    expect((await principalOfCookie(world.db, cookie))?.teams[0]?.level).toBe('editor')
    await setLevel('member')
  })

  it('ends with signing out, also for a copy of the cookie', async () => {
    const { token, cookie } = await signInTom()
    expect(await principalOfCookie(world.db, cookie)).not.toBeNull()
    await authOptions(world.db).events?.signOut?.({ token } as never)
    expect(await principalOfCookie(world.db, cookie)).toBeNull()
  })

  it('ends at its time, and when the account is disabled', async () => {
    const { token, cookie } = await signInTom()
    await world.pool.query('update users set disabled_at = now() where id = $1', [world.ids.tom])
    expect(await principalOfCookie(world.db, cookie)).toBeNull()
    await world.pool.query('update users set disabled_at = null where id = $1', [world.ids.tom])
    expect(await principalOfCookie(world.db, cookie)).not.toBeNull()
    await world.pool.query('update sessions set expires_at = now() where id = $1', [token.sid])
    expect(await principalOfCookie(world.db, cookie)).toBeNull()
  })

  it('is nobody for a token of another secret, of another person, or none', async () => {
    const { token } = await signInTom()
    expect(await principalOfCookie(world.db, await sealed(token, 'another secret'))).toBeNull()
    expect(await principalOfCookie(world.db, await sealed({ ...token, sub: world.ids.frida }, deriveKey(SECRET, 'session')))).toBeNull()
    expect(await principalOfCookie(world.db, 'next-auth.session-token=garbage')).toBeNull()
    expect(await principalOfCookie(world.db, null)).toBeNull()
  })
})

const makeKey = async () => {
  const { key, prefix, hash } = mintApiKey()
  const id = crypto.randomUUID()
  await insertApiKey(world.db, {
    id,
    userId: world.ids.eli,
    teamId: world.teamIds.finance,
    name: 'ci',
    prefix,
    hash,
    scopes: ['publish', 'retired'],
    days: 1,
  })
  return { id, key, header: `Bearer ${key}` }
}

describe('an API key', () => {
  it('speaks for its owner, with its scopes, in its team', async () => {
    const { id, header } = await makeKey()
    expect(await principalOfKey(world.db, header)).toMatchObject({
      person: { id: world.ids.eli },
      via: { kind: 'api_key', keyId: id, teamId: world.teamIds.finance, scopes: ['publish'] },
    })
  })

  it('is stored as a hash only', async () => {
    const { key } = await makeKey()
    expect(JSON.stringify(await world.db.select().from(apiKeys))).not.toContain(key.slice(12))
  })

  it('is worth nothing once revoked or expired, or when it never was one', async () => {
    const revoked = await makeKey()
    expect(await revokeApiKey(world.db, world.ids.tom, revoked.id)).toBeNull()
    expect(await principalOfKey(world.db, revoked.header)).not.toBeNull()
    await revokeApiKey(world.db, world.ids.eli, revoked.id)
    expect(await principalOfKey(world.db, revoked.header)).toBeNull()
    const expired = await makeKey()
    await world.pool.query('update api_keys set expires_at = now() where id = $1', [expired.id])
    expect(await principalOfKey(world.db, expired.header)).toBeNull()
    for (const header of [null, '', 'Bearer', `Bearer ${mintApiKey().key}`, `Basic ${mintApiKey().key}`])
      expect(await principalOfKey(world.db, header)).toBeNull()
  })
})

const toolCall = (over: object = {}) => ({
  runId: crypto.randomUUID(),
  stepId: 'pay',
  item: -1,
  tool: 'ledger.post',
  effect: 'write' as const,
  principal: { userId: world.ids.tom, teamId: world.teamIds.finance, locale: 'en' },
  undo: false,
  ...over,
})

const notedOf = async (runId: string) =>
  (await world.db.select().from(auditLog))
    .filter((row) => row.objectId === runId)
    .map(({ action, details, orgId }) => ({ action, orgId, verdict: details.verdict }))

describe('before every tool call', () => {
  it('the starter must still be a member; undoing goes on without them', async () => {
    const access = createAccess(world.db)
    const left = { principal: { userId: world.ids.lena, teamId: world.teamIds.finance, locale: 'en' } }
    const [fine, refused] = [toolCall(), toolCall(left)]
    expect(await access.admit(fine)).toEqual({ ok: true })
    expect(await notedOf(fine.runId)).toEqual([{ action: 'tool.called', orgId: world.orgIds.harbor, verdict: 'ok' }])
    expect(await access.admit(refused)).toMatchObject({ ok: false, code: 'denied' })
    expect(await notedOf(refused.runId)).toEqual([{ action: 'tool.refused', orgId: world.orgIds.harbor, verdict: 'not_a_member' }])
    expect(await access.admit(toolCall({ ...left, undo: true }))).toEqual({ ok: true })
  })

  it('a tool that the org switched off is denied, in that org only', async () => {
    const access = createAccess(world.db)
    await world.db.insert(toolPolicies).values({ orgId: world.orgIds.harbor, tool: 'ledger.post', enabled: false })
    expect(await access.admit(toolCall())).toMatchObject({ ok: false, message: expect.stringContaining('switched off') })
    expect(await access.admit(toolCall({ undo: true }))).toMatchObject({ ok: false })
    expect(await access.admit(toolCall({ tool: 'text.render' }))).toEqual({ ok: true })
    expect(await access.admit(toolCall({ principal: { userId: world.ids.sam, teamId: world.teamIds.studio, locale: 'en' } }))).toEqual({
      ok: true,
    })
  })
})

describe('the set-up link', () => {
  const answers = { orgName: 'Équipe Nord', teamName: 'Büro 1', name: 'Ann', email: 'ann@example.com', password: 'a long enough password' }

  it('is not there once there are people', async () => {
    expect(await openSetup(world.db, SECRET)).toBeNull()
  })

  it('survives a restart, is void under another secret, and makes the first owner once', async () => {
    const { createDb, createPool } = await import('@/db/client')
    const { testDatabase } = await import('@/db/testing/database')
    const database = await testDatabase()
    const pool = createPool(database.url)
    const db = createDb(pool)
    const token = await openSetup(db, SECRET)
    expect(await openSetup(db, SECRET)).toBe(token)
    const renewed = await openSetup(db, 'another secret of the tests')
    expect(await isSetupOpen(db, String(token))).toBe(false)
    expect(JSON.stringify(await db.select().from(setupTokens))).not.toContain(String(renewed))

    await expect(completeFirstSetup(db, { ...answers, token: String(token) })).rejects.toMatchObject({ code: 'not_found' })
    const both = await Promise.allSettled([1, 2].map(() => completeFirstSetup(db, { ...answers, token: String(renewed) })))
    expect(both.filter((done) => done.status === 'fulfilled').map((done) => done.value)).toEqual([{ team: 'buro-1' }])
    expect(await openSetup(db, SECRET)).toBeNull()
    expect(await signInWithPassword(db, answers.email, answers.password)).toEqual({ id: expect.any(String) })
    await pool.end()
    await database.drop()
  })
})
