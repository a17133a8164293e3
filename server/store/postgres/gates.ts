import { sql } from 'drizzle-orm'
import type { Fields, Json } from '@/spec'
import type { Decision, Gate, NewGate } from '@/server/engine/ports'
import type { Executor } from '@/server/queue/pg-boss'
import { doc, instant, instantOrNull, parseDoc, plainText } from './sql'

export type RawGate = {
  id: string
  run_id: string
  step_id: string
  epoch: number
  role: string
  status: Gate['status']
  channels: string[]
  approvals: number
  self_approval: boolean
  require_sign_in: boolean
  title: string
  message: string | null
  show: string
  form: string | null
  shown_hash: string
  opened_at: string
  expires_at: string
}

export async function openGate(tx: Executor, runId: string, gate: NewGate): Promise<void> {
  await tx.execute(sql`
    INSERT INTO gates (id, run_id, team_id, step_id, epoch, role, channels, approvals, self_approval, require_sign_in, title, message, show, form,
      shown_hash, opened_at, expires_at)
    SELECT ${gate.id}::uuid, r.id, r.team_id, ${gate.stepId}, ${gate.epoch}::int, ${gate.role}, ${sql.param(gate.channels)}::text[], ${gate.approvals}::int,
      ${gate.selfApproval}::bool, ${gate.requireSignIn}::bool, ${plainText(gate.title)}, ${doc(gate.message)}, ${doc(gate.show)}, ${doc(gate.form)},
      ${gate.shownHash}, clock_timestamp(), ${gate.expiresAt}::timestamptz
    FROM workflow_runs r WHERE r.id = ${runId}`)
}

export async function gate(db: Executor, gateId: string): Promise<Gate | null> {
  const { rows } = await db.execute<RawGate>(sql`SELECT * FROM gates WHERE id = ${gateId}`)
  return rows[0] ? gateOf(rows[0]) : null
}

export const gateOf = (raw: RawGate): Gate => ({
  id: raw.id,
  runId: raw.run_id,
  stepId: raw.step_id,
  epoch: raw.epoch,
  role: raw.role,
  status: raw.status,
  channels: raw.channels,
  approvals: raw.approvals,
  selfApproval: raw.self_approval,
  requireSignIn: raw.require_sign_in,
  title: raw.title,
  message: parseDoc(raw.message),
  show: JSON.parse(raw.show) as Record<string, Json>,
  form: parseDoc<Fields>(raw.form),
  shownHash: raw.shown_hash,
  openedAt: instant(raw.opened_at),
  expiresAt: instant(raw.expires_at),
})

export async function settleGate(tx: Executor, gateId: string, status: 'approved' | 'rejected' | 'expired'): Promise<void> {
  const { rowCount } = await tx.execute(
    sql`UPDATE gates SET status = ${status}, settled_at = clock_timestamp() WHERE id = ${gateId} AND status = 'open'`,
  )
  if (rowCount !== 1) throw new Error(`gate ${gateId} is not open`)
}

/** Somebody whose account is switched off holds no role. */
export async function holdsRole(tx: Executor, teamId: string, userId: string, role: string): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    SELECT 1 FROM role_grants g JOIN users u ON u.id = g.user_id
    WHERE g.team_id = ${teamId} AND g.user_id = ${userId} AND g.role = ${role} AND u.disabled_at IS NULL`)
  return rowCount === 1
}

export async function insertDecision(tx: Executor, gateId: string, d: Decision): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    INSERT INTO gate_decisions (gate_id, user_id, decision, comment, form, channel, at)
    VALUES (${gateId}, ${d.userId}, ${d.decision}, ${d.comment === null ? null : plainText(d.comment)}, ${doc(d.form)}, ${d.channel}, ${d.at})
    ON CONFLICT DO NOTHING`)
  return rowCount === 1
}

export async function decisions(tx: Executor, gateId: string): Promise<Decision[]> {
  type Raw = {
    user_id: string
    decision: Decision['decision']
    comment: string | null
    form: string | null
    channel: Decision['channel']
    at: string
  }
  // Rows are only ever added: of two that were decided in the same millisecond the first stands before the other.
  const { rows } = await tx.execute<Raw>(sql`
    SELECT user_id, decision, comment, form, channel, at FROM gate_decisions WHERE gate_id = ${gateId} ORDER BY at, ctid`)
  return rows.map((raw) => ({
    userId: raw.user_id,
    decision: raw.decision,
    comment: raw.comment,
    form: parseDoc<Record<string, Json>>(raw.form),
    channel: raw.channel,
    at: instant(raw.at),
  }))
}

export async function dueGates(db: Executor, limit: number): Promise<{ due: { gateId: string; runId: string }[]; next: Date | null }> {
  const { rows } = await db.execute<{ gate_id: string; run_id: string }>(sql`
    SELECT id AS gate_id, run_id FROM gates WHERE status = 'open' AND expires_at <= clock_timestamp() ORDER BY expires_at LIMIT ${limit}`)
  const next = await db.execute<{ next: string | null }>(
    sql`SELECT min(expires_at) AS next FROM gates WHERE status = 'open' AND expires_at > clock_timestamp()`,
  )
  return { due: rows.map((row) => ({ gateId: row.gate_id, runId: row.run_id })), next: instantOrNull(next.rows[0]?.next ?? null) }
}
