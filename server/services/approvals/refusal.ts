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

/**
 * Where nobody is left who can answer an open gate: why, in words to this person, and what to do about it. Null: somebody is left.
 * It speaks of those who hold the role only, so it is for whoever may know of them.
 */
export function nobodyLeft(
  { person }: Principal,
  gate: GateDetail,
  decisions: readonly DecisionDetail[],
  holders: readonly Holder[],
): string | null {
  if (gate.status !== 'open' || stillToAnswer(gate, decisions, holders).length > 0) return null
  const role = `the role “${gate.role}”`
  if (holders.length === 0) return `Nobody has ${role} now: the team’s owner can give it to somebody.`
  const decided = (id: string) => decisions.some(({ gateId, by }) => gateId === gate.id && by.id === id)
  const why = ({ id }: Holder) =>
    decided(id) ? 'decided already' : id === gate.startedBy.id ? 'started this run' : 'set this run going again'
  const [only] = holders
  if (only && holders.length === 1) {
    if (only.id !== person.id) return `Only ${only.name}, who ${why(only)}, has ${role}: the team’s owner can give it to somebody else.`
    return `You ${why(only)}, so somebody else has to decide, and nobody else has ${role}: the team’s owner can give it to somebody.`
  }
  const each = holders.map((holder) => `${holder.id === person.id ? 'you' : holder.name} ${why(holder)}`)
  return `Of those with ${role}, ${each.slice(0, -1).join(', ')} and ${each.at(-1)}: the team’s owner can give it to somebody else.`
}

/** Who of the role's holders can answer an open gate: not who started the run or set it going again, unless the workflow allows it, and nobody twice. */
export function stillToAnswer(gate: GateDetail, decisions: readonly DecisionDetail[], holders: readonly Holder[]): Holder[] {
  if (gate.status !== 'open') return []
  const out = new Set(decisions.filter(({ gateId }) => gateId === gate.id).map(({ by }) => by.id))
  if (!gate.selfApproval) for (const id of [gate.startedBy.id, ...gate.initiators]) out.add(id)
  return holders.filter(({ id }) => !out.has(id))
}
