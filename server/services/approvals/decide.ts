import { z } from 'zod'
import { audit, inTeam } from '../../auth/audit'
import { can, gateFor } from '../../auth/can'
import { ClewError, notFound } from '../../errors'
import { findGate } from '../../store/postgres/read-gates'
import type { Ctx } from '../context'
import { id, knownId, text, jsonObject } from '../input'
import type { ApprovalView } from '../views'
import { getApproval } from './get'

export const decideApprovalInput = z.object({
  gate: id,
  decision: z.enum(['approve', 'reject']),
  comment: text(4000).optional(),
  form: jsonObject.optional(),
})

/**
 * Approves or rejects, through the engine's one way to decide. Whatever check refuses it, the answer is one and the same `forbidden`; the
 * audit log says which it was. A form is looked at only after all of them.
 */
export async function decideApproval(ctx: Ctx, input: z.output<typeof decideApprovalInput>): Promise<ApprovalView> {
  const { db, engine, principal, channel } = ctx
  const gate = await findGate(db, knownId(input.gate))
  if (!gate) throw notFound()
  const access = gateFor(principal, { teamId: gate.team.id, role: gate.role })
  const refuse = async (check: string): Promise<never> => {
    await audit(db, principal.person.id, inTeam(access), 'gate.refused', { type: 'gate', id: gate.id }, { check, channel })
    throw new ClewError('forbidden', 'You cannot decide this approval now.')
  }
  if (!can(principal, 'gate.decide', { team: access.team, role: gate.role })) return refuse('not_a_holder')
  const comment = input.comment?.trim() || null
  const result = await engine.decideGate(gate.id, {
    userId: principal.person.id,
    decision: input.decision,
    comment,
    form: input.form ?? null,
    channel,
  })
  if (!result.ok) {
    if (result.reason === 'invalid_form')
      throw new ClewError('invalid_input', 'The form has problems.', { problems: result.problems ?? [] })
    return refuse(result.reason)
  }
  await audit(db, principal.person.id, inTeam(access), 'gate.decided', { type: 'gate', id: gate.id }, { decision: input.decision, channel })
  return getApproval(ctx, { gate: gate.id })
}
