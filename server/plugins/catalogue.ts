import type { pluginJobs, plugins, pluginTools, pluginWorkflows } from '@/db/schema'
import type { LoadedTool, LoadResult } from './model'

/** The rows of the tables `plugins`, `plugin_tools`, `plugin_jobs` and `plugin_workflows`. */
export type Catalogue = {
  plugins: (typeof plugins.$inferInsert)[]
  tools: (typeof pluginTools.$inferInsert)[]
  jobs: (typeof pluginJobs.$inferInsert)[]
  workflows: (typeof pluginWorkflows.$inferInsert)[]
}

/** How `publish.ts` ends when it did its work. No plugin that ends the process would choose this code; 0 is what careless ones choose. */
export const PUBLISHED = 86

/** What the web process gets to know of plugins, whose code it never runs. */
export function catalogueOf({ loaded, failed }: LoadResult): Catalogue {
  return {
    plugins: [
      ...loaded.map(({ id, title, version, description }) => ({ id, title, version, description, status: 'loaded' as const, error: null })),
      ...failed.map(({ id, title, version, description, error }) => ({
        id,
        title,
        version,
        description,
        status: 'failed' as const,
        error,
      })),
    ],
    tools: loaded.flatMap(({ id, tools }) =>
      tools.map(({ tool, ...schemas }) => ({ name: tool.name, pluginId: id, ...described(tool), ...schemas })),
    ),
    jobs: loaded.flatMap(({ id, jobs }) =>
      jobs.map(({ job, ...schemas }) => ({ kind: job.kind, pluginId: id, ...described(job), ...schemas })),
    ),
    workflows: loaded.flatMap(({ id, workflows }) => workflows.map((workflow) => ({ ...workflow, pluginId: id }))),
  }
}

const described = ({ title, description, effect }: Pick<LoadedTool['tool'], 'title' | 'description' | 'effect'>) => ({
  title,
  description,
  effect,
})
