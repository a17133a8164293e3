import { z } from 'zod'
import type { Ctx } from '../context'
import { slug } from '../input'

export const publishWorkflowInput = z.object({ team: slug, source: z.string() })
export const publishWorkflowOutput = z.object({ slug: z.string(), version: z.int(), hash: z.string(), created: z.boolean() })

export async function publishWorkflow(ctx: Ctx, input: z.output<typeof publishWorkflowInput>): Promise<z.output<typeof publishWorkflowOutput>> {
  throw new Error(`being built: ${ctx.channel} ${input.team}`)
}
