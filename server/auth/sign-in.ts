import type { Db } from '@/db/client'
import { env } from '../env'
import { ClewError } from '../errors'
import { findSignIn, listDemoPeople } from '../store/postgres/sessions'
import { audit } from './audit'
import { verifyPassword } from './passwords'
import { limitTries } from './rate-limit'

const NOBODY = { orgId: null, teamId: null }

/**
 * The person with this e-mail address and password, or null; the same answer, after the same time, for an address nobody has.
 * @throws {Error} `RateLimited`, the code that the sign-in page knows
 */
export async function signInWithPassword(db: Db, email: string, password: string): Promise<{ id: string } | null> {
  try {
    await limitTries(db, 'sign-in', email)
    await limitTries(db, 'sign-in-all', '')
  } catch (error) {
    if (!(error instanceof ClewError)) throw error
    await audit(db, null, NOBODY, 'session.refused', { type: 'person', id: 'unknown' }, { reason: 'rate_limited' })
    throw new Error('RateLimited', { cause: error })
  }
  const person = await findSignIn(db, email.trim())
  // A longer text than anybody's password only costs time.
  if ((await verifyPassword(password.slice(0, 1024), person?.passwordHash ?? null)) && person) return { id: person.id }
  await audit(db, null, NOBODY, 'session.refused', { type: 'person', id: person?.id ?? 'unknown' }, { reason: 'password' })
  return null
}

/** "Continue as Mia": only in demo mode, and only a demo account. */
export async function signInAsDemo(db: Db, userId: string): Promise<{ id: string } | null> {
  if (!env().CLEW_DEMO) return null
  const people = await listDemoPeople(db)
  return people.some((person) => person.id === userId) ? { id: userId } : null
}
