import { kindOf, type Json } from '@/spec'
import type { Plan, StepRef } from './model'
import type { Log, RunRecord, RunTx, Span } from './ports'

/* What is told of a run: ids, codes, sizes and times. */

/** The span of a step of this run; `startedAt` is a moment by the database clock. */
export function spanOf({ definition, trace }: Pick<RunRecord, 'definition' | 'trace'>, startedAt: Date, endedAt: Date): Span {
  return { of: 'step', slug: definition.slug, trace, startedAt, endedAt }
}

type StepEnd = { end: 'succeeded' | 'failed' | 'cancelled'; code?: string | null | undefined; port?: string }

/**
 * What is told of a step that ended without an attempt on a worker, some time after it began: a wait, a map, or one whose child run has ended
 * (`started`). Its row says since when it stood.
 */
export async function stepLogged(tx: RunTx, ref: StepRef, end: StepEnd, started?: string): Promise<Parameters<Log['event']>> {
  const since = (await tx.row(ref))?.startedAt ?? tx.now
  // What begins and ends in one transaction is written down after the moment for which the transaction stands.
  return endLogged(tx, ref, end, since < tx.now ? since : tx.now, started)
}

/** The same, of a step that waited when its run was stopped, and that waits no more: for people, for time, or for its items. */
export async function cancelledLogged(tx: RunTx, plan: Plan, ref: StepRef): Promise<Parameters<Log['event']>> {
  const told = await stepLogged(tx, ref, { end: 'cancelled' })
  const step = plan.graph.steps.get(ref.stepId)
  if (!step || kindOf(step) !== 'approve') return told
  const { run_id = null, step_id = null, duration_ms = null } = told[1]
  return ['gate_resolve', { run_id, step_id, port: 'withdrawn', duration_ms }, told[2]]
}

/** As `stepLogged`, of a step that ended in the transaction in which it began unless `startedAt` says otherwise. */
export function endLogged(
  tx: RunTx,
  { stepId, item, call }: StepRef,
  { end, code = null, port }: StepEnd,
  startedAt = tx.now,
  started?: string,
): Parameters<Log['event']> {
  const fields = {
    run_id: tx.run.id,
    step_id: stepId,
    item,
    call,
    code,
    end,
    ...(port === undefined ? {} : { port }),
    duration_ms: msBetween(startedAt, tx.now),
  }
  return ['step_complete', fields, { ...spanOf(tx.run, startedAt, tx.now), ...(started === undefined ? {} : { started }) }]
}

export const msBetween = (from: Date, to: Date): number => Math.max(0, to.getTime() - from.getTime())

const encoder = new TextEncoder()

/** How large a value is as JSON in UTF-8, in bytes. */
export const bytesOf = (value: Json): number => encoder.encode(JSON.stringify(value)).length
