import type { Ctx } from '../context'

export async function countApprovals(ctx: Ctx): Promise<{ waiting: number }> {
  throw new Error(`being built: ${ctx.channel}`)
}
