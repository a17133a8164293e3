import { z } from 'zod'
import type { Ctx } from '../context'
import { id } from '../input'

export const revokeKeyInput = z.object({ id })

export async function revokeKey(ctx: Ctx, input: z.output<typeof revokeKeyInput>): Promise<void> {
  throw new Error(`being built: ${ctx.channel} ${input.id}`)
}
