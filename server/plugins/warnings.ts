import { type Catalogue, type Warning, warningsOf, type WorkflowSpec } from '@/spec'
import type { LoadResult } from './model'

/** What may be a mistake in the workflows that plugins bring, by what all of them bring. Of teams, their roles and workflows, nothing is known here. */
export function workflowWarnings({ loaded }: LoadResult): { plugin: string; workflow: string; warning: Warning }[] {
  const catalogue: Catalogue = {
    tools: new Map(
      loaded
        .flatMap(({ tools }) => tools)
        .map(({ tool: { name, title, effect }, inputSchema: input, outputSchema: output }) => [name, { title, effect, input, output }]),
    ),
    jobs: new Map(
      loaded
        .flatMap(({ jobs }) => jobs)
        .map(({ job: { kind, title, effect }, inputSchema: input, outputSchema: output }) => [kind, { title, effect, input, output }]),
    ),
  }
  return loaded.flatMap(({ id, workflows }) =>
    workflows.flatMap(({ slug, spec }) => {
      const warnings = warningsOf(JSON.parse(spec) as WorkflowSpec, catalogue)
      return warnings.map((warning) => ({ plugin: id, workflow: slug, warning }))
    }),
  )
}
