import { z } from 'zod'
import type { Ctx } from '../context'
import { id } from '../input'
import type { ApprovalView } from '../views'

export const decideApprovalInput = z.object({
  gate: id,
  decision: z.enum(['approve', 'reject']),
  comment: z.string().max(4000).optional(),
  form: z.record(z.string(), z.json()).optional(),
})

export async function decideApproval(ctx: Ctx, input: z.output<typeof decideApprovalInput>): Promise<ApprovalView> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
