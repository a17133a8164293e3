import { randomBytes, randomUUID } from 'node:crypto'
import { hashPassword } from '@/server/auth/passwords'
import type { Db } from './client'
import { memberships, orgAdmins, orgs, roleGrants, teams, users, type Level } from './schema'

export type DemoAccount = { email: string; name: string; role: string; password: string | null }

const ORGS = [
  {
    slug: 'harbor',
    name: 'Harbor Goods',
    teams: [
      { slug: 'finance', name: 'Finance' },
      { slug: 'logistics', name: 'Logistics' },
    ],
  },
  { slug: 'lumen', name: 'Lumen Studio', teams: [{ slug: 'studio', name: 'Studio' }] },
]

type DemoPerson = { name: string; what: string; adminOf?: string; team?: string; level?: Level; roles?: string[] }

/** One person for each thing that somebody may be, and one outside each fence: another team, another organisation. */
const PEOPLE: DemoPerson[] = [
  { name: 'Olga Admin', what: 'admin of the organisation, in no team', adminOf: 'harbor' },
  { name: 'Frida Owner', what: 'owner of Finance', team: 'finance', level: 'owner' },
  { name: 'Eli Editor', what: 'editor in Finance', team: 'finance', level: 'editor' },
  { name: 'Tom Member', what: 'member of Finance', team: 'finance', level: 'member' },
  { name: 'Mia Manager', what: 'member of Finance, approves as manager', team: 'finance', level: 'member', roles: ['manager'] },
  { name: 'Lena Logistics', what: 'member of Logistics', team: 'logistics', level: 'member' },
  { name: 'Sam Studio', what: 'owner and manager of Studio, in another organisation', team: 'studio', level: 'owner', roles: ['manager'] },
]

// Slow hashing protects passwords that can be guessed; these are 80 random bits.
const QUICK = { N: 2 ** 12, r: 8, p: 1 }

const emailOf = (person: DemoPerson) => `${person.name.split(' ')[0]?.toLowerCase()}@demo.clew.local`

/** Makes the demo organisations in an empty database. Passwords are random, readable, and returned here and never again. */
export async function seedDemo(db: Db): Promise<DemoAccount[]> {
  const accounts = await Promise.all(
    PEOPLE.map(async (person) => {
      const password = readablePassword()
      return { person, id: randomUUID(), password, passwordHash: await hashPassword(password, QUICK) }
    }),
  )
  await db.transaction(async (tx) => {
    const teamIds = new Map<string, string>()
    const orgIds = new Map<string, string>()
    for (const org of ORGS) {
      const orgId = randomUUID()
      orgIds.set(org.slug, orgId)
      await tx.insert(orgs).values({ id: orgId, slug: org.slug, name: org.name })
      for (const team of org.teams) {
        const teamId = randomUUID()
        teamIds.set(team.slug, teamId)
        await tx.insert(teams).values({ id: teamId, orgId, ...team })
      }
    }
    for (const [index, { person, id, passwordHash }] of accounts.entries()) {
      // One after the other in time as well: lists that are ordered by it keep the order above.
      const createdAt = new Date(Date.now() + index)
      await tx.insert(users).values({ id, email: emailOf(person), name: person.name, passwordHash, isDemo: true, createdAt })
      const orgId = person.adminOf && orgIds.get(person.adminOf)
      if (orgId) await tx.insert(orgAdmins).values({ orgId, userId: id })
      const teamId = person.team && teamIds.get(person.team)
      if (!teamId) continue
      if (person.level) await tx.insert(memberships).values({ teamId, userId: id, level: person.level })
      for (const role of person.roles ?? []) await tx.insert(roleGrants).values({ teamId, userId: id, role })
    }
  })
  return accounts.map(({ person, password }) => accountOf(person, password))
}

/** The demo accounts once their passwords are known only to whoever wrote them down. */
export const knownDemoAccounts = (): DemoAccount[] => PEOPLE.map((person) => accountOf(person, null))

const accountOf = (person: DemoPerson, password: string | null): DemoAccount => ({
  email: emailOf(person),
  name: person.name,
  role: person.what,
  password,
})

// No letter or digit that looks like another one: people copy these by eye from a console.
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'

/** Four groups of four, 80 bits. */
function readablePassword(): string {
  const characters = Array.from(randomBytes(16), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return characters.match(/.{4}/g)?.join('-') ?? characters
}
