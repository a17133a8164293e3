import type { Principal } from '../../auth/principal'
import type { DecisionDetail, GateDetail } from '../../store/postgres/read-gates'

/** Why this person cannot decide this gate now, in words; null when they can. The engine asks again, under the run's lock. */
export function cannotDecide(
  principal: Principal,
  gate: GateDetail,
  decisions: readonly DecisionDetail[],
  now = new Date(),
): string | null {
  const { person, teams } = principal
  if (gate.status === 'expired' || (gate.status === 'open' && now >= gate.expiresAt)) return 'The time to decide is over.'
  if (gate.status === 'withdrawn') return 'The run was stopped, so nobody needs to decide this any more.'
  if (gate.status !== 'open') return `This was ${gate.status} already.`
  if (!teams.some((team) => team.id === gate.team.id && team.roles.includes(gate.role)))
    return `Only people with the role “${gate.role}” decide this.`
  if (gate.startedBy.id === person.id && !gate.selfApproval) return 'You started this run, so somebody else must decide.'
  if (gate.initiators.includes(person.id) && !gate.selfApproval) return 'You set this run going again, so somebody else must decide.'
  if (!gate.channels.includes('web')) return 'This is decided in another place, not on this page.'
  return decisions.some(({ gateId, by }) => gateId === gate.id && by.id === person.id) ? 'You have decided already.' : null
}

type Holder = { id: string; name: string }

/** Who of the role's holders can answer an open gate: not who started the run or set it going again, unless the workflow allows it, and nobody twice. */
export function stillToAnswer(gate: GateDetail, decisions: readonly DecisionDetail[], holders: readonly Holder[]): Holder[] {
  if (gate.status !== 'open') return []
  const out = new Set(decisions.filter(({ gateId }) => gateId === gate.id).map(({ by }) => by.id))
  if (!gate.selfApproval) for (const id of [gate.startedBy.id, ...gate.initiators]) out.add(id)
  return holders.filter(({ id }) => !out.has(id))
}
