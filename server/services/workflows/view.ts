import type { WorkflowSpec } from '@/spec'
import type { ToolOverview } from '../../store/postgres/policies'
import type { DefinitionDetail, DefinitionOverview } from '../../store/postgres/read-workflows'
import { iso } from '../time'
import type { WorkflowRow } from '../views'
import { summaryOf } from './spec'

type Shown = { definition: DefinitionDetail; spec: WorkflowSpec; runs: Pick<DefinitionOverview, 'lastRuns' | 'medianSeconds'> }

type Viewer = { tools: ReadonlyMap<string, ToolOverview>; locale: string; mayRun: boolean }

export const workflowRow = ({ definition, spec, runs }: Shown, { tools, locale, mayRun }: Viewer): WorkflowRow => ({
  slug: definition.slug,
  title: spec.title,
  summary: summaryOf(spec, tools, locale),
  version: definition.version,
  source: definition.source,
  lastRuns: runs.lastRuns.map((run) => ({ ...run, createdAt: iso(run.createdAt) })),
  medianSeconds: runs.medianSeconds,
  mayRun: mayRun && definition.status === 'active',
})
