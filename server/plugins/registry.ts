import type pg from 'pg'
import { FatalError, type Job, type LogFields, type Tool, type ToolContext } from '@/sdk'
import { checkResult } from '@/sdk/result'
import type { ToolCall, Tools, Tool as EngineTool } from '@/server/engine/ports'
import { secretsOfSchema } from '@/spec'
import { dropNulls } from './drop-nulls'
import type { LoadedPlugin } from './model'
import { teamDb } from './team-db'

/** `pool`: as for `loadPlugins`. `log`: where the lines of tools go; `fields` names the run, step and attempt. */
export type RegistryOptions = { pool?: pg.Pool; log?: (level: 'info' | 'warn' | 'error', message: string, fields: LogFields) => void }

/** The tools of loaded plugins, as the engine calls them. */
export function createTools(plugins: readonly LoadedPlugin[], options: RegistryOptions = {}): Tools {
  const tools = new Map(
    plugins.flatMap((plugin) =>
      plugin.tools.map(
        ({ tool, inputSchema }) =>
          [
            tool.name,
            {
              ...callable(plugin, tool.name, tool, options),
              description: tool.description,
              inputSchema,
              secrets: secretsOfSchema(inputSchema),
            },
          ] as const,
      ),
    ),
  )
  return { find: (name) => tools.get(name) ?? null }
}

/** The jobs of loaded plugins, by their kinds, as the engine calls them. */
export function createJobs(plugins: readonly LoadedPlugin[], options: RegistryOptions = {}): Tools {
  const jobs = new Map(
    plugins.flatMap((plugin) => plugin.jobs.map(({ job }) => [job.kind, callable(plugin, job.kind, job, options)] as const)),
  )
  return { find: (kind) => jobs.get(kind) ?? null }
}

function callable(plugin: LoadedPlugin, name: string, tool: Tool | Job, options: RegistryOptions): EngineTool {
  return {
    name,
    plugin: `${plugin.id} ${plugin.version}`,
    effect: tool.effect,
    check(input) {
      const parsed = tool.input.safeParse(input)
      return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => ({ path: pointer(path), message }))
    },
    dropNulls: (input) => dropNulls(tool.input, input),
    async run(call, input) {
      const parsed = tool.input.safeParse(input)
      if (!parsed.success) throw new FatalError('The input does not fit what is called')
      const context = contextOf(plugin, call, options)
      const result = await checkResult(tool.output, tool.run(context, parsed.data))
      if (result.flag) context.logger.error(`${name}: the output does not fit its schema`)
      return result
    },
  }
}

function contextOf(plugin: LoadedPlugin, call: ToolCall, { pool, log }: RegistryOptions): ToolContext {
  const { runId, stepId, item, attempt, idempotencyKey, signal, scrub } = call
  const { userId, teamId, locale } = call.principal
  const line = (level: 'info' | 'warn' | 'error') => (message: string, fields?: LogFields) => {
    const told = scrub.value(fields ?? {}) as LogFields
    log?.(level, scrub.text(message), { ...told, plugin: plugin.id, run_id: runId, step_id: stepId, item, attempt })
  }
  return {
    runId,
    stepId,
    item,
    attempt,
    idempotencyKey,
    signal,
    principal: { userId, teamId, locale },
    logger: { info: line('info'), warn: line('warn'), error: line('error') },
    db: teamDb(pool, plugin.tables, teamId, signal),
  }
}

/** RFC 6901. */
const pointer = (path: readonly PropertyKey[]) =>
  path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
