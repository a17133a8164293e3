import type { Db } from '@/db/client'
import { env } from '../env'
import { listDemoPeople } from '../store/postgres/sessions'
import { loadRights, type TeamRights } from '../store/postgres/people'

/** `teams`: where this person is a member or holds a role. */
export type DemoPerson = { id: string; name: string; what: string; teams: Pick<TeamRights, 'slug' | 'level' | 'roles'>[] }

/** Who the buttons "continue as …" offer, with what they are; nobody unless in demo mode. */
export async function listDemo(db: Db): Promise<DemoPerson[]> {
  if (!env().CLEW_DEMO) return []
  const people = await listDemoPeople(db)
  return Promise.all(
    people.map(async ({ id, name }) => {
      const rights = await loadRights(db, id)
      return { id, name, what: describe(rights), teams: placesOf(rights).map(({ slug, level, roles }) => ({ slug, level, roles })) }
    }),
  )
}

const placesOf = (rights: Awaited<ReturnType<typeof loadRights>>) =>
  (rights?.teams ?? []).filter((team) => team.level || team.roles.length > 0)

function describe(rights: Awaited<ReturnType<typeof loadRights>>): string {
  const teams = rights?.teams ?? []
  const admin = teams.find((team) => team.isAdmin)
  return [
    ...(admin ? [`org admin of ${admin.orgName}`] : []),
    ...placesOf(rights).map((team) => `${[team.level, ...team.roles].filter(Boolean).join(' and ')} in ${team.name}`),
  ].join(', ')
}
