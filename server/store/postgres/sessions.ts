import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { sessions, users } from '@/db/schema'
import { plainText } from './sql'

/** Opens a session for `days` from now. Returns when it ends by itself. */
export async function insertSession(db: Db, session: { id: string; userId: string; days: number }): Promise<void> {
  await db
    .insert(sessions)
    .values({ id: session.id, userId: session.userId, expiresAt: sql`now() + make_interval(days => ${session.days})` })
}

/** Whether this session of this person still counts: not signed out, not expired, the person not disabled. */
export async function isSessionLive(db: Db, sessionId: string, userId: string): Promise<boolean> {
  const rows = await db
    .select({ id: sessions.id })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.id, sessionId),
        eq(sessions.userId, userId),
        isNull(sessions.revokedAt),
        isNull(users.disabledAt),
        gt(sessions.expiresAt, sql`now()`),
      ),
    )
  return rows.length === 1
}

/** Ends a session for good, on every device that holds its cookie. */
export async function revokeSession(db: Db, sessionId: string): Promise<void> {
  await db
    .update(sessions)
    .set({ revokedAt: sql`now()` })
    .where(and(eq(sessions.id, sessionId), isNull(sessions.revokedAt)))
}

/** Who signs in with this e-mail address, in whatever case it is written. */
export async function findSignIn(db: Db, email: string): Promise<{ id: string; passwordHash: string | null } | null> {
  const rows = await db
    .select({ id: users.id, passwordHash: users.passwordHash })
    .from(users)
    .where(and(sql`lower(${users.email}) = lower(${plainText(email)})`, isNull(users.disabledAt)))
  return rows[0] ?? null
}

/** The demo people, whom the sign-in page offers by name in demo mode. */
export async function listDemoPeople(db: Db): Promise<{ id: string; name: string }[]> {
  return db
    .select({ id: users.id, name: users.name })
    .from(users)
    .where(and(eq(users.isDemo, true), isNull(users.disabledAt)))
    .orderBy(users.createdAt, users.id)
}
