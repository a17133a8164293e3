import type { Ctx } from '../context'
import type { MeView } from '../views'
import { can } from '../../auth/can'

/** The person themselves, and the teams they know of. */
export function getMe({ principal }: Pick<Ctx, 'principal'>): MeView {
  const { person, via } = principal
  const teams = via.kind === 'api_key' ? principal.teams.filter((team) => team.id === via.teamId) : principal.teams
  return {
    ...person,
    isOrgAdmin: principal.adminOf.length > 0,
    teams: teams.map((team) => ({
      slug: team.slug,
      name: team.name,
      orgName: team.orgName,
      level: team.level,
      readsData: can(principal, 'run.read_data', { team }),
      roles: team.roles,
    })),
  }
}
