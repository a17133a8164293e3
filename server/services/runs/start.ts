import { z } from 'zod'
import type { Ctx } from '../context'
import { slug } from '../input'

export const startRunInput = z.object({
  team: slug,
  slug,
  version: z.int().min(1).optional(),
  input: z.record(z.string(), z.json()),
  idempotencyKey: z.string().min(1).max(200).optional(),
})

export async function startRun(ctx: Ctx, input: z.output<typeof startRunInput>): Promise<{ id: string }> {
  throw new Error(`being built: ${ctx.channel} ${input.slug}`)
}
