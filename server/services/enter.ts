import { audit, inTeam } from '../auth/audit'
import { can, forbidden, teamFor, type Action, type TeamAccess } from '../auth/can'
import { ClewError } from '../errors'
import type { Ctx } from './context'

type Who = Pick<Ctx, 'db' | 'principal'>

/** `teamFor`, with the refusal in the team's audit log. A team that the person may not know of hears nothing of it. */
export async function enter({ db, principal }: Who, action: Action, slug: string): Promise<TeamAccess> {
  try {
    return teamFor(principal, action, slug)
  } catch (error) {
    const team = principal.teams.find((team) => team.slug === slug)
    if (team && error instanceof ClewError && error.code === 'forbidden') await note({ db, principal }, action, team)
    throw error
  }
}

/** Asks about one thing of a team they were let into; refuses, and says so in the audit log. @throws {ClewError} `forbidden` */
export async function demand({ db, principal }: Who, action: Action, { team }: TeamAccess, thing: { startedBy?: string }): Promise<void> {
  if (can(principal, action, { team, ...thing })) return
  await note({ db, principal }, action, team)
  throw forbidden(principal, action)
}

const note = ({ db, principal }: Who, action: Action, team: TeamAccess['team']) =>
  audit(db, principal.person.id, inTeam({ team }), 'access.refused', { type: 'team', id: team.id }, { action })
