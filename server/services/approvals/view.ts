import { fieldsToJsonSchema, referencesIn } from '@/spec'
import type { Principal } from '../../auth/principal'
import type { DecisionDetail, GateDetail } from '../../store/postgres/read-gates'
import { iso } from '../time'
import type { ApprovalRow, ApprovalView, DecisionView } from '../views'
import { cannotDecide } from './refusal'

export const decisionView = ({ by, decision, channel, comment, at }: DecisionDetail): DecisionView => ({
  by,
  decision,
  channel,
  comment,
  at: iso(at),
})

const inShort = (principal: Principal, gate: GateDetail, decisions: readonly DecisionDetail[]): Omit<ApprovalRow, 'shown'> => ({
  id: gate.id,
  team: { slug: gate.team.slug, name: gate.team.name },
  workflow: { slug: gate.workflow.slug, title: gate.workflow.title },
  title: gate.title,
  status: gate.status,
  startedBy: gate.startedBy.name,
  openedAt: iso(gate.openedAt),
  expiresAt: iso(gate.expiresAt),
  cannotDecide: cannotDecide(principal, gate, decisions),
})

export const approvalRow = (principal: Principal, gate: GateDetail, decisions: readonly DecisionDetail[]): ApprovalRow => ({
  ...inShort(principal, gate, decisions),
  shown: shortly(gate),
})

const SHOWN_MAX = 3
const TEXT_MAX = 80

/** The titles of those entries that show a field of the input as it is: what the form asked for keeps its name. Others have none. */
export function titlesOfShown({ written: { input, show } }: Pick<GateDetail, 'written'>): Record<string, string> {
  const titles = Object.entries(show).flatMap(([name, value]) => {
    const reference = typeof value === 'string' ? referencesIn(value)[0] : undefined
    if (reference?.root !== 'input' || reference.path.length > 0 || !Object.hasOwn(input, reference.name)) return []
    const title = input[reference.name]?.title
    return title ? [[name, title] as const] : []
  })
  return Object.fromEntries(titles)
}

function shortly(gate: GateDetail): ApprovalRow['shown'] {
  const { show } = gate
  const titles = titlesOfShown(gate)
  const plain = Object.entries(show).filter(([, value]) => value !== null && typeof value !== 'object')
  return plain.slice(0, SHOWN_MAX).map(([name, value]) => {
    const text = String(value).replaceAll(/\s+/g, ' ').trim()
    return {
      name,
      title: Object.hasOwn(titles, name) ? (titles[name] ?? null) : null,
      text: text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX).toWellFormed()}…` : text,
    }
  })
}

/** `readsRun`: whether this person may open the run itself. */
export const approvalView = (
  principal: Principal,
  gate: GateDetail,
  decisions: readonly DecisionDetail[],
  readsRun: boolean,
): ApprovalView => ({
  ...inShort(principal, gate, decisions),
  message: gate.message,
  show: gate.show,
  titles: titlesOfShown(gate),
  form: gate.form,
  formSchema: gate.form && fieldsToJsonSchema(gate.form),
  role: gate.role,
  approvals: gate.approvals,
  decisions: decisions.map(decisionView),
  run: readsRun ? { id: gate.runId } : null,
})
