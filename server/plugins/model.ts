import type { Json } from '@/spec'
import type { Job, Tool } from '@/sdk'

/** What `plugin.json` says. */
export type Manifest = { id: string; title: string; version: string; description: string }

/** `inputSchema`, `outputSchema`: JSON Schema 2020-12, for people, forms and agents. */
export type LoadedTool = { tool: Tool; inputSchema: Json; outputSchema: Json }

export type LoadedJob = { job: Job; inputSchema: Json; outputSchema: Json }

/** `spec`: the canonical text; `hash`: its SHA-256. */
export type LoadedWorkflow = { slug: string; spec: string; hash: string }

/** Where a plugin's tables are. `role`: whom they belong to and whom its statements run as: row-level security binds it. */
export type PluginTables = { schema: string; role: string }

export type LoadedPlugin = Manifest & { tools: LoadedTool[]; jobs: LoadedJob[]; workflows: LoadedWorkflow[]; tables: PluginTables | null }

/** `error`: what the operator has to know, one fact a line. */
type FailedPlugin = Manifest & { error: string }

/** Both in the order of ids. */
export type LoadResult = { loaded: LoadedPlugin[]; failed: FailedPlugin[] }

/** Why a plugin cannot be loaded: its message is for the operator. */
export class PluginProblem extends Error {
  override name = 'PluginProblem'
}

/** Plugin ids have no `_`, so that no two plugins share a schema. */
export const schemaOf = (pluginId: string) => `plugin_${pluginId.replaceAll('-', '_')}`
