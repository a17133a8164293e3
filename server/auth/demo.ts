import type { Db } from '@/db/client'
import { env } from '../env'
import { listDemoPeople } from '../store/postgres/sessions'
import { loadRights } from '../store/postgres/people'

export type DemoPerson = { id: string; name: string; what: string }

/** Who the buttons "continue as …" offer, with what they are; nobody unless in demo mode. */
export async function listDemo(db: Db): Promise<DemoPerson[]> {
  if (!env().CLEW_DEMO) return []
  const people = await listDemoPeople(db)
  return Promise.all(people.map(async ({ id, name }) => ({ id, name, what: describe(await loadRights(db, id)) })))
}

function describe(rights: Awaited<ReturnType<typeof loadRights>>): string {
  const teams = rights?.teams ?? []
  const admin = teams.find((team) => team.isAdmin)
  const own = teams.filter((team) => team.level || team.roles.length > 0)
  return [
    ...(admin ? [`org admin of ${admin.orgName}`] : []),
    ...own.map((team) => `${[team.level, ...team.roles].filter(Boolean).join(' and ')} in ${team.name}`),
  ].join(', ')
}
