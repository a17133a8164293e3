import type { Db } from '@/db/client'
import { insertAudit } from '../store/postgres/audit'

/** Every action and what its row holds besides ids: codes and counts, never text that a person wrote. */
type Actions = {
  'session.signed_in': { object: 'session'; details: { method: 'password' | 'demo' } }
  'session.signed_out': { object: 'session'; details: Record<never, never> }
  'session.refused': { object: 'person'; details: { reason: 'password' | 'rate_limited' } }
  'workflow.published': { object: 'workflow'; details: { version: number; hash: string } }
  'run.started': { object: 'run'; details: { workflow: string; version: number; parent?: string } }
  'run.cancelled': { object: 'run'; details: Record<never, never> }
  'run.redriven': { object: 'run'; details: { repeated: number; kept: number } }
  'run.outcome_recorded': { object: 'run'; details: { step: string; item: number; happened: boolean } }
  'gate.decided': { object: 'gate'; details: { decision: 'approve' | 'reject'; channel: string } }
  'gate.refused': { object: 'gate'; details: { check: string; channel: string } }
  'api_key.created': { object: 'api_key'; details: { scopes: string; days: number } }
  'api_key.revoked': { object: 'api_key'; details: Record<never, never> }
  'access.refused': { object: 'team'; details: { action: string } }
  'setup.completed': { object: 'org'; details: Record<never, never> }
}
export type AuditAction = keyof Actions

type Where = { orgId: string | null; teamId: string | null }

/** Appends one row to the audit log. `actorId` null: nobody was signed in. */
export async function audit<A extends AuditAction>(
  db: Pick<Db, 'insert'>,
  actorId: string | null,
  where: Where,
  action: A,
  object: { type: Actions[A]['object']; id: string },
  details: Actions[A]['details'],
): Promise<void> {
  await insertAudit(db, { ...where, actorId, action, objectType: object.type, objectId: object.id, details: { ...details } })
}

/** The audit's place of a team's things. */
export const inTeam = ({ team }: { team: { id: string; orgId: string } }): Where => ({ orgId: team.orgId, teamId: team.id })
