import { RUN_STATUSES } from '@/spec'
import { z } from 'zod'
import type { Ctx } from '../context'
import { cursor, slug } from '../input'
import type { Page, RunRow } from '../views'

export const listRunsInput = z.object({
  team: slug.optional(),
  status: z.array(z.enum(RUN_STATUSES)).max(10).optional(),
  slug: slug.optional(),
  mine: z.boolean().optional(),
  cursor,
  limit: z.int().min(1).max(100).optional(),
})

export async function listRuns(ctx: Ctx, input: z.output<typeof listRunsInput>): Promise<Page<RunRow>> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
