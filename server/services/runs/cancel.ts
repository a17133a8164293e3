import { z } from 'zod'
import { audit, inTeam } from '../../auth/audit'
import { ClewError, notFound } from '../../errors'
import { getRun as readRun } from '../../store/postgres/read-runs'
import type { Ctx } from '../context'
import { demand, enter } from '../enter'
import { id, knownId, slug } from '../input'
import type { RunView } from '../views'
import { getRun } from './get'

export const cancelRunInput = z.object({ team: slug, id })

/** Asks a run to stop: one's own, or any as an owner of the team. Asking twice is no error. */
export async function cancelRun(ctx: Ctx, input: z.output<typeof cancelRunInput>): Promise<RunView> {
  const { db, engine, principal } = ctx
  const access = await enter(ctx, 'run.read_shape', input.team)
  const run = await readRun(db, access.teamId, knownId(input.id))
  if (!run) throw notFound()
  await demand(ctx, 'run.cancel', access, { startedBy: run.startedBy.id })
  const cancelled = await engine.cancel(run.id)
  if (!cancelled.ok) throw cancelled.reason === 'not_found' ? notFound() : new ClewError('conflict', 'This run has ended already.')
  await audit(db, principal.person.id, inTeam(access), 'run.cancelled', { type: 'run', id: run.id }, {})
  return getRun(ctx, input)
}
