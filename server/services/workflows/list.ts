import { z } from 'zod'
import { can } from '../../auth/can'
import { materialise } from '../../store/postgres/materialise'
import { listDefinitions } from '../../store/postgres/read-workflows'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { slug, text } from '../input'
import type { WorkflowRow } from '../views'
import { knownOf, storedSpec } from './spec'
import { workflowRow } from './view'

export const listWorkflowsInput = z.object({ team: slug, search: text(200).optional() })

/** The team's workflows by title; `search` looks in title, slug and summary. The plugins' own are there from the first look. */
export async function listWorkflows(ctx: Ctx, { team, search }: z.output<typeof listWorkflowsInput>): Promise<WorkflowRow[]> {
  const { db, principal } = ctx
  const access = await enter(ctx, 'workflow.read', team)
  await materialise(db, access.teamId)
  const found = (await listDefinitions(db, access.teamId)).map((definition) => ({
    definition,
    spec: storedSpec(definition.spec),
    runs: definition,
  }))
  const known = await knownOf(
    db,
    access,
    found.map(({ spec }) => spec),
  )
  const seen = { known, locale: principal.person.locale, mayRun: can(principal, 'run.start', access) }
  const wanted = search?.trim().toLowerCase() ?? ''
  return found
    .map((one) => workflowRow(one, seen))
    .filter(({ title, slug, summary }) => [title, slug, summary].some((shown) => shown.toLowerCase().includes(wanted)))
    .toSorted((a, b) => a.title.localeCompare(b.title) || a.slug.localeCompare(b.slug))
}
