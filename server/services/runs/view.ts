import type { RunOverview } from '../../store/postgres/read-runs'
import { iso, isoOrNull } from '../time'
import type { RunShape, RunSummary } from '../views'

/** A run without its data: also what the org admin sees. */
export const runShape = (run: RunOverview): RunShape => ({
  view: 'shape',
  id: run.id,
  team: run.team.slug,
  workflow: { slug: run.workflow.slug, title: run.workflow.title, version: run.workflow.version },
  status: run.status,
  stopping: run.stopping,
  startedBy: run.startedBy,
  parent: run.parent,
  createdAt: iso(run.createdAt),
  startedAt: isoOrNull(run.startedAt),
  finishedAt: isoOrNull(run.finishedAt),
  stepsSettled: run.stepsSettled,
  stepsTotal: run.stepsTotal,
  errorCode: run.error?.code ?? null,
  errorStep: run.error?.stepId ?? null,
})

export const runSummary = (run: RunOverview): RunSummary => ({
  ...runShape(run),
  view: 'data',
  title: run.title,
  errorMessage: run.error?.message ?? null,
})
