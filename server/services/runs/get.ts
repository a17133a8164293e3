import { z } from 'zod'
import type { Ctx } from '../context'
import { id, slug } from '../input'
import type { RunView } from '../views'

export const getRunInput = z.object({ team: slug, id })

export async function getRun(ctx: Ctx, input: z.output<typeof getRunInput>): Promise<RunView> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
