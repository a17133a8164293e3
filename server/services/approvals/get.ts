import { z } from 'zod'
import type { Ctx } from '../context'
import { id } from '../input'
import type { ApprovalView } from '../views'

export const getApprovalInput = z.object({ gate: id })

export async function getApproval(ctx: Ctx, input: z.output<typeof getApprovalInput>): Promise<ApprovalView> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
