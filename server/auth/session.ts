import { randomUUID } from 'node:crypto'
import type { NextAuthOptions } from 'next-auth'
import { decode } from 'next-auth/jwt'
import Credentials from 'next-auth/providers/credentials'
import type { Db } from '@/db/client'
import { env } from '../env'
import { insertSession, isSessionLive, revokeSession } from '../store/postgres/sessions'
import { audit } from './audit'
import { safeCallbackUrl } from './callback-url'
import { deriveKey } from './keys'
import { loadPrincipal, type Principal } from './principal'
import { signInAsDemo, signInWithPassword } from './sign-in'

const DAYS = 14
const NOBODY = { orgId: null, teamId: null }

/** Signing in and out. The cookie's token names a person and a session and nothing else; what they may do is read with each request. */
export function authOptions(db: Db): NextAuthOptions {
  const { CLEW_PUBLIC_URL, CLEW_DEMO } = env()
  const password = Credentials({
    id: 'credentials',
    credentials: { email: { type: 'email' }, password: { type: 'password' } },
    authorize: (given) => inCodes(signInWithPassword(db, given?.email ?? '', given?.password ?? '')),
  })
  const demo = Credentials({
    id: 'demo',
    credentials: { userId: {} },
    authorize: (given) => inCodes(signInAsDemo(db, given?.userId ?? '')),
  })
  return {
    secret: sessionKey(),
    useSecureCookies: isSecure(),
    session: { strategy: 'jwt', maxAge: DAYS * 24 * 60 * 60 },
    pages: { signIn: '/signin', signOut: '/signin', error: '/signin' },
    providers: CLEW_DEMO ? [password, demo] : [password],
    callbacks: {
      redirect: ({ url }) => new URL(safeCallbackUrl(url, CLEW_PUBLIC_URL), CLEW_PUBLIC_URL).href,
      jwt: async ({ token, user, account }) => {
        if (!user) return token
        const sessionId = randomUUID()
        await insertSession(db, { id: sessionId, userId: user.id, days: DAYS })
        await audit(
          db,
          user.id,
          NOBODY,
          'session.signed_in',
          { type: 'session', id: sessionId },
          { method: account?.provider === 'demo' ? 'demo' : 'password' },
        )
        return { sub: user.id, sid: sessionId }
      },
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      signOut: async ({ token }) => {
        if (typeof token.sid !== 'string' || typeof token.sub !== 'string') return
        await revokeSession(db, token.sid)
        await audit(db, token.sub, NOBODY, 'session.signed_out', { type: 'session', id: token.sid }, {})
      },
    },
  }
}

/** next-auth tells the browser the message of whatever is thrown: it may only be a code that the sign-in page knows. */
function inCodes<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof Error && error.message === 'RateLimited' ? error : new Error('Unavailable', { cause: error })
  })
}

/** Whom a `Cookie` header speaks for, by the session's row and live rights. Null: nobody, or the session ended. */
export async function principalOfCookie(db: Db, cookieHeader: string | null): Promise<Principal | null> {
  const token = cookieValue(cookieHeader, isSecure() ? '__Secure-next-auth.session-token' : 'next-auth.session-token')
  const claims = token === null ? null : await decode({ token, secret: sessionKey() }).catch(() => null)
  if (typeof claims?.sub !== 'string' || typeof claims.sid !== 'string') return null
  if (!(await isSessionLive(db, claims.sid, claims.sub))) return null
  return loadPrincipal(db, claims.sub, { kind: 'session', sessionId: claims.sid })
}

const isSecure = () => env().CLEW_PUBLIC_URL.startsWith('https://')
const sessionKey = () => deriveKey(env().CLEW_SECRET, 'session')

function cookieValue(header: string | null, name: string): string | null {
  const pair = (header ?? '').split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  return pair === undefined ? null : pair.slice(pair.indexOf('=') + 1).trim()
}
