import { createHash, createHmac } from 'node:crypto'
import type { Db } from '@/db/client'
import { hasNoPeople } from '../store/postgres/people'
import { storeSetupToken, unusedSetupToken } from '../store/postgres/setup-tokens'
import { deriveKey } from './keys'

/**
 * The token of the one-time set-up link, while nobody is there; null afterwards. It is derived from the time it was made, so that a
 * restart prints the same link although only the hash is stored.
 */
export async function openSetup(db: Db, secret: string): Promise<string | null> {
  if (!(await hasNoPeople(db))) return null
  const kept = await unusedSetupToken(db)
  const createdAt = kept?.createdAt ?? new Date()
  const token = createHmac('sha256', deriveKey(secret, 'setup')).update(createdAt.toISOString()).digest('base64url')
  // A new hash although a token was kept: the secret was changed since.
  if (kept?.hash !== hashSetupToken(token)) await storeSetupToken(db, { hash: hashSetupToken(token), createdAt })
  return token
}

/** Whether this token still opens the set-up page. */
export async function isSetupOpen(db: Db, token: string): Promise<boolean> {
  const [kept, empty] = await Promise.all([unusedSetupToken(db), hasNoPeople(db)])
  return empty && kept?.hash === hashSetupToken(token)
}

export const hashSetupToken = (token: string) => createHash('sha256').update(token).digest('hex')
