import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import { memberships, orgAdmins, orgs, roleGrants, teams, users, type Level } from '@/db/schema'

export type Person = { id: string; name: string; email: string; locale: string; timeZone: string }

/** One person's standing in one team: any team in which they are a member, hold a role, or whose org they administer. */
export type TeamRights = {
  id: string
  slug: string
  name: string
  orgId: string
  orgName: string
  level: Level | null
  roles: string[]
  isAdmin: boolean
}

/** A person's live rights; null when there is no such person or the account is disabled. */
export async function loadRights(db: Db, userId: string): Promise<{ person: Person; teams: TeamRights[]; adminOf: string[] } | null> {
  const [people, standing, admin] = await Promise.all([
    db
      .select({ id: users.id, name: users.name, email: users.email, locale: users.locale, timeZone: users.timeZone })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.disabledAt))),
    teamRights(db, userId),
    db.select({ orgId: orgAdmins.orgId }).from(orgAdmins).where(eq(orgAdmins.userId, userId)),
  ])
  const person = people[0]
  return person ? { person, teams: standing, adminOf: admin.map((row) => row.orgId) } : null
}

async function teamRights(db: Db, userId: string): Promise<TeamRights[]> {
  const roles = sql<string[]>`array(select ${roleGrants.role} from ${roleGrants}
    where ${roleGrants.teamId} = ${teams.id} and ${roleGrants.userId} = ${userId} order by 1)`
  const isAdmin = sql<boolean>`exists (select from ${orgAdmins} where ${orgAdmins.orgId} = ${teams.orgId} and ${orgAdmins.userId} = ${userId})`
  return db
    .select({
      id: teams.id,
      slug: teams.slug,
      name: teams.name,
      orgId: teams.orgId,
      orgName: orgs.name,
      level: memberships.level,
      roles,
      isAdmin,
    })
    .from(teams)
    .innerJoin(orgs, eq(orgs.id, teams.orgId))
    .leftJoin(memberships, and(eq(memberships.teamId, teams.id), eq(memberships.userId, userId)))
    .where(sql`${memberships.userId} is not null or ${isAdmin} or cardinality(${roles}) > 0`)
    .orderBy(orgs.name, teams.name)
}

/** Changes what a person may change about themselves. */
export async function updatePerson(db: Db, userId: string, changes: Partial<Pick<Person, 'name' | 'locale' | 'timeZone'>>): Promise<void> {
  if (Object.keys(changes).length > 0) await db.update(users).set(changes).where(eq(users.id, userId))
}

/** True before anybody was let in: the only state in which a set-up link or the demo accounts may appear. */
export async function hasNoPeople(db: Db): Promise<boolean> {
  const result = await db.execute<{ none: boolean }>(sql`select not exists (select from ${users}) as none`)
  return result.rows[0]?.none ?? false
}

export async function hasDemoPeople(db: Db): Promise<boolean> {
  const result = await db.execute<{ some: boolean }>(sql`select exists (select from ${users} where ${users.isDemo}) as some`)
  return result.rows[0]?.some ?? false
}
