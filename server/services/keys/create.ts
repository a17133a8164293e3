import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { mintApiKey } from '../../auth/api-keys'
import { audit, inTeam } from '../../auth/audit'
import { SCOPES } from '../../auth/principal'
import { notFound } from '../../errors'
import { insertApiKey, listApiKeys } from '../../store/postgres/api-keys'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { name, slug } from '../input'
import type { ApiKeyView } from '../views'
import { keyView } from './view'

export const createKeyInput = z.object({
  team: slug,
  name: name('Please name the key, so that you recognise it later.'),
  scopes: z.array(z.enum(SCOPES)).min(1, 'Please choose what the key may do.'),
  days: z.int().min(1).max(366).default(90),
})

/** Makes a key for one team. The key itself is in this answer and nowhere else. */
export async function createKey(ctx: Ctx, { team, ...input }: z.output<typeof createKeyInput>): Promise<ApiKeyView & { key: string }> {
  const { db, principal } = ctx
  const access = await enter(ctx, 'key.create', team)
  const scopes = [...new Set(input.scopes)]
  const { key, prefix, hash } = mintApiKey()
  const id = randomUUID()
  await db.transaction(async (tx) => {
    await insertApiKey(tx, {
      id,
      userId: principal.person.id,
      teamId: access.teamId,
      name: input.name,
      prefix,
      hash,
      scopes,
      days: input.days,
    })
    const details = { scopes: scopes.join(' '), days: input.days }
    await audit(tx, principal.person.id, inTeam(access), 'api_key.created', { type: 'api_key', id }, details)
  })
  const [row] = await listApiKeys(db, principal.person.id, id)
  if (!row) throw notFound()
  return { ...keyView(row), key }
}
