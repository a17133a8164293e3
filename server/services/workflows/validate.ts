import { z } from 'zod'
import { parseWorkflow } from '@/spec'
import { enter } from '../enter'
import type { Ctx } from '../context'
import { slug } from '../input'
import { problemDetail, withPositions } from './problems'

export const validateWorkflowInput = z.object({ team: slug, source: z.string() })
export const validateWorkflowOutput = z.object({
  valid: z.boolean(),
  problems: z.array(problemDetail),
  canonical: z.string().optional(),
  hash: z.string().optional(),
})

/** Says everything that is wrong with a document, with places in its text. Stores nothing. */
export async function validateWorkflow(
  ctx: Ctx,
  { team, source }: z.output<typeof validateWorkflowInput>,
): Promise<z.output<typeof validateWorkflowOutput>> {
  await enter(ctx, 'workflow.validate', team)
  const parsed = parseWorkflow(source)
  return parsed.ok
    ? { valid: true, problems: [], canonical: parsed.canonical, hash: parsed.hash }
    : { valid: false, problems: withPositions(source, parsed.problems) }
}
