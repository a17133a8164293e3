import { z } from 'zod'
import type { Ctx } from '../context'
import { slug } from '../input'
import type { WorkflowRow } from '../views'

export const listWorkflowsInput = z.object({ team: slug, search: z.string().max(200).optional() })

export async function listWorkflows(ctx: Ctx, input: z.output<typeof listWorkflowsInput>): Promise<WorkflowRow[]> {
  throw new Error(`being built: ${ctx.channel} ${JSON.stringify(input)}`)
}
