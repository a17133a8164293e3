import { describe, expect, it } from 'vitest'
import { ClewError } from '../errors'
import { can, gateFor, PERMISSIONS, RELATIONS, roleTeams, teamFor, type Action, type Relation } from './can'
import type { Principal, Scope, TeamRights, Via } from './principal'
import { SCOPES } from './principal'

const blank: TeamRights = {
  id: 'team-1',
  slug: 'finance',
  name: 'Finance',
  orgId: 'org-1',
  orgName: 'Harbor',
  level: null,
  roles: [],
  isAdmin: false,
}
const session: Via = { kind: 'session', sessionId: 's' }
const key = (scopes: readonly Scope[], teamId = 'team-1'): Via => ({ kind: 'api_key', keyId: 'k', teamId, scopes })

const principal = (teams: TeamRights[], via: Via = session): Principal => ({
  person: { id: 'me', name: 'Me', email: 'me@example.com', locale: 'en', timeZone: 'UTC' },
  teams,
  adminOf: [],
  via,
})

/** Somebody who is this to the team, and the thing asked about. */
function standing(relation: Relation | 'stranger'): { team: TeamRights; startedBy: string; role: string } {
  const thing = { startedBy: relation === 'starter' ? 'me' : 'somebody', role: 'manager' }
  if (relation === 'org_admin') return { team: { ...blank, isAdmin: true }, ...thing }
  if (relation === 'role_holder') return { team: { ...blank, roles: ['manager'] }, ...thing }
  if (relation === 'starter') return { team: { ...blank, level: 'member' }, ...thing }
  return { team: relation === 'stranger' ? blank : { ...blank, level: relation }, ...thing }
}

// Written a second time, on purpose, in the order of RELATIONS: who may, in the words of the platform's table.
const EXPECTED: Record<Action, string> = {
  //                     admin member editor owner role_holder starter
  'workflow.read': '      yes   yes    yes    yes   no          yes',
  'workflow.validate': '  no    yes    yes    yes   no          yes',
  'workflow.publish': '   no    no     yes    yes   no          no',
  'run.start': '          no    yes    yes    yes   no          yes',
  'run.read_shape': '     yes   yes    yes    yes   no          yes',
  'run.read_data': '      no    yes    yes    yes   no          yes',
  'run.cancel': '         no    no     no     yes   no          yes',
  'run.redrive': '        no    no     yes    yes   no          yes',
  'run.record_outcome': ' no    no     yes    yes   no          no',
  'gate.read': '          no    yes    yes    yes   yes         yes',
  'gate.decide': '        no    no     no     no    yes         no',
  'key.create': '         no    yes    yes    yes   no          yes',
}
const actions = Object.keys(PERMISSIONS) as Action[]

describe('can', () => {
  it.each(
    actions.flatMap((action) =>
      RELATIONS.map((relation, index) => ({ action, relation, may: EXPECTED[action].trim().split(/ +/)[index] === 'yes' })),
    ),
  )('$relation, $action: $may', ({ action, relation, may }) => {
    const resource = standing(relation)
    expect(can(principal([resource.team]), action, resource)).toBe(may)
  })

  it.each(actions)('lets nobody from outside do %s', (action) => {
    expect(can(principal([]), action, standing('stranger'))).toBe(false)
  })

  it.each(actions)('%s needs the API key to have its scope, and to be for this team', (action) => {
    const team: TeamRights = { ...blank, level: 'owner', roles: ['manager'] }
    const resource = { team, startedBy: 'me', role: 'manager' }
    const scopes: readonly string[] = PERMISSIONS[action].scopes
    const others = SCOPES.filter((other) => !scopes.includes(other))
    expect(can(principal([team], key(others)), action, resource)).toBe(false)
    expect(can(principal([team], key(SCOPES)), action, resource)).toBe(scopes.length > 0)
    for (const one of SCOPES) expect(can(principal([team], key([one])), action, resource), one).toBe(scopes.includes(one))
    expect(can(principal([team], key(SCOPES, 'team-2')), action, resource)).toBe(false)
  })

  it('tells whoever holds a key which scope is missing, and says nothing more to anybody else', () => {
    const team: TeamRights = { ...blank, level: 'member' }
    const refused = (who: Principal) => refusal(() => teamFor(who, 'workflow.publish', team.slug))?.message
    expect(refused(principal([team], key(['start'])))).toBe("This API key may not do that: it needs one that may 'publish'.")
    expect(refused(principal([team]))).toBe('You may not do that here.')
  })

  it('gives an API key no more than its owner has now', () => {
    const team: TeamRights = { ...blank, level: 'member' }
    expect(can(principal([team], key(SCOPES)), 'workflow.publish', { team })).toBe(false)
  })

  it('does not let a starter who left the team cancel', () => {
    expect(can(principal([blank]), 'run.cancel', { team: blank, startedBy: 'me' })).toBe(false)
  })
})

const refusal = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof ClewError) return { code: error.code, message: error.message }
    throw error
  }
  return null
}

describe('teamFor', () => {
  it('answers for a team one may not know of exactly as for one that does not exist', () => {
    const roleOnly = principal([{ ...blank, roles: ['manager'] }])
    const otherTeamsKey = principal([{ ...blank, level: 'owner' }], key(SCOPES, 'team-2'))
    const missing = refusal(() => teamFor(principal([]), 'workflow.read', 'nowhere'))
    expect(missing?.code).toBe('not_found')
    for (const somebody of [principal([]), roleOnly, otherTeamsKey]) {
      expect(refusal(() => teamFor(somebody, 'workflow.read', 'finance'))).toEqual(missing)
    }
  })

  it('says forbidden to whoever may see the team but not do this', () => {
    expect(refusal(() => teamFor(principal([{ ...blank, isAdmin: true }]), 'run.start', 'finance'))?.code).toBe('forbidden')
  })

  it('says whether the data may be read', () => {
    expect(teamFor(principal([{ ...blank, isAdmin: true }]), 'run.read_shape', 'finance').readsData).toBe(false)
    expect(teamFor(principal([{ ...blank, level: 'member' }]), 'run.read_shape', 'finance').readsData).toBe(true)
    expect(teamFor(principal([{ ...blank, level: 'member' }], key(['read:shape'])), 'run.read_shape', 'finance').readsData).toBe(false)
  })
})

describe('gateFor', () => {
  it('lets a role holder in who is no member, and keeps the org admin out', () => {
    const gate = { teamId: 'team-1', role: 'manager' }
    expect(gateFor(principal([{ ...blank, roles: ['manager'] }]), gate)).toMatchObject({ teamId: 'team-1', readsData: false })
    expect(refusal(() => gateFor(principal([{ ...blank, roles: ['attorney'] }]), gate))?.code).toBe('not_found')
    expect(refusal(() => gateFor(principal([{ ...blank, isAdmin: true }]), gate))?.code).toBe('not_found')
  })

  it('lists the roles whose gates may be read', () => {
    const teams = [
      { ...blank, roles: ['manager'] },
      { ...blank, id: 'team-2', level: 'owner' as const },
    ]
    expect(roleTeams(principal(teams)).map(({ teamId, roles }) => [teamId, roles])).toEqual([['team-1', ['manager']]])
    expect(roleTeams(principal(teams, key(['start'])))).toEqual([])
  })
})
