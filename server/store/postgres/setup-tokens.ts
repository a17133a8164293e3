import { randomUUID } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { memberships, orgAdmins, orgs, setupTokens, teams, users } from '@/db/schema'

/** When the unused set-up token was made; null: there is none. */
export async function unusedSetupToken(db: Db): Promise<{ hash: string; createdAt: Date } | null> {
  const rows = await db
    .select({ hash: setupTokens.hash, createdAt: setupTokens.createdAt })
    .from(setupTokens)
    .where(isNull(setupTokens.usedAt))
  return rows[0] ?? null
}

/** Replaces unused tokens by this one. */
export async function storeSetupToken(db: Db, token: { hash: string; createdAt: Date }): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(setupTokens).where(isNull(setupTokens.usedAt))
    await tx.insert(setupTokens).values(token)
  })
}

export type FirstPerson = {
  orgName: string
  orgSlug: string
  teamName: string
  teamSlug: string
  name: string
  email: string
  passwordHash: string
}

/**
 * Uses up the token and makes org, team and first owner (also org admin), all or nothing.
 * Null: the token is unknown or used, or somebody is there already.
 */
export async function completeSetup(db: Db, hash: string, first: FirstPerson): Promise<{ orgId: string; userId: string } | null> {
  return db.transaction(async (tx) => {
    const used = await tx
      .update(setupTokens)
      .set({ usedAt: sql`now()` })
      .where(and(eq(setupTokens.hash, hash), isNull(setupTokens.usedAt), sql`not exists (select from ${users})`))
      .returning({ hash: setupTokens.hash })
    if (used.length === 0) return null
    const [orgId, teamId, userId] = [randomUUID(), randomUUID(), randomUUID()]
    await tx.insert(orgs).values({ id: orgId, slug: first.orgSlug, name: first.orgName })
    await tx.insert(teams).values({ id: teamId, orgId, slug: first.teamSlug, name: first.teamName })
    await tx.insert(users).values({ id: userId, email: first.email, name: first.name, passwordHash: first.passwordHash })
    await tx.insert(orgAdmins).values({ orgId, userId })
    await tx.insert(memberships).values({ teamId, userId, level: 'owner' })
    return { orgId, userId }
  })
}
