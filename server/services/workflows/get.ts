import { z } from 'zod'
import type { Ctx } from '../context'
import { slug } from '../input'
import type { WorkflowView } from '../views'

export const getWorkflowInput = z.object({ team: slug, slug, version: z.int().min(1).optional() })

export async function getWorkflow(ctx: Ctx, input: z.output<typeof getWorkflowInput>): Promise<WorkflowView> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
