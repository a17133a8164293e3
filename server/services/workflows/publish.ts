import { z } from 'zod'
import { parseWorkflow } from '@/spec'
import { audit, inTeam } from '../../auth/audit'
import { ClewError } from '../../errors'
import { insertVersion } from '../../store/postgres/publish'
import { enter } from '../enter'
import type { Ctx } from '../context'
import { slug } from '../input'
import { problemDetail, withPositions } from './problems'
import { warningsIn } from './warnings'

export const publishWorkflowInput = z.object({ team: slug, source: z.string() })
export const publishWorkflowOutput = z.object({
  slug: z.string(),
  version: z.int(),
  hash: z.string(),
  created: z.boolean(),
  warnings: z.array(problemDetail),
})

/**
 * Publishes a document as the next version of its slug. The same content as the current version makes no new one. What may be a mistake
 * is said and hinders nothing.
 * @throws {ClewError} `invalid_spec` with every problem; nothing is stored
 */
export async function publishWorkflow(
  ctx: Ctx,
  { team, source }: z.output<typeof publishWorkflowInput>,
): Promise<z.output<typeof publishWorkflowOutput>> {
  const { db, principal } = ctx
  const access = await enter(ctx, 'workflow.publish', team)
  const parsed = parseWorkflow(source)
  if (!parsed.ok) throw new ClewError('invalid_spec', 'The workflow has problems.', { problems: withPositions(source, parsed.problems) })
  const { spec, canonical, hash } = parsed
  const stored = await db.transaction(async (tx) => {
    const made = await insertVersion(tx, access.teamId, { slug: spec.slug, spec: canonical, hash, createdBy: principal.person.id })
    if (made?.created) {
      const object = { type: 'workflow' as const, id: spec.slug }
      await audit(tx, principal.person.id, inTeam(access), 'workflow.published', object, { version: made.version, hash })
    }
    return made
  })
  if (!stored) throw new ClewError('conflict', 'Somebody else is publishing this workflow. Please try again.')
  return { slug: spec.slug, hash, ...stored, warnings: await warningsIn(db, access.teamId, source) }
}
