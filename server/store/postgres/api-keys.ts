import { and, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { apiKeys, teams } from '@/db/schema'

export type ApiKeyRow = {
  id: string
  name: string
  team: string
  prefix: string
  scopes: string[]
  createdAt: Date
  expiresAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

const row = {
  id: apiKeys.id,
  name: apiKeys.name,
  team: teams.slug,
  prefix: apiKeys.prefix,
  scopes: apiKeys.scopes,
  createdAt: apiKeys.createdAt,
  expiresAt: apiKeys.expiresAt,
  lastUsedAt: apiKeys.lastUsedAt,
  revokedAt: apiKeys.revokedAt,
}

export type NewApiKey = {
  id: string
  userId: string
  teamId: string
  name: string
  prefix: string
  hash: string
  scopes: string[]
  days: number
}

export async function insertApiKey(db: Pick<Db, 'insert'>, { days, ...key }: NewApiKey): Promise<void> {
  await db.insert(apiKeys).values({ ...key, expiresAt: sql`now() + make_interval(days => ${days})` })
}

/** One person's keys, newest first. */
export async function listApiKeys(db: Db, userId: string, id?: string): Promise<ApiKeyRow[]> {
  return db
    .select(row)
    .from(apiKeys)
    .innerJoin(teams, eq(teams.id, apiKeys.teamId))
    .where(and(eq(apiKeys.userId, userId), id === undefined ? undefined : eq(apiKeys.id, id)))
    .orderBy(desc(apiKeys.createdAt), desc(apiKeys.id))
    .limit(200)
}

/** Ends a key of this person for good. Null: they have no such key. */
export async function revokeApiKey(db: Pick<Db, 'update'>, userId: string, id: string): Promise<{ teamId: string } | null> {
  const rows = await db
    .update(apiKeys)
    .set({ revokedAt: sql`coalesce(${apiKeys.revokedAt}, now())` })
    .where(and(eq(apiKeys.id, id), eq(apiKeys.userId, userId)))
    .returning({ teamId: apiKeys.teamId })
  return rows[0] ?? null
}

/** The live key of this hash. Notes that it was used, at most once a minute. */
export async function findLiveApiKey(
  db: Db,
  hash: string,
): Promise<{ id: string; userId: string; teamId: string; scopes: string[] } | null> {
  const rows = await db
    .select({ id: apiKeys.id, userId: apiKeys.userId, teamId: apiKeys.teamId, scopes: apiKeys.scopes })
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, hash), isNull(apiKeys.revokedAt), gt(apiKeys.expiresAt, sql`now()`)))
  const [key] = rows
  if (!key) return null
  await db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(apiKeys.id, key.id), sql`(${apiKeys.lastUsedAt} is null or ${apiKeys.lastUsedAt} < now() - interval '1 minute')`))
  return key
}
