import { z } from 'zod'
import type { Ctx } from '../context'
import { cursor } from '../input'
import type { ApprovalRow, Page } from '../views'

export const listApprovalsInput = z.object({ filter: z.enum(['waiting', 'decided', 'expired']), cursor })

export async function listApprovals(ctx: Ctx, input: z.output<typeof listApprovalsInput>): Promise<Page<ApprovalRow>> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
