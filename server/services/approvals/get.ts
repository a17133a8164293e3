import { z } from 'zod'
import { gateFor } from '../../auth/can'
import { notFound } from '../../errors'
import { decisionsOf, findGate, roleHolders } from '../../store/postgres/read-gates'
import type { Ctx } from '../context'
import { id, knownId } from '../input'
import type { ApprovalView } from '../views'
import { nobodyLeft } from './refusal'
import { approvalView } from './view'

export const getApprovalInput = z.object({ gate: id })

/** One gate, as whoever holds its role or is a member of its team sees it. */
export async function getApproval({ db, principal }: Ctx, input: z.output<typeof getApprovalInput>): Promise<ApprovalView> {
  const gate = await findGate(db, knownId(input.gate))
  if (!gate) throw notFound()
  const { teamId, readsData } = gateFor(principal, { teamId: gate.team.id, role: gate.role })
  const decisions = await decisionsOf(db, [gate.id])
  const view = approvalView(principal, gate, decisions, readsData)
  if (gate.status !== 'open' || view.cannotDecide === null) return view
  const holders = (await roleHolders(db, teamId, [gate.role])).get(gate.role) ?? []
  return { ...view, cannotDecide: nobodyLeft(principal, gate, decisions, holders) ?? view.cannotDecide }
}
