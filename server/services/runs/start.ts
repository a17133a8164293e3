import { z } from 'zod'
import { checkInput, type Json } from '@/spec'
import { audit, inTeam } from '../../auth/audit'
import type { TeamAccess } from '../../auth/can'
import { uuidOf } from '../../engine/hash'
import { ClewError, notFound } from '../../errors'
import { materialise } from '../../store/postgres/materialise'
import { getRun as readRun } from '../../store/postgres/read-runs'
import { getDefinition } from '../../store/postgres/read-workflows'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { jsonObject, slug, text } from '../input'
import { storedSpec } from '../workflows/spec'

export const startRunInput = z.object({
  team: slug,
  slug,
  version: z
    .int()
    .min(1)
    .max(2 ** 31 - 1)
    .optional(),
  input: jsonObject,
  idempotencyKey: text(200).min(1).optional(),
})

/**
 * Starts a run as this person. The same `idempotencyKey` in the same team names the same run: asked again, it starts nothing and gives
 * that run's id.
 * @throws {ClewError} `invalid_input` with pointers into `input`; `conflict` when the key was used for something else
 */
export async function startRun(ctx: Ctx, input: z.output<typeof startRunInput>): Promise<{ id: string }> {
  const { db, engine, principal } = ctx
  const access = await enter(ctx, 'run.start', input.team)
  await materialise(db, access.teamId)
  const found = await getDefinition(db, access.teamId, input.slug, input.version)
  if (!found) throw notFound()
  if (found.status === 'archived') throw new ClewError('conflict', 'This version is archived and cannot be started.')
  const checked = checkInput(storedSpec(found.spec).input ?? {}, input.input)
  if (!checked.ok) throw new ClewError('invalid_input', 'The input has problems.', { problems: checked.problems })

  // The run's id follows from the key, so the primary key is what keeps a second run out.
  const keyed = input.idempotencyKey === undefined ? undefined : uuidOf(`run ${access.teamId} ${input.idempotencyKey}`)
  const earlier = keyed && (await earlierRun(ctx, access, keyed, input.slug, checked.value))
  if (earlier) return earlier
  const definition = { id: found.id, teamId: access.teamId, slug: found.slug, version: found.version, spec: found.spec }
  const starter = { userId: principal.person.id, teamId: access.teamId, locale: principal.person.locale }
  try {
    const id = await engine.start({ ...(keyed ? { id: keyed } : {}), definition, principal: starter, input: checked.value })
    await audit(
      db,
      principal.person.id,
      inTeam(access),
      'run.started',
      { type: 'run', id },
      { workflow: found.slug, version: found.version },
    )
    return { id }
  } catch (error) {
    // Two requests with one key at once: the other one was faster.
    const theirs = keyed && (await earlierRun(ctx, access, keyed, input.slug, checked.value))
    if (theirs) return theirs
    throw error
  }
}

async function earlierRun(
  { db, engine, principal }: Ctx,
  { teamId }: TeamAccess,
  id: string,
  slug: string,
  input: Record<string, Json>,
): Promise<{ id: string } | null> {
  const run = await readRun(db, teamId, id)
  if (!run) return null
  const same = run.workflow.slug === slug && run.startedBy.id === principal.person.id && (await engine.wasStartedWith(id, input))
  if (!same) throw new ClewError('conflict', 'This idempotency key was used for another start.')
  return { id }
}
