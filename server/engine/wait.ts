import { resolveValue, WAIT_SECONDS_MAX, type Json } from '@/spec'
import { hasFormat } from '@/spec/formats'
import type { Driving } from './decide'
import type { EngineError, EngineEvent, StepRef } from './model'
import { stepOf } from './plan'
import { scopeFor } from './scope'
import { instantOf, later } from './time'

type At = { stepId: string; epoch: number }
const rowOf = ({ stepId, epoch }: At): StepRef => ({ stepId, item: -1, call: '', epoch })

/** Sets a wait's timer, or lets it pass at once where its time is past. A deadline that was kept while the run stood still counts on. */
export async function setTimer({ tx, plan }: Driving, { stepId, epoch }: At): Promise<EngineEvent> {
  const at: At = { stepId, epoch }
  const { seconds, until } = stepOf(plan, stepId, 'wait')
  const scope = await scopeFor(tx, seconds, until)
  const time =
    until === undefined ? afterSeconds(tx.now, resolveValue(seconds ?? null, scope)) : atInstant(tx.now, resolveValue(until, scope))
  if (!time.ok) {
    const error: EngineError = { code: 'wait_invalid', message: time.message, stepId }
    await tx.settleStep(rowOf(at), 'failed', { error })
    return { type: 'wait_failed', ...at, error }
  }
  const dueAt = await tx.setTimer({ ...at, dueAt: time.at })
  if (dueAt <= tx.now) return fired({ tx }, at, dueAt)
  await tx.settleStep(rowOf(at), 'waiting', { input: { until: dueAt.toISOString() } })
  return { type: 'timer_set', ...at }
}

/** Records that a wait is over. */
export async function fired({ tx }: Pick<Driving, 'tx'>, { stepId, epoch }: At, dueAt: Date): Promise<EngineEvent> {
  await tx.fireTimer(stepId, epoch)
  await tx.settleStep(rowOf({ stepId, epoch }), 'succeeded', { output: { waited_until: dueAt.toISOString() } })
  return { type: 'timer_fired', stepId, epoch }
}

type Time = { ok: true; at: Date } | { ok: false; message: string }

function afterSeconds(now: Date, seconds: Json): Time {
  if (typeof seconds !== 'number') return { ok: false, message: `'seconds' is not a number but ${typeName(seconds)}` }
  if (seconds > WAIT_SECONDS_MAX) return { ok: false, message: `'seconds' is ${seconds}, and a wait lasts at most ${WAIT_SECONDS_MAX}` }
  return { ok: true, at: later(now, Math.ceil(Math.max(seconds, -WAIT_SECONDS_MAX) * 1000)) }
}

function atInstant(now: Date, until: Json): Time {
  const at = typeof until === 'string' && hasFormat('date-time', until) ? instantOf(until) : undefined
  if (!at) {
    const found = typeof until === 'string' ? 'another text' : typeName(until)
    return { ok: false, message: `'until' is not a date and time with offset such as 2026-01-31T09:00:00Z, but ${found}` }
  }
  if (at > later(now, WAIT_SECONDS_MAX * 1000)) return { ok: false, message: "'until' lies more than a year ahead" }
  return { ok: true, at }
}

const typeName = (value: Json) =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
