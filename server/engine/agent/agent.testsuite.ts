import type { Json, WorkflowSpec } from '@/spec'
import type { ModelReply, ModelRequest, Tool } from '../ports'
import { createTestEngine, testTool, type TestEngineOptions } from '../testing'

/** What the model does when it is asked: `hang` until it is told to stop, reply, or throw. */
export type Said = 'hang' | Partial<ModelReply> | Error | ((request: ModelRequest) => Partial<ModelReply>)
export const call = (tool: string, input: Json = {}) => ({ tool, input })
/** What a handler or a model throws; its name says what may be done about it. */
export const error = (name: string, fields: object = {}) => Object.assign(new Error('as told'), { name, ...fields })

/** Everything in memory is microtasks: when the next turn of the loop comes, all wait for the test. */
// oxlint-disable-next-line no-restricted-globals
export const quiet = () => new Promise((resolve) => setImmediate(resolve))

/** An agent `ask` whose model says these things in their order, and then nothing more. */
export function agentEngine(
  said: Said[],
  fields: object,
  tools: Tool[] = [],
  options: Partial<TestEngineOptions> = {},
  more: WorkflowSpec['steps'] = [],
) {
  const asked: ModelRequest[] = []
  const model = async (request: ModelRequest): Promise<ModelReply> => {
    asked.push(structuredClone({ ...request, signal: undefined }) as unknown as ModelRequest)
    const next = said[asked.length - 1]
    if (next === undefined) throw error('FatalError', { message: 'the script is over' })
    if (next === 'hang') return new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(error('AbortError'))))
    if (next instanceof Error) throw next
    return { text: '', calls: [], ...(typeof next === 'function' ? next(request) : next) }
  }
  const step = { id: 'ask', uses: 'agent', after: [], goal: 'Sort', ...fields } as WorkflowSpec['steps'][number]
  const workflow: WorkflowSpec = { spec: 1, slug: 'flow', title: 'Flow', steps: [step, ...more] }
  const t = createTestEngine({ tools, workflows: [workflow], model, ...options })
  return {
    ...t,
    asked,
    /** The agent's worker is gone, in the middle of what it was doing. */
    async killed() {
      const id = await t.start('flow')
      const [job] = await t.queue.fetch(1, 'flow.agent')
      void t.engine.perform(job!)
      await quiet()
      t.queue.lose([job!.id])
      return { id, step: () => t.run(id).steps.get('ask') }
    },
    async begun() {
      const id = await t.start('flow')
      const settled = t.settle()
      await quiet()
      return { id, settled, step: () => t.run(id).steps.get('ask') }
    },
  }
}

/** The tool `find`. */
export const find = (handler: Parameters<typeof testTool>[1] = () => 'found', effect: Tool['effect'] = 'read') =>
  testTool('find', handler, { effect })
