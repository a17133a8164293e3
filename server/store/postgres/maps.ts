import { sql } from 'drizzle-orm'
import type { Json } from '@/spec'
import type { EngineError, StepRef } from '@/server/engine/model'
import type { Executor } from '@/server/queue/pg-boss'
import { lastOfSteps } from './again'
import { doc, STEP_KEY } from './sql'

/** What the results of a map may weigh together, in bytes of text. */
const LIMIT = 32 * 1024 * 1024

/** The map's own row waits for its items, each of which is a pending row with its value. */
export async function openMap(tx: Executor, runId: string, ref: StepRef, over: Json[]): Promise<void> {
  const values = over.map((value) => JSON.stringify(value))
  await tx.execute(sql`
    WITH last AS (${lastOfSteps(runId, sql`s.step_id = ${ref.stepId} AND s.item >= 0`)})
    INSERT INTO workflow_steps AS s (${STEP_KEY}, status, item_value, items, key_epoch, ambiguous, started_at)
    SELECT ${runId}::uuid, ${ref.stepId}, -1, '', ${ref.epoch}::int, 'waiting', NULL::json, ${values.length}::int, 1, false, clock_timestamp()
    UNION ALL
    SELECT ${runId}::uuid, ${ref.stepId}, (place - 1)::int, '', ${ref.epoch}::int, 'pending', value::json, NULL,
      CASE WHEN same THEN last.key_epoch ELSE COALESCE(last.key_epoch, 0) + 1 END, same AND last.ambiguous, NULL
    FROM unnest(${sql.param(values)}::text[]) WITH ORDINALITY AS x(value, place)
    LEFT JOIN last ON last.item = place - 1
    CROSS JOIN LATERAL (SELECT COALESCE(NOT last.known AND last.item_value::text = value, false) AS same) l
    ON CONFLICT (${STEP_KEY}) DO UPDATE SET status = excluded.status, item_value = excluded.item_value, items = excluded.items,
      started_at = COALESCE(s.started_at, excluded.started_at)`)
}

/** The server joins the stored texts of the items: they are never parsed, and no item passes through this process. */
export async function collectMap(
  tx: Executor,
  runId: string,
  ref: StepRef,
  status: 'succeeded' | 'failed',
  error: EngineError | undefined,
): Promise<void> {
  await tx.execute(sql`
    WITH items AS (
      SELECT DISTINCT ON (item) item, status, output, error FROM workflow_steps
      WHERE run_id = ${runId} AND step_id = ${ref.stepId} AND item >= 0 AND call = '' AND item < (
        SELECT m.items FROM workflow_steps m
        WHERE m.run_id = ${runId} AND m.step_id = ${ref.stepId} AND m.item = -1 AND m.call = '' AND m.epoch = ${ref.epoch})
      ORDER BY item, epoch DESC
    ), skipped AS (
      UPDATE workflow_steps SET status = 'skipped', finished_at = clock_timestamp()
      WHERE run_id = ${runId} AND step_id = ${ref.stepId} AND item >= 0 AND call = '' AND epoch = ${ref.epoch} AND status = 'pending'
    ), collected AS (
      SELECT json_build_object(
        'results', COALESCE(json_agg(CASE WHEN status = 'succeeded' THEN output END ORDER BY item), '[]'),
        'failed', COALESCE(json_agg(json_build_object('index', item, 'error', json_build_object('code', error -> 'code', 'message', error -> 'message'))
          ORDER BY item) FILTER (WHERE status = 'failed'), '[]')) AS output,
        COALESCE(sum(octet_length(output::text)) FILTER (WHERE status = 'succeeded'), 0) > ${LIMIT} AS too_large FROM items
    )
    INSERT INTO workflow_steps AS s (${STEP_KEY}, status, output, flag, error, finished_at)
    SELECT ${runId}::uuid, ${ref.stepId}, -1, '', ${ref.epoch}::int, ${status}, CASE WHEN too_large THEN 'null' ELSE output END,
      CASE WHEN too_large THEN 'output_truncated' END, ${doc(error)}, clock_timestamp() FROM collected
    ON CONFLICT (${STEP_KEY}) DO UPDATE SET status = excluded.status, output = excluded.output, flag = excluded.flag, error = excluded.error, finished_at = excluded.finished_at`)
}
