import { access } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { Job, Tool } from '@/sdk'
import { isJob } from '@/sdk/define-job'
import { isTool } from '@/sdk/define-tool'
import type { Json } from '@/spec'
import { type LoadedJob, type LoadedTool, PluginProblem } from './model'

export type PluginModule = { tools: LoadedTool[]; jobs: LoadedJob[]; workflows: readonly unknown[]; init: (() => unknown) | null }

/** What a module of another kind than ours has beside its own exports. */
const INTEROP = new Set(['default', 'module.exports', '__esModule'])

/**
 * Runs `index.ts` of a plugin, where there is one.
 * @throws {PluginProblem} it takes longer than `timeoutMs`, or exports what a plugin does not have
 * @throws whatever the module throws
 */
export async function importPlugin(folder: string, timeoutMs: number): Promise<PluginModule> {
  const file = path.join(folder, 'index.ts')
  const there = await access(file).then(
    () => true,
    () => false,
  )
  if (!there) return { tools: [], jobs: [], workflows: [], init: null }
  const module = await within(timeoutMs, 'index.ts was not loaded', () => importModule(file))
  const { tools = [], jobs = [], workflows = [], init = null, ...rest } = module
  const strange = Object.keys(rest).filter((name) => !INTEROP.has(name))
  if (strange.length > 0)
    throw new PluginProblem(`index.ts exports ${strange.join(', ')}: a plugin exports tools, jobs, workflows and init`)
  if (!Array.isArray(tools)) throw new PluginProblem('index.ts: tools must be a list')
  if (!Array.isArray(jobs)) throw new PluginProblem('index.ts: jobs must be a list')
  if (!Array.isArray(workflows)) throw new PluginProblem('index.ts: workflows must be a list')
  if (init !== null && typeof init !== 'function') throw new PluginProblem('index.ts: init must be a function')
  return { tools: tools.map(loadTool), jobs: jobs.map(loadJob), workflows, init: init as PluginModule['init'] }
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(file).href)) as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof Error) || !/Top-level await .*"cjs"/.test(error.message)) throw error
    // The nearest package.json decides what a .ts file is; a plugins folder outside Clew's own may have none.
    throw new PluginProblem('index.ts uses await at its top level: put a package.json with { "type": "module" } into the plugins folder', {
      cause: error,
    })
  }
}

/**
 * Settles as `work` does, unless that takes longer: also where it kept the process busy, so that no timer could ring. A loop that never
 * ends cannot be stopped from here.
 */
export async function within<T>(timeoutMs: number, what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now()
  const tooLate = () => new PluginProblem(`${what} within ${timeoutMs / 1_000} seconds`)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), timeoutMs)
  })
  const result = await Promise.race([work(), late]).finally(() => clearTimeout(timer))
  if (performance.now() - started > timeoutMs) throw tooLate()
  return result
}

function loadTool(tool: unknown, index: number): LoadedTool {
  if (!isTool(tool)) throw new PluginProblem(`index.ts: tools[${index}] was not made by defineTool`)
  return { tool, ...schemasOf(`tool '${tool.name}'`, tool) }
}

function loadJob(job: unknown, index: number): LoadedJob {
  if (!isJob(job)) throw new PluginProblem(`index.ts: jobs[${index}] was not made by defineJob`)
  return { job, ...schemasOf(`job '${job.kind}'`, job) }
}

const schemasOf = (what: string, definition: Pick<Tool | Job, 'input' | 'output'>) => ({
  inputSchema: jsonSchema(what, definition, 'input'),
  outputSchema: jsonSchema(what, definition, 'output'),
})

function jsonSchema(what: string, definition: Pick<Tool | Job, 'input' | 'output'>, side: 'input' | 'output'): Json {
  try {
    return JSON.parse(JSON.stringify(z.toJSONSchema(definition[side], { io: side }))) as Json
  } catch (cause) {
    throw new PluginProblem(`${what}: its ${side} has no JSON Schema: ${(cause as Error).message}`, { cause })
  }
}
