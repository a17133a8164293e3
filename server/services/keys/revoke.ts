import { z } from 'zod'
import { audit } from '../../auth/audit'
import { forbidden } from '../../auth/can'
import { notFound } from '../../errors'
import { revokeApiKey } from '../../store/postgres/api-keys'
import type { Ctx } from '../context'
import { id, knownId } from '../input'

export const revokeKeyInput = z.object({ id })

/** Ends one of one's own keys at once. Doing it twice is no error. */
export async function revokeKey({ db, principal }: Ctx, input: z.output<typeof revokeKeyInput>): Promise<void> {
  if (principal.via.kind === 'api_key') throw forbidden(principal, null)
  const id = knownId(input.id)
  await db.transaction(async (tx) => {
    const key = await revokeApiKey(tx, principal.person.id, id)
    if (!key) throw notFound()
    const orgId = principal.teams.find((team) => team.id === key.teamId)?.orgId ?? null
    await audit(tx, principal.person.id, { orgId, teamId: key.teamId }, 'api_key.revoked', { type: 'api_key', id }, {})
  })
}
