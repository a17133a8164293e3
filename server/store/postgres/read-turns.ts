import { sql } from 'drizzle-orm'
import type { Db } from '@/db/client'
import type { StoredError } from '@/db/schema'
import type { Json, StepStatus } from '@/spec'
import type { TeamId } from '@/server/auth/ids'
import { ofRun, shownUpTo } from './read-steps'
import { instantOrNull, parseDoc } from './sql'

/** A row of an agent's conversation: `t1` is its first reply, `t1.2` the second call that this reply asked for. */
export type TurnRow = {
  turn: number
  /** Null: the reply itself. */
  call: number | null
  status: StepStatus
  attempt: number
  /** Null where there is none, or it is too large to show: then the bytes of its JSON text are in `inputOmitted`. */
  input: Json
  inputOmitted: number | null
  output: Json
  outputOmitted: number | null
  error: StoredError | null
  startedAt: Date | null
  finishedAt: Date | null
}

const SHOWN_BYTES = 128 * 1024

/** Replies and calls are kept by the epoch of the agent's key: what belongs to the agent as it is now. */
const CONVERSATION = sql`s.call LIKE 't%' AND s.epoch = (
  SELECT a.key_epoch FROM workflow_steps a WHERE a.run_id = s.run_id AND a.step_id = s.step_id AND a.item = s.item AND a.call = ''
  ORDER BY a.epoch DESC LIMIT 1)`

/** What an agent said and called so far, in its order. `item` is -1 outside maps. */
export async function listTurns(db: Db, teamId: TeamId, runId: string, { stepId, item }: { stepId: string; item: number }) {
  type Raw = {
    turn: number
    number: number | null
    status: StepStatus
    attempt: number
    input: string | null
    input_omitted: number | null
    output: string | null
    output_omitted: number | null
    error: string | null
    started_at: string | null
    finished_at: string | null
  }
  const { rows } = await db.execute<Raw>(sql`
    SELECT substr(split_part(s.call, '.', 1), 2)::int AS turn, NULLIF(split_part(s.call, '.', 2), '')::int AS number,
      s.status, s.attempt, ${shownUpTo(SHOWN_BYTES, 'input')}, ${shownUpTo(SHOWN_BYTES, 'output')}, s.error, s.started_at, s.finished_at
    FROM workflow_steps s WHERE ${ofRun('s', teamId, runId)} AND s.step_id = ${stepId} AND s.item = ${item} AND ${CONVERSATION}
    ORDER BY turn, number NULLS FIRST`)
  return rows.map((raw): TurnRow => ({
    turn: raw.turn,
    call: raw.number,
    status: raw.status,
    attempt: raw.attempt,
    input: parseDoc(raw.input),
    inputOmitted: raw.input_omitted,
    output: parseDoc(raw.output),
    outputOmitted: raw.output_omitted,
    error: parseDoc<StoredError>(raw.error),
    startedAt: instantOrNull(raw.started_at),
    finishedAt: instantOrNull(raw.finished_at),
  }))
}

/** How many replies each agent outside maps has given, by its step. */
export async function turnCounts(db: Db, teamId: TeamId, runId: string): Promise<Map<string, number>> {
  const { rows } = await db.execute<{ step_id: string; turns: number }>(sql`
    SELECT s.step_id, count(*)::int AS turns FROM workflow_steps s
    WHERE ${ofRun('s', teamId, runId)} AND s.item = -1 AND strpos(s.call, '.') = 0 AND ${CONVERSATION} GROUP BY s.step_id`)
  return new Map(rows.map(({ step_id, turns }) => [step_id, turns]))
}
