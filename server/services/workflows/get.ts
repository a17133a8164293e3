import { z } from 'zod'
import { fieldsToJsonSchema } from '@/spec'
import { can } from '../../auth/can'
import { notFound } from '../../errors'
import { materialise } from '../../store/postgres/materialise'
import { getDefinition, getOverview, listVersions } from '../../store/postgres/read-workflows'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { slug } from '../input'
import { iso } from '../time'
import type { WorkflowView } from '../views'
import { calleesOf, inWords, knownOf, storedSpec } from './spec'
import { workflowRow } from './view'

export const getWorkflowInput = z.object({
  team: slug,
  slug,
  version: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
})

/** One workflow as it is now, or as a version of it was. */
export async function getWorkflow(ctx: Ctx, { team, slug, version }: z.output<typeof getWorkflowInput>): Promise<WorkflowView> {
  const { db, principal } = ctx
  const access = await enter(ctx, 'workflow.read', team)
  await materialise(db, access.teamId)
  const [overview, definition, versions] = await Promise.all([
    getOverview(db, access.teamId, slug),
    getDefinition(db, access.teamId, slug, version),
    listVersions(db, access.teamId, slug),
  ])
  if (!definition) throw notFound()
  const spec = storedSpec(definition.spec)
  const known = await knownOf(db, access, [spec])
  const { locale } = principal.person
  const runs = overview ?? { lastRuns: [], medianSeconds: null }
  return {
    ...workflowRow({ definition, spec, runs }, { known, locale, mayRun: can(principal, 'run.start', access) }),
    description: spec.description ?? null,
    spec: definition.spec,
    hash: definition.hash,
    createdAt: iso(definition.createdAt),
    versions: versions.map(({ version, source, createdAt, createdBy }) => ({ version, source, createdAt: iso(createdAt), createdBy })),
    plan: inWords(spec, known, locale),
    tools: Object.fromEntries(calleesOf(spec).map((name) => [name, known.callees.get(name) ?? null])),
    inputSchema: fieldsToJsonSchema(spec.input ?? {}),
  }
}
