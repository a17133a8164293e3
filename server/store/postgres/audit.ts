import type { Db } from '@/db/client'
import { auditLog } from '@/db/schema'

export type AuditRow = {
  orgId: string | null
  teamId: string | null
  actorId: string | null
  action: string
  objectType: string
  objectId: string
  details: Record<string, string | number | boolean | null>
}

/** Appends one row; within a transaction it stands or falls with what it tells of. */
export async function insertAudit(db: Pick<Db, 'insert'>, row: AuditRow): Promise<void> {
  await db.insert(auditLog).values(row)
}
