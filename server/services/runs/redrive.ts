import { z } from 'zod'
import { audit, inTeam } from '../../auth/audit'
import type { TeamAccess } from '../../auth/can'
import { ClewError, notFound } from '../../errors'
import { callables } from '../../store/postgres/policies'
import { getRun as readRun, type RunDetail } from '../../store/postgres/read-runs'
import type { Ctx } from '../context'
import { demand, enter } from '../enter'
import { id, knownId, slug } from '../input'
import { storedSpec } from '../workflows/spec'

export const planRedriveInput = z.object({ team: slug, id })
export const planRedriveOutput = z.object({
  /** Steps that run again, in their order. */
  again: z.array(z.string()),
  /** Of these, steps that did something which stands: each must be answered. */
  ask: z.array(z.string()),
  /** Calls of which nobody knows whether they happened; they are made again. `item` is -1 outside maps. */
  unknown: z.array(z.object({ stepId: z.string(), item: z.int() })),
})

export const redriveRunInput = z.object({
  team: slug,
  id,
  /** For each step of `ask`: `repeat` does it once more, `keep` goes on with the result that it has. */
  answers: z.record(z.string().max(64), z.enum(['repeat', 'keep'])).default({}),
})
export const redriveRunOutput = z.object({ id: z.string(), status: z.string() })

type Planned = { ok: true } | { ok: false; reason: 'not_found' | 'not_parked' | 'compensating' | 'unanswered' }

/** What continuing a stopped run would do now. Changes nothing. */
export async function planRedrive(ctx: Ctx, input: z.output<typeof planRedriveInput>): Promise<z.output<typeof planRedriveOutput>> {
  const { run, effectOf } = await entered(ctx, input)
  const planned = await ctx.engine.planRedrive(run.id, effectOf)
  if (!planned.ok) throw refused(planned)
  return planned.plan
}

/**
 * Runs again what failed or was undone in a stopped run, and what depends on it.
 * @throws {ClewError} `conflict`: the run is not stopped, something is being undone, or the answers are not those that are asked for; then
 * `problems` names each step to answer
 */
export async function redriveRun(ctx: Ctx, input: z.output<typeof redriveRunInput>): Promise<z.output<typeof redriveRunOutput>> {
  const { access, run, effectOf } = await entered(ctx, input)
  const { engine, db, principal } = ctx
  const planned = await engine.planRedrive(run.id, effectOf)
  // The call of which nobody knows is made again: whoever may say what became of it decides that too.
  if (planned.ok && planned.plan.unknown.length > 0) await demand(ctx, 'run.record_outcome', access, {})
  const { answers } = input
  const done = await engine.redrive(run.id, { by: principal.person.id, answers, effectOf })
  if (!done.ok) throw refused(done)
  const kept = Object.values(answers).filter((answer) => answer === 'keep').length
  const details = { repeated: Object.keys(answers).length - kept, kept }
  await audit(db, principal.person.id, inTeam(access), 'run.redriven', { type: 'run', id: run.id }, details)
  return { id: run.id, status: (await readRun(db, access.teamId, run.id))?.status ?? run.status }
}

async function entered(ctx: Ctx, input: { team: string; id: string }) {
  const access: TeamAccess = await enter(ctx, 'run.read_shape', input.team)
  const run: RunDetail | null = await readRun(ctx.db, access.teamId, knownId(input.id))
  if (!run) throw notFound()
  await demand(ctx, 'run.redrive', access, { startedBy: run.startedBy.id })
  const uses = storedSpec(run.spec).steps.map((step) => ('do' in step ? step.do.uses : step.uses))
  const known = await callables(ctx.db, uses)
  return { access, run, effectOf: (called: string) => known.get(called)?.effect ?? 'write' }
}

function refused(planned: Extract<Planned, { ok: false }> & { plan?: { ask: string[] } }): ClewError {
  switch (planned.reason) {
    case 'not_found':
      return notFound()
    case 'not_parked':
      return new ClewError('conflict', 'Only a run that stopped and needs attention can be continued.')
    case 'compensating':
      return new ClewError('conflict', 'What was done is being undone. Continue when that is over.')
    case 'unanswered': {
      const message = 'It did something that still stands: say whether it is done once more (repeat) or its result stays (keep).'
      const problems = (planned.plan?.ask ?? []).map((stepId) => ({ code: 'answer_needed', path: `/answers/${stepId}`, message }))
      const asked = problems.length === 0 ? 'No step needs an answer.' : 'Answer for exactly these steps whether to repeat or keep them.'
      return new ClewError('conflict', asked, { problems })
    }
  }
}
