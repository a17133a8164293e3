import type { Db } from '@/db/client'
import { loadRights, type Person, type TeamRights } from '../store/postgres/people'

export type { TeamRights } from '../store/postgres/people'

/** What an API key may be used for. A key's rights are its scopes ∩ its owner's live rights ∩ its one team. */
export const SCOPES = ['read:shape', 'read:data', 'start', 'control', 'approve', 'draft', 'publish'] as const
export type Scope = (typeof SCOPES)[number]

export type Via = { kind: 'session'; sessionId: string } | { kind: 'api_key'; keyId: string; teamId: string; scopes: readonly Scope[] }

/** Who acts, and what they may see right now: read from the database for every request, never from a token. */
export type Principal = { person: Person; teams: readonly TeamRights[]; adminOf: readonly string[]; via: Via }

/** Null when the person is gone or disabled. */
export async function loadPrincipal(db: Db, userId: string, via: Via): Promise<Principal | null> {
  const rights = await loadRights(db, userId)
  return rights && { ...rights, via }
}
