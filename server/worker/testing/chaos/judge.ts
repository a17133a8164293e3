import type { Harness } from '@/server/store/postgres/testing/harness'

export type Judgement = {
  runs: number
  succeeded: number
  /** Parked because a `once` call was on a worker that died: nobody may guess. */
  outcomeUnknown: number
  /** Runs that are not there, have not ended, or have ended otherwise. */
  lost: string[]
  effects: number
  /** Calls that were made again after their worker was recorded as lost, under the same key. */
  repeatedAfterLoss: number
  /** Effects that no record explains, by their keys. */
  unexplained: string[]
  /** Steps that are recorded as succeeded and never had their effect. */
  missing: string[]
}

type Row = { run_id: string; step_id: string; item: number; status: string; once: boolean; lost: number }

/** Compares what the database says with the effects as the tools wrote them down: one line each, `<idempotency key> <attempt>`. */
export async function judge(h: Harness, started: string[], effects: string): Promise<Judgement> {
  const { rows: runs } = await h.pool.query<{ id: string; status: string; code: string | null }>(
    `SELECT id, status, error ->> 'code' AS code FROM workflow_runs`,
  )
  const { rows } = await h.pool.query<Row>(`
    SELECT s.run_id, s.step_id, s.item, s.status, d.slug = 'once' AS once, (
      SELECT count(*)::int FROM step_attempts a WHERE a.run_id = s.run_id AND a.step_id = s.step_id AND a.item = s.item
        AND a.error ->> 'code' IN ('worker_lost', 'outcome_unknown')) AS lost
    FROM workflow_steps s JOIN workflow_runs r ON r.id = s.run_id JOIN workflow_defs d ON d.id = r.def_id
    WHERE s.queue IS NOT NULL OR s.job_id IS NOT NULL`)
  const known = new Map(runs.map((run) => [run.id, run]))
  const ids = [...new Set([...started, ...known.keys()])]
  const succeeded = ids.filter((id) => known.get(id)?.status === 'succeeded')
  const unknown = ids.filter((id) => known.get(id)?.status === 'parked' && known.get(id)?.code === 'outcome_unknown')
  const ended = new Set([...succeeded, ...unknown])
  const lines = effects.split('\n').filter(Boolean)
  const byKey = Map.groupBy(lines, (line) => line.slice(0, line.lastIndexOf(' ')))
  const keyed = new Map(rows.map((row) => [`${row.run_id}:${row.step_id}${row.item < 0 ? '' : `:${row.item}`}`, row]))
  const unexplained = [...byKey].filter(([key, made]) => {
    const row = keyed.get(key)
    return !row || new Set(made).size !== made.length || made.length > (row.once ? 1 : 1 + row.lost)
  })
  const missing = [...keyed].filter(([key, row]) => row.status === 'succeeded' && !byKey.has(key))
  return {
    runs: ids.length,
    succeeded: succeeded.length,
    outcomeUnknown: unknown.length,
    lost: ids.filter((id) => !ended.has(id)).map((id) => `${id} ${known.get(id)?.status ?? 'gone'} ${known.get(id)?.code ?? ''}`),
    effects: lines.length,
    repeatedAfterLoss: lines.length - byKey.size,
    unexplained: unexplained.map(([key, made]) => `${key}: ${made.join(', ')}`),
    missing: missing.map(([key]) => key),
  }
}
