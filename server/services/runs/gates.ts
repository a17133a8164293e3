import type { Principal } from '../../auth/principal'
import type { DecisionDetail, GateDetail } from '../../store/postgres/read-gates'
import { cannotDecide, nobodyLeft, stillToAnswer } from '../approvals/refusal'
import { decisionView } from '../approvals/view'
import { iso, isoOrNull } from '../time'
import type { GateData, GateShape } from '../views'

/** A gate without what is shown or said at it: also what the org admin sees. */
export const gateShape = (gate: GateDetail, decisions: readonly DecisionDetail[]): GateShape => ({
  id: gate.id,
  stepId: gate.stepId,
  title: gate.title,
  role: gate.role,
  status: gate.status,
  openedAt: iso(gate.openedAt),
  expiresAt: iso(gate.expiresAt),
  settledAt: isoOrNull(gate.settledAt),
  approvals: gate.approvals,
  decided: decisions.filter(({ gateId }) => gateId === gate.id).length,
})

export const gateWithData = (
  principal: Principal,
  gate: GateDetail,
  decisions: readonly DecisionDetail[],
  holders: ReadonlyMap<string, { id: string; name: string }[]>,
): GateData => ({
  ...gateShape(gate, decisions),
  waitingFor: stillToAnswer(gate, decisions, holders.get(gate.role) ?? []).map(({ name }) => name),
  nobodyLeft: nobodyLeft(principal, gate, decisions, holders.get(gate.role) ?? []),
  mayDecide: cannotDecide(principal, gate, decisions) === null,
  decisions: decisions.filter(({ gateId }) => gateId === gate.id).map(decisionView),
})
