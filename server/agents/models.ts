import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, tool, type ToolSet } from 'ai'
import { TransientError } from '@/sdk'
import type { Json, JsonObject } from '@/spec'
import type { ModelReply, ModelRequest, Models } from '../engine/ports'
import { failureOf } from './failures'
import { instructionsFor, messagesFor } from './messages'
import { ANSWER, ToolNames } from './names'

export type ModelSettings = { baseUrl: string; model: string; apiKey?: string | undefined; timeoutMs?: number }

/** How long one reply may take: a connection that hangs must not use up the hour of the whole conversation. */
const TIMEOUT_MS = 290_000

/** The model at any server that speaks as OpenAI's chat completions do. One request a reply: retries are the engine's. */
export function createModels({ baseUrl, model: modelId, apiKey, timeoutMs = TIMEOUT_MS }: ModelSettings): Models {
  const provider = createOpenAICompatible({ name: 'clew', baseURL: baseUrl, ...(apiKey === undefined ? {} : { apiKey }) })
  const model = provider.chatModel(modelId)
  return {
    async reply(request) {
      const names = new ToolNames(request.tools.map(({ name }) => name))
      const late = AbortSignal.timeout(timeoutMs)
      try {
        const result = await generateText({
          model,
          instructions: instructionsFor(request),
          messages: messagesFor(request, names),
          tools: toolsFor(request, names),
          abortSignal: AbortSignal.any([request.signal, late]),
          maxRetries: 0,
          // What is said here is people's data: it goes to the model and into the run, and nowhere else.
          telemetry: { isEnabled: false },
        })
        return replyFrom(result, names)
      } catch (error) {
        if (request.signal.aborted) throw error
        if (late.aborted) throw new TransientError(`The model did not reply within ${timeoutMs / 1000} s.`)
        throw failureOf(error)
      }
    },
  }
}

/** None can be executed there: the engine makes the calls. */
function toolsFor({ tools, answer }: ModelRequest, names: ToolNames): ToolSet {
  const set: ToolSet = Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [names.shown(name), tool({ description, inputSchema: schemaOf(inputSchema) })]),
  )
  if (answer !== null) set[ANSWER] = tool({ description: 'Gives the final answer.', inputSchema: schemaOf(answer) })
  return set
}

/** Without the name of its dialect, which some servers refuse. What does not fit is the engine's to refuse, so nothing is checked here. */
function schemaOf(schema: Json) {
  const { $schema: _, ...rest } = schema as JsonObject
  return jsonSchema(rest as Parameters<typeof jsonSchema>[0])
}

type Generated = {
  text: string
  toolCalls: { toolName: string; input: unknown }[]
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined }
}

function replyFrom({ text, toolCalls, usage }: Generated, names: ToolNames): ModelReply {
  const reply: ModelReply = { text, calls: [], usage: { input: usage.inputTokens ?? 0, output: usage.outputTokens ?? 0 } }
  for (const { toolName, input } of toolCalls) {
    if (toolName === ANSWER) reply.answer = (input ?? null) as Json
    else reply.calls.push({ tool: names.ours(toolName), input: (input ?? {}) as Json })
  }
  return reply
}
