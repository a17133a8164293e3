import { checkInput, hideSecrets, secretFields, type Json, type Problem } from '@/spec'
import { drive, type Logged } from './driver'
import type { StepRef } from './model'
import type { Decision, Gate, RunTx } from './ports'
import { logAll, type Context } from './record'
import { msBetween, spanOf } from './telemetry'

/** What a person decided. `form` is checked for an approval and ignored for a refusal. */
export type Deciding = {
  userId: string
  decision: 'approve' | 'reject'
  comment?: string | null
  form?: Record<string, Json> | null
  channel: Decision['channel']
}

type GateRefusal = 'not_found' | 'expired' | 'closed' | 'not_a_holder' | 'own_run' | 'channel' | 'already_decided' | 'invalid_form'

/** `settled` is null while more people must approve. A refusal has changed nothing. */
export type DecideResult =
  { ok: true; runId: string; settled: 'approved' | 'rejected' | null } | { ok: false; reason: GateRefusal; problems?: Problem[] }

type Settlement = { port: 'approved' | 'rejected' | 'expired'; last: Decision | null; all: Decision[] }

/**
 * Takes one person's decision on a gate, under the run's lock and by the database clock, in the order of platform.md §3: expiry, gate open,
 * authorization, form. Who may see the gate at all is the caller's to check.
 */
export async function decideGate(context: Context, gateId: string, deciding: Deciding): Promise<DecideResult> {
  const { store } = context.ports
  const found = await store.gate(gateId)
  if (!found) return { ok: false, reason: 'not_found' }
  const done = await store.transact(found.runId, async (tx): Promise<{ result: DecideResult; logged: Logged[] }> => {
    const gate = await tx.gate(gateId)
    if (!gate) return { result: { ok: false, reason: 'not_found' }, logged: [] }
    const reason = await refusal(tx, gate, deciding)
    if (reason) return { result: { ok: false, reason }, logged: [] }
    const form = formOf(gate, deciding)
    if (!form.ok) return { result: form, logged: [] }
    return decided(context, tx, gate, { ...deciding, comment: deciding.comment ?? null, form: form.value, at: tx.now })
  })
  if (!done) return { ok: false, reason: 'not_found' }
  logAll(context.ports, done.logged)
  return done.result
}

async function refusal(tx: RunTx, gate: Gate, { userId, channel }: Deciding): Promise<GateRefusal | undefined> {
  if (gate.status === 'expired' || tx.now.getTime() >= gate.expiresAt.getTime()) return 'expired'
  if (gate.status !== 'open') return 'closed'
  if (!(await tx.holdsRole(userId, gate.role))) return 'not_a_holder'
  const initiated = userId === tx.run.principal.userId || tx.run.state.initiators?.includes(userId)
  if (initiated && !gate.selfApproval) return 'own_run'
  // The REST interface and the pages are one door: both know who is calling.
  if (!gate.channels.includes(channel === 'rest' ? 'web' : channel)) return 'channel'
  const earlier = await tx.decisions(gate.id)
  return earlier.some((one) => one.userId === userId) ? 'already_decided' : undefined
}

type FormResult = { ok: true; value: Record<string, Json> | null } | { ok: false; reason: 'invalid_form'; problems: Problem[] }

/** An answer becomes the step's output, which is there to be read: what the form declares secret in it is not kept. */
function formOf(gate: Gate, { decision, form }: Deciding): FormResult {
  if (decision === 'reject' || (gate.form === null && !form)) return { ok: true, value: null }
  const fields = gate.form ?? {}
  const checked = checkInput(fields, form ?? {})
  if (!checked.ok) return { ok: false, reason: 'invalid_form', problems: checked.problems }
  return { ok: true, value: hideSecrets(secretFields(fields), checked.value) as Record<string, Json> }
}

async function decided(context: Context, tx: RunTx, gate: Gate, decision: Decision): Promise<{ result: DecideResult; logged: Logged[] }> {
  if (!(await tx.insertDecision(gate.id, decision))) return { result: { ok: false, reason: 'already_decided' }, logged: [] }
  const all = await tx.decisions(gate.id)
  const approvals = all.filter((one) => one.decision === 'approve').length
  const port = decision.decision === 'reject' ? 'rejected' : approvals >= gate.approvals ? 'approved' : null
  const result: DecideResult = { ok: true, runId: gate.runId, settled: port }
  if (port) return { result, logged: await settleGate(context, tx, gate, { port, last: decision, all }) }
  await tx.save(tx.run.state)
  return { result, logged: [] }
}

/** Settles a gate that is past its deadline; false where there is nothing to settle (any more). */
export async function expireGate(context: Context, { gateId, runId }: { gateId: string; runId: string }): Promise<boolean> {
  const logged = await context.ports.store.transact(runId, async (tx) => {
    const gate = await tx.gate(gateId)
    if (gate?.status !== 'open' || tx.now.getTime() < gate.expiresAt.getTime()) return null
    return settleGate(context, tx, gate, { port: 'expired', last: null, all: await tx.decisions(gateId) })
  })
  if (logged) logAll(context.ports, logged)
  return logged !== null
}

async function settleGate(context: Context, tx: RunTx, gate: Gate, settlement: Settlement): Promise<Logged[]> {
  const { stepId, epoch } = gate
  const { port } = settlement
  const ref: StepRef = { stepId, item: -1, call: '', epoch }
  await tx.settleGate(gate.id, port)
  await tx.settleStep(ref, 'succeeded', { output: outputOf(settlement, tx.now) })
  const fields = { run_id: tx.run.id, step_id: stepId, gate_id: gate.id, port, duration_ms: msBetween(gate.openedAt, tx.now) }
  const resolved: Logged = ['gate_resolve', fields, spanOf(tx.run, gate.openedAt, tx.now)]
  const driving = { tx, plan: context.plans.of(tx.run.definition), newId: context.ports.newId }
  const event =
    port === 'expired' ? ({ type: 'gate_expired', stepId, epoch } as const) : ({ type: 'gate_decided', stepId, epoch, port } as const)
  return [resolved, ...(await drive(driving, [event]))]
}

/** What `${steps.<gate>.output}` shows: the same fields on every port (spec-v1.md §3). */
function outputOf({ port, last, all }: Settlement, now: Date): Json {
  return {
    decision: port,
    decided_by: last?.userId ?? null,
    channel: last?.channel ?? null,
    comment: last?.comment ?? null,
    form: last?.form ?? null,
    at: (last?.at ?? now).toISOString(),
    approvals: all
      .filter((one) => one.decision === 'approve')
      .map((one) => ({ decided_by: one.userId, channel: one.channel, comment: one.comment, at: one.at.toISOString() })),
  }
}
