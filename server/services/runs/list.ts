import { z } from 'zod'
import { RUN_STATUSES } from '@/spec'
import { teamsFor } from '../../auth/can'
import { listRuns as readRuns } from '../../store/postgres/read-runs'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { cursor, slug } from '../input'
import type { Page, RunRow } from '../views'
import { runShape, runSummary } from './view'

export const listRunsInput = z.object({
  team: slug.optional(),
  status: z.array(z.enum(RUN_STATUSES)).max(10).optional(),
  slug: slug.optional(),
  mine: z.boolean().optional(),
  cursor,
  limit: z.int().min(1).max(100).default(50),
})

/** Runs of one team, or of all that one may see, newest first: with data where one may read it, else their shape. */
export async function listRuns(ctx: Ctx, input: z.output<typeof listRunsInput>): Promise<Page<RunRow>> {
  const { db, principal } = ctx
  const teams = input.team === undefined ? teamsFor(principal, 'run.read_shape') : [await enter(ctx, 'run.read_shape', input.team)]
  const { rows, next } = await readRuns(
    db,
    teams.map(({ teamId }) => teamId),
    {
      statuses: input.status,
      slug: input.slug,
      startedBy: input.mine ? principal.person.id : undefined,
      cursor: input.cursor,
      limit: input.limit,
    },
  )
  const withData = new Set(teams.filter(({ readsData }) => readsData).map(({ teamId }) => teamId))
  return { rows: rows.map((run) => (withData.has(run.team.id) ? runSummary(run) : runShape(run))), next }
}
