import { z } from 'zod'
import { isFinal, type WorkflowSpec } from '@/spec'
import { can, type TeamAccess } from '../../auth/can'
import { notFound } from '../../errors'
import { decisionsOf, gatesOfRun, roleHolders } from '../../store/postgres/read-gates'
import { getRun as readRun, type RunDetail } from '../../store/postgres/read-runs'
import { listSteps, mapCounts, stepAttempts, unknownOutcomes } from '../../store/postgres/read-steps'
import { stoppedRuns } from '../../store/postgres/read-stopped'
import { turnCounts } from '../../store/postgres/read-turns'
import type { Ctx } from '../context'
import { enter } from '../enter'
import { id, knownId, slug } from '../input'
import type { RunView } from '../views'
import { storedSpec } from '../workflows/spec'
import { gateShape, gateWithData } from './gates'
import { stepShapes, stepsWithData } from './steps'
import { unknownCall, unknownShape } from './unknown'
import { runShape, runSummary } from './view'

export const getRunInput = z.object({ team: slug, id })

/** One run with its steps and gates: with data for whoever may read the team's data, else its shape. */
export async function getRun(ctx: Ctx, input: z.output<typeof getRunInput>): Promise<RunView> {
  const access = await enter(ctx, 'run.read_shape', input.team)
  const run = await readRun(ctx.db, access.teamId, knownId(input.id))
  if (!run) throw notFound()
  return viewOf(ctx, access, run)
}

const startsRuns = ({ steps }: WorkflowSpec) => steps.some((step) => ('do' in step ? step.do : step).uses.startsWith('workflow:'))

async function viewOf({ db, principal }: Ctx, access: TeamAccess, run: RunDetail): Promise<RunView> {
  const { teamId, team, readsData } = access
  const settled = run.status === 'parked' || run.status === 'cancelled' || run.status === 'rejected'
  const spec = storedSpec(run.spec)
  const [steps, items, turns, attempts, stopped, gates, unknown] = await Promise.all([
    listSteps(db, teamId, run.id),
    mapCounts(db, teamId, run.id),
    spec.steps.some(({ uses }) => uses === 'agent') ? turnCounts(db, teamId, run.id) : new Map<string, number>(),
    readsData ? stepAttempts(db, teamId, run.id) : [],
    isFinal(run.status) || !startsRuns(spec) ? [] : stoppedRuns(db, teamId, run.id),
    gatesOfRun(db, teamId, run.id),
    settled ? unknownOutcomes(db, teamId, run.id) : [],
  ])
  const decisions =
    gates.length > 0
      ? await decisionsOf(
          db,
          gates.map(({ id }) => id),
        )
      : []
  const rows = { steps, items, turns, attempts, stopped, gates }
  const thing = { team, startedBy: run.startedBy.id }
  const mayCancel = !isFinal(run.status) && can(principal, 'run.cancel', thing)
  const records = unknown.length > 0 && !run.stopping && can(principal, 'run.record_outcome', thing)
  const mayRedrive = run.status === 'parked' && !run.stopping && can(principal, 'run.redrive', thing) && (unknown.length === 0 || records)
  const common = { spec: run.spec, revision: run.revision, mayCancel, mayRedrive, mayRecordOutcome: records }
  if (!readsData)
    return {
      ...runShape(run),
      ...common,
      unknown: unknown.map(unknownShape),
      steps: stepShapes(spec, rows),
      gates: gates.map((gate) => gateShape(gate, decisions)),
    }
  const open = gates.filter(({ status }) => status === 'open').map(({ role }) => role)
  const holders = open.length > 0 ? await roleHolders(db, teamId, open) : new Map<string, { id: string; name: string }[]>()
  return {
    ...runSummary(run),
    ...common,
    unknown: unknown.map((one) => unknownCall(run.id, one)),
    steps: stepsWithData(spec, rows),
    gates: gates.map((gate) => gateWithData(principal, gate, decisions, holders)),
    input: run.input,
    output: run.output,
  }
}
