import { z } from 'zod'
import { parseWorkflow } from '@/spec'
import { enter } from '../enter'
import type { Ctx } from '../context'
import { slug } from '../input'
import { problemDetail, withPositions } from './problems'
import { warningsIn } from './warnings'

export const validateWorkflowInput = z.object({ team: slug, source: z.string() })
export const validateWorkflowOutput = z.object({
  valid: z.boolean(),
  problems: z.array(problemDetail),
  /** What may be a mistake and is none for sure; empty while there are problems. */
  warnings: z.array(problemDetail),
  canonical: z.string().optional(),
  hash: z.string().optional(),
})

/** Says everything that is wrong with a document, or may be, with places in its text. Stores nothing. */
export async function validateWorkflow(
  ctx: Ctx,
  { team, source }: z.output<typeof validateWorkflowInput>,
): Promise<z.output<typeof validateWorkflowOutput>> {
  const access = await enter(ctx, 'workflow.validate', team)
  const parsed = parseWorkflow(source)
  if (!parsed.ok) return { valid: false, problems: withPositions(source, parsed.problems), warnings: [] }
  const warnings = await warningsIn(ctx.db, access.teamId, source)
  return { valid: true, problems: [], warnings, canonical: parsed.canonical, hash: parsed.hash }
}
