import { z } from 'zod'
import { roleTeams } from '../../auth/can'
import { closedGatesFor, decisionsOf, openGatesFor, type GateDetail } from '../../store/postgres/read-gates'
import type { Ctx } from '../context'
import { cursor } from '../input'
import type { ApprovalRow, Page } from '../views'
import { approvalRow } from './view'

export const listApprovalsInput = z.object({ filter: z.enum(['waiting', 'decided', 'expired']), cursor })

const PAGE = 50
const isMine = (row: ApprovalRow) => row.cannotDecide === null

/**
 * Gates of every role that one holds, in whatever team: those that wait, the longest waiting first, and after them those that
 * somebody else must decide; those that closed, the last first.
 */
export async function listApprovals(
  { db, principal }: Ctx,
  { filter, cursor }: z.output<typeof listApprovalsInput>,
): Promise<Page<ApprovalRow>> {
  const userId = principal.person.id
  const page =
    filter === 'waiting'
      ? { rows: await openGatesFor(db, userId), next: null }
      : await closedGatesFor(db, userId, { as: filter, cursor, limit: PAGE })
  const gates = readable(principal, page.rows)
  const decisions = await decisionsOf(
    db,
    gates.map(({ id }) => id),
  )
  const rows = gates.map((gate) => approvalRow(principal, gate, decisions))
  return { rows: filter === 'waiting' ? [...rows.filter(isMine), ...rows.filter((row) => !isMine(row))] : rows, next: page.next }
}

/** Those that this principal may read: an API key reaches one team only. */
export function readable(principal: Ctx['principal'], gates: GateDetail[]): GateDetail[] {
  const teams = roleTeams(principal)
  return gates.filter((gate) => teams.some(({ teamId, roles }) => teamId === gate.team.id && roles.includes(gate.role)))
}
