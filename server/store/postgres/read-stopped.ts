import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { TeamId } from '@/server/auth/ids'
import { ofRun } from './read-steps'

/** A step or item that waits for a run which stopped and needs attention: one that it started, or one that such a run started in turn. */
export type Stopped = { stepId: string; item: number; runId: string }

/**
 * What this run waits for and will not go on by itself, in the order of the items. A run above a stopped one is `running` itself: only
 * its children tell. Of one map's items from `first` on where given, else the first of every step.
 */
export async function stoppedRuns(
  db: Db,
  teamId: TeamId,
  runId: string,
  of?: { stepId: string; first: number; limit: number },
): Promise<Stopped[]> {
  const which = of ? sql`AND s.step_id = ${of.stepId} AND s.item >= ${of.first} AND s.item < ${of.first + of.limit}` : sql``
  const { rows } = await db.execute<Stopped>(sql`
    WITH RECURSIVE below AS (
      SELECT s.step_id, s.item, c.id, c.status FROM workflow_steps s JOIN workflow_runs c ON c.id = s.child_run_id
      WHERE ${ofRun('s', teamId, runId)} AND s.status = 'waiting' ${which}
      UNION ALL
      SELECT b.step_id, b.item, c.id, c.status FROM below b JOIN workflow_runs c ON c.parent_run_id = b.id
      WHERE b.status IN ('running', 'awaiting_approval'))
    SELECT DISTINCT ON (step_id${of ? sql`, item` : sql``}) step_id AS "stepId", item, id AS "runId" FROM below
    WHERE status = 'parked' ORDER BY step_id, item, id`)
  return rows
}
