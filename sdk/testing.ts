import { z } from 'zod'
import { createTestEngine as createEngine, type TestEngineOptions } from '@/server/engine/testing'
import { dropNulls } from '@/server/plugins/drop-nulls'
import { secretsOfSchema, validateWorkflow, type Json } from '@/spec'
import type { PluginDb } from './context'
import type { Job } from './define-job'
import type { Tool } from './define-tool'
import { FatalError } from './errors'
import { checkResult } from './result'

/** `workflows`: documents as a plugin's JSON files hold them. `db`: what `ctx.db` is; without it a query fails. */
/** A model's reply: calls it asks for, an answer in the fields that are demanded, or text. */
type Reply = { text?: string; calls?: { tool: string; input: Json }[]; answer?: Json }

/** What a model is asked: see `ModelRequest`. */
type Asked = Parameters<NonNullable<TestEngineOptions['model']>>[0]

export type PluginTestOptions = Pick<TestEngineOptions, 'clock' | 'random' | 'quota'> & {
  tools: readonly Tool[]
  jobs?: readonly Job[]
  /** What the model of agents says: replies in their order, or a function of what it is asked. */
  model?: readonly Reply[] | ((request: Asked) => Reply | Promise<Reply>)
  workflows: readonly unknown[]
  db?: PluginDb
}

const NO_DB: PluginDb = {
  query: () => Promise.reject(new FatalError('This test gives its tools no database: pass `db` to createTestEngine')),
}
const SILENT = { info: () => {}, warn: () => {}, error: () => {} }

/**
 * The engine in memory for the tests of a plugin: its tools and workflows as they would run, in milliseconds, on a clock that the test turns.
 * Runs are started by `starter`; `approver` holds every role.
 * @throws {Error} the problems of a document that could not be published
 */
export function createTestEngine({ tools, jobs = [], model, workflows, db = NO_DB, ...options }: PluginTestOptions) {
  return createEngine({
    ...options,
    tools: tools.map((tool) => bound(tool.name, tool, db)),
    jobs: jobs.map((job) => bound(job.kind, job, db)),
    ...(model ? { model: modelOf(model) } : {}),
    workflows: workflows.map(valid),
  })
}

function modelOf(model: NonNullable<PluginTestOptions['model']>): NonNullable<TestEngineOptions['model']> {
  const script = typeof model === 'function' ? undefined : [...model]
  return async (request) => {
    const reply = typeof model === 'function' ? await model(request) : script?.shift()
    if (!reply) throw new FatalError('The test gave its model no more replies')
    return { text: '', calls: [], ...reply }
  }
}

function valid(document: unknown) {
  const result = validateWorkflow(document)
  if (result.ok) return result.spec
  throw new Error(result.problems.map(({ path, message }) => `${path || 'the document'}: ${message}`).join('\n'))
}

type EngineTool = NonNullable<TestEngineOptions['tools']>[number]

function bound(name: string, tool: Tool | Job, db: PluginDb): EngineTool {
  const inputSchema = JSON.parse(JSON.stringify(z.toJSONSchema(tool.input, { io: 'input' }))) as Json
  return {
    name,
    description: tool.description,
    inputSchema,
    secrets: secretsOfSchema(inputSchema),
    effect: tool.effect,
    dropNulls: (input) => dropNulls(tool.input, input),
    check: (input) =>
      (tool.input.safeParse(input).error?.issues ?? []).map(({ path, message }) => ({
        path: path.map((key) => `/${String(key)}`).join(''),
        message,
      })),
    run: async ({ runId, stepId, item, attempt, idempotencyKey, principal, signal }, input) => {
      const context = { runId, stepId, item, attempt, idempotencyKey, principal, signal, logger: SILENT, db }
      return checkResult(tool.output, tool.run(context, tool.input.parse(input)))
    },
  }
}
