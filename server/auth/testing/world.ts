import { randomUUID } from 'node:crypto'
import { createDb, createPool, type Db } from '@/db/client'
import { memberships, orgAdmins, orgs, roleGrants, teams, users, type Level } from '@/db/schema'
import { testDatabase } from '@/db/testing/database'
import { loadPrincipal, type Principal, type Scope } from '../principal'

type Standing = { adminOf?: 'harbor' | 'lumen'; level?: [team: TeamName, level: Level]; role?: [team: TeamName, role: string] }
type TeamName = 'finance' | 'logistics' | 'studio'

const PEOPLE = {
  olga: { adminOf: 'harbor' },
  frida: { level: ['finance', 'owner'] },
  eli: { level: ['finance', 'editor'] },
  tom: { level: ['finance', 'member'] },
  mia: { level: ['finance', 'member'], role: ['finance', 'manager'] },
  /** Holds a role in Finance and is no member of it. */
  rita: { role: ['finance', 'manager'] },
  lena: { level: ['logistics', 'member'], role: ['logistics', 'manager'] },
  sam: { level: ['studio', 'owner'], role: ['studio', 'manager'] },
} satisfies Record<string, Standing>
export type PersonName = keyof typeof PEOPLE
const PERSON_NAMES = Object.keys(PEOPLE) as PersonName[]

/** Two organisations, three teams and one person for each thing somebody may be, in a database of their own. */
export async function openWorld() {
  const database = await testDatabase()
  const pool = createPool(database.url, { max: 5 })
  const db = createDb(pool)
  const orgIds = { harbor: randomUUID(), lumen: randomUUID() }
  const teamIds: Record<TeamName, string> = { finance: randomUUID(), logistics: randomUUID(), studio: randomUUID() }
  const ids = Object.fromEntries(PERSON_NAMES.map((name) => [name, randomUUID()])) as Record<PersonName, string>
  await populate(db, orgIds, teamIds, ids)

  const load = async (name: PersonName, via: Principal['via']) => {
    const principal = await loadPrincipal(db, ids[name], via)
    if (!principal) throw new Error(`${name} is gone`)
    return principal
  }
  return {
    db,
    pool,
    url: database.url,
    orgIds,
    teamIds,
    ids,
    /** This person as they are now, signed in. */
    as: (name: PersonName) => load(name, { kind: 'session', sessionId: randomUUID() }),
    /** This person as they are now, by an API key. */
    byKey: (name: PersonName, team: TeamName, scopes: Scope[]) =>
      load(name, { kind: 'api_key', keyId: randomUUID(), teamId: teamIds[team], scopes }),
    close: async () => {
      await pool.end()
      await database.drop()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

async function populate(
  db: Db,
  orgIds: Record<'harbor' | 'lumen', string>,
  teamIds: Record<TeamName, string>,
  ids: Record<PersonName, string>,
) {
  await db.insert(orgs).values([
    { id: orgIds.harbor, slug: 'harbor', name: 'Harbor Goods' },
    { id: orgIds.lumen, slug: 'lumen', name: 'Lumen Studio' },
  ])
  await db.insert(teams).values([
    { id: teamIds.finance, orgId: orgIds.harbor, slug: 'finance', name: 'Finance' },
    { id: teamIds.logistics, orgId: orgIds.harbor, slug: 'logistics', name: 'Logistics' },
    { id: teamIds.studio, orgId: orgIds.lumen, slug: 'studio', name: 'Studio' },
  ])
  await db
    .insert(users)
    .values(PERSON_NAMES.map((name) => ({ id: ids[name], email: `${name}@example.com`, name: name[0]?.toUpperCase() + name.slice(1) })))
  for (const name of PERSON_NAMES) {
    const { adminOf, level, role }: Standing = PEOPLE[name]
    const userId = ids[name]
    if (adminOf) await db.insert(orgAdmins).values({ orgId: orgIds[adminOf], userId })
    if (level) await db.insert(memberships).values({ teamId: teamIds[level[0]], userId, level: level[1] })
    if (role) await db.insert(roleGrants).values({ teamId: teamIds[role[0]], userId, role: role[1] })
  }
}
