import type { Catalogue, WorkflowSpec } from '@/spec'
import { type Terminal, Usage } from './terminal'

/** What these plugins bring, for warnings and titles; nothing is known, and nothing said, without them. */
export async function knownThings(dir: string | undefined, terminal: Terminal): Promise<Catalogue> {
  if (dir === undefined) return {}
  // Late: a check without plugins need not load what loads them.
  const { loadPlugins } = await import('@/server/plugins/loader')
  const { loaded, failed } = await loadPlugins({ dir, pool: null }).catch((error: unknown) => {
    throw new Usage(`--plugins ${dir}: ${(error as Error).message}`)
  })
  for (const { id, error } of failed) terminal.complain(`The plugin ${id} is left out: ${error}`)
  const tools = loaded.flatMap((plugin) => plugin.tools)
  const jobs = loaded.flatMap((plugin) => plugin.jobs)
  const workflows = loaded.flatMap((plugin) => plugin.workflows).map(({ spec }) => JSON.parse(spec) as WorkflowSpec)
  return {
    tools: new Map(
      tools.map(({ tool, inputSchema, outputSchema }) => [tool.name, { ...factsOf(tool), input: inputSchema, output: outputSchema }]),
    ),
    jobs: new Map(
      jobs.map(({ job, inputSchema, outputSchema }) => [job.kind, { ...factsOf(job), input: inputSchema, output: outputSchema }]),
    ),
    workflows: new Map(
      workflows.map(({ slug, title, input = {}, output }) => [slug, { title, input, output: output && Object.keys(output) }]),
    ),
  }
}

const factsOf = ({ title, effect }: { title: string; effect: 'read' | 'write' | 'once' }) => ({ title, effect })
