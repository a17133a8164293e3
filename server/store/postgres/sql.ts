import { type SQL, sql } from 'drizzle-orm'
import type { Json } from '@/spec'
import type { EngineError, StepRef } from '@/server/engine/model'
import type { StepData, StepRow } from '@/server/engine/ports'
import type { Deferral, DeferralReason } from '@/server/engine/quota'

/** A document as a parameter: text that the server casts. Nothing on the way looks into it, so `\u0000` and key order survive. */
export const doc = (value: unknown): SQL => sql`${value === undefined || value === null ? null : JSON.stringify(value)}::json`

/** Like `doc`, where the value null is something other than no value: an output, an item of a map. */
export const docOrNull = (value: Json | undefined): SQL => sql`${value === undefined ? null : JSON.stringify(value)}::json`

/** One value of each row, as an array for `unnest`. */
export const column = <T, V>(rows: readonly T[], pick: (row: T) => V) => sql.param(rows.map(pick))

/** PostgreSQL's text refuses U+0000, and by then an effect may have happened: a person reads a replacement character instead. */
export const plainText = (text: string): string => text.replaceAll('\u0000', '\uFFFD')

export const parseDoc = <T = Json>(text: string | null): T | null => (text === null ? null : (JSON.parse(text) as T))

/** Drizzle's raw rows hold instants as text. */
export const instant = (text: string): Date => new Date(text)
export const instantOrNull = (text: string | null): Date | null => (text === null ? null : new Date(text))

/** The one row of a step, an item or an undo, by the whole primary key. */
export const isRow = (runId: string, ref: StepRef): SQL =>
  sql`s.run_id = ${runId} AND s.step_id = ${ref.stepId} AND s.item = ${ref.item} AND s.call = ${ref.call} AND s.epoch = ${ref.epoch}`

export const STEP_KEY = sql.raw('run_id, step_id, item, call, epoch')

/** The columns that `stepRow` reads, of the alias `s`. */
export const STEP_COLUMNS = sql.raw(
  's.step_id, s.item, s.call, s.epoch, s.status, s.attempt, s.key_epoch, s.job_id, s.seq, s.item_value, s.output, s.error, s.compensation, s.started_at, s.deferred_until, s.deferred_for',
)

export type RawStep = {
  step_id: string
  item: number
  call: StepRef['call']
  epoch: number
  status: string
  attempt: number
  key_epoch: number
  job_id: string | null
  seq: number | null
  item_value: string | null
  output: string | null
  error: string | null
  compensation: string | null
  started_at: string | null
  deferred_until: string | null
  deferred_for: DeferralReason | null
}

export const stepRow = (raw: RawStep): StepRow => ({
  stepId: raw.step_id,
  item: raw.item,
  call: raw.call,
  epoch: raw.epoch,
  status: raw.status,
  attempt: raw.attempt,
  keyEpoch: raw.key_epoch,
  jobId: raw.job_id,
  seq: raw.seq,
  itemValue: raw.item_value === null ? undefined : parseDoc(raw.item_value),
  output: raw.output === null ? undefined : parseDoc(raw.output),
  error: parseDoc<EngineError>(raw.error),
  compensation: parseDoc(raw.compensation),
  startedAt: instantOrNull(raw.started_at),
  deferred: deferral(raw),
})

/** Of a row that a quota puts off. */
export const deferral = (raw: Pick<RawStep, 'deferred_until' | 'deferred_for'>): Deferral | null =>
  raw.deferred_until === null || raw.deferred_for === null ? null : { until: instant(raw.deferred_until), reason: raw.deferred_for }

export const refOf = ({ stepId, item, call, epoch }: StepData): StepRef => ({ stepId, item, call, epoch })
