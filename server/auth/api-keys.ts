import { createHash, randomBytes } from 'node:crypto'
import type { Db } from '@/db/client'
import { findLiveApiKey } from '../store/postgres/api-keys'
import { loadPrincipal, SCOPES, type Principal, type Scope } from './principal'

/** A new key. 256 random bits: hashing it slowly would protect nothing. */
export function mintApiKey(): { key: string; prefix: string; hash: string } {
  const key = `clew_${randomBytes(32).toString('base64url')}`
  return { key, prefix: key.slice(0, 11), hash: hashApiKey(key) }
}

/** Who an `Authorization: Bearer` header speaks for. Null: no such key, or it was revoked, expired, or its owner left. */
export async function principalOfKey(db: Db, authorization: string | null): Promise<Principal | null> {
  const key = /^Bearer (clew_[\w-]{43})$/i.exec(authorization ?? '')?.[1]
  const found = key && (await findLiveApiKey(db, hashApiKey(key)))
  if (!found) return null
  const scopes = found.scopes.filter((scope): scope is Scope => (SCOPES as readonly string[]).includes(scope))
  return loadPrincipal(db, found.userId, { kind: 'api_key', keyId: found.id, teamId: found.teamId, scopes })
}

const hashApiKey = (key: string) => createHash('sha256').update(key).digest('hex')
