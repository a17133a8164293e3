import { ClewError, notFound } from '../errors'
import type { TeamId } from './ids'
import type { Principal, Scope, TeamRights } from './principal'

/** What somebody is to a team or to one thing in it. `starter`: a member who started this run; `role_holder`: holds this gate's role. */
export const RELATIONS = ['org_admin', 'member', 'editor', 'owner', 'role_holder', 'starter'] as const
export type Relation = (typeof RELATIONS)[number]

/**
 * Who may do what. One row an action; whoever stands in `by` may, everybody else may not. An API key also needs one of `scopes`
 * (none: no API key may, whatever its scopes), and reaches one team only. Source: docs, "People and what they may see".
 */
export const PERMISSIONS = {
  'workflow.read': { by: ['org_admin', 'member', 'editor', 'owner'], scopes: ['read:shape'] },
  'workflow.validate': { by: ['member', 'editor', 'owner'], scopes: ['draft', 'publish'] },
  'workflow.publish': { by: ['editor', 'owner'], scopes: ['publish'] },
  'run.start': { by: ['member', 'editor', 'owner'], scopes: ['start'] },
  // Nobody can steer what they do not see.
  'run.read_shape': { by: ['org_admin', 'member', 'editor', 'owner'], scopes: ['read:shape', 'control'] },
  'run.read_data': { by: ['member', 'editor', 'owner'], scopes: ['read:data'] },
  'run.cancel': { by: ['owner', 'starter'], scopes: ['control'] },
  'run.redrive': { by: ['editor', 'owner', 'starter'], scopes: ['control'] },
  'run.record_outcome': { by: ['editor', 'owner'], scopes: ['control'] },
  'gate.read': { by: ['member', 'editor', 'owner', 'role_holder'], scopes: ['read:data'] },
  'gate.decide': { by: ['role_holder'], scopes: ['approve'] },
  'key.create': { by: ['member', 'editor', 'owner'], scopes: [] },
} as const satisfies Record<string, { by: readonly Relation[]; scopes: readonly Scope[] }>
export type Action = keyof typeof PERMISSIONS

/** The thing asked about, always within a team. `startedBy` belongs to a run, `role` to a gate. */
export type Resource = { team: TeamRights; startedBy?: string; role?: string }

/** The one answer to "may they?", from live rights. Every entrance asks it. */
export function can(principal: Principal, action: Action, resource: Resource): boolean {
  const { by } = PERMISSIONS[action]
  if (principal.via.kind === 'api_key' && (principal.via.teamId !== resource.team.id || lacks(principal, action))) return false
  return relations(principal, resource).some((relation) => (by as readonly Relation[]).includes(relation))
}

/** Of an API key that has none of the action's scopes: those that would do. What is no action here, no key may. */
function lacks({ via }: Principal, action: Action | null): readonly Scope[] | null {
  const scopes: readonly Scope[] = action === null ? [] : PERMISSIONS[action].scopes
  return via.kind !== 'api_key' || scopes.some((scope) => via.scopes.includes(scope)) ? null : scopes
}

function relations(principal: Principal, { team, startedBy, role }: Resource): Relation[] {
  const found: Relation[] = []
  if (team.isAdmin) found.push('org_admin')
  if (team.level) found.push(team.level)
  if (team.level && startedBy === principal.person.id) found.push('starter')
  if (role !== undefined && team.roles.includes(role)) found.push('role_holder')
  return found
}

/** A team this person was let into, for one request. */
export type TeamAccess = { teamId: TeamId; team: TeamRights; readsData: boolean }

/**
 * Lets a person into a team for an action, or refuses. This and `gateFor` are the only mints of `TeamId`.
 * @throws {ClewError} `not_found` when there is no such team or the person may not know of it (one answer for both),
 * `forbidden` when they may see the team but not do this
 */
export function teamFor(principal: Principal, action: Action, slug: string): TeamAccess {
  const team = principal.teams.find((team) => team.slug === slug)
  if (!team || !knowsOf(principal, team)) throw notFound()
  if (!can(principal, action, { team })) throw forbidden(principal, action)
  return access(principal, team)
}

/** All teams in which this person may do `action`. */
export function teamsFor(principal: Principal, action: Action): TeamAccess[] {
  return principal.teams
    .filter((team) => knowsOf(principal, team) && can(principal, action, { team }))
    .map((team) => access(principal, team))
}

/** The gate's team, for whoever may read this gate: a role holder need not be a member. @throws {ClewError} `not_found` */
export function gateFor(principal: Principal, gate: { teamId: string; role: string }): TeamAccess {
  const team = principal.teams.find((team) => team.id === gate.teamId)
  if (!team || !can(principal, 'gate.read', { team, role: gate.role })) throw notFound()
  return access(principal, team)
}

/** Teams in which this person holds roles, with those of them whose gates this principal may read. */
export function roleTeams(principal: Principal): (TeamAccess & { roles: string[] })[] {
  return principal.teams
    .map((team) => ({ ...access(principal, team), roles: team.roles.filter((role) => can(principal, 'gate.read', { team, role })) }))
    .filter((team) => team.roles.length > 0)
}

/** Why not, where that tells whoever holds a key nothing they do not know. */
export function forbidden(principal: Principal, action: Action | null): ClewError {
  const missing = lacks(principal, action)
  if (missing === null) return new ClewError('forbidden', 'You may not do that here.')
  const which = missing.length === 0 ? 'no API key may' : `it needs one that may ${missing.map((scope) => `'${scope}'`).join(' or ')}`
  return new ClewError('forbidden', `This API key may not do that: ${which}.`)
}

const access = (principal: Principal, team: TeamRights): TeamAccess => ({
  teamId: team.id as TeamId,
  team,
  readsData: can(principal, 'run.read_data', { team }),
})

// Holding a role opens gates, not the team. An API key does not learn which other teams there are.
const knowsOf = (principal: Principal, team: TeamRights) =>
  (team.level !== null || team.isAdmin) && (principal.via.kind !== 'api_key' || principal.via.teamId === team.id)
