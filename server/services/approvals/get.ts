import { z } from 'zod'
import { gateFor } from '../../auth/can'
import { notFound } from '../../errors'
import { decisionsOf, findGate } from '../../store/postgres/read-gates'
import type { Ctx } from '../context'
import { id, knownId } from '../input'
import type { ApprovalView } from '../views'
import { approvalView } from './view'

export const getApprovalInput = z.object({ gate: id })

/** One gate, as whoever holds its role or is a member of its team sees it. */
export async function getApproval({ db, principal }: Ctx, input: z.output<typeof getApprovalInput>): Promise<ApprovalView> {
  const gate = await findGate(db, knownId(input.gate))
  if (!gate) throw notFound()
  const { readsData } = gateFor(principal, { teamId: gate.team.id, role: gate.role })
  return approvalView(principal, gate, await decisionsOf(db, [gate.id]), readsData)
}
