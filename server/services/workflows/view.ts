import type { WorkflowSpec } from '@/spec'
import type { DefinitionDetail, DefinitionOverview } from '../../store/postgres/read-workflows'
import { iso } from '../time'
import type { WorkflowRow } from '../views'
import { type Known, summaryOf } from './spec'

type Shown = { definition: DefinitionDetail; spec: WorkflowSpec; runs: Pick<DefinitionOverview, 'lastRuns' | 'medianSeconds'> }

type Viewer = { known: Known; locale: string; mayRun: boolean }

export const workflowRow = ({ definition, spec, runs }: Shown, { known, locale, mayRun }: Viewer): WorkflowRow => ({
  slug: definition.slug,
  title: spec.title,
  ...summaryOf(spec, known, locale),
  version: definition.version,
  source: definition.source,
  lastRuns: runs.lastRuns.map((run) => ({ ...run, createdAt: iso(run.createdAt) })),
  medianSeconds: runs.medianSeconds,
  mayRun: mayRun && definition.status === 'active',
})
