import { z } from 'zod'
import { describe, fieldsToJsonSchema } from '@/spec'
import { can } from '../../auth/can'
import { notFound } from '../../errors'
import { materialise } from '../../store/postgres/materialise'
import { toolOverviews } from '../../store/postgres/policies'
import { getDefinition, getOverview, listVersions } from '../../store/postgres/read-workflows'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { slug } from '../input'
import { iso } from '../time'
import type { WorkflowView } from '../views'
import { storedSpec, toolNames } from './spec'
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
  const names = toolNames(spec)
  const tools = await toolOverviews(db, access.team.orgId, names)
  const { locale } = principal.person
  const runs = overview ?? { lastRuns: [], medianSeconds: null }
  return {
    ...workflowRow({ definition, spec, runs }, { tools, locale, mayRun: can(principal, 'run.start', access) }),
    description: spec.description ?? null,
    spec: definition.spec,
    hash: definition.hash,
    createdAt: iso(definition.createdAt),
    versions: versions.map(({ version, source, createdAt, createdBy }) => ({ version, source, createdAt: iso(createdAt), createdBy })),
    plan: describe(spec, { tools }, locale),
    tools: Object.fromEntries(names.map((name) => [name, tools.get(name) ?? null])),
    inputSchema: fieldsToJsonSchema(spec.input ?? {}),
  }
}
