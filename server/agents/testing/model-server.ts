import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Asked = { path: string; authorization: string | undefined; body: Record<string, unknown> }
type Respond = (response: ServerResponse, asked: Asked) => void | Promise<void>

/** A server on this machine that speaks as OpenAI's chat completions do: each request is answered by what `respond` last was set to. */
export async function startModelServer(respond: Respond) {
  const asked: Asked[] = []
  const at = { respond }
  const server = createServer((request, response) => {
    void read(request).then(async (body) => {
      const one = { path: request.url ?? '', authorization: request.headers.authorization, body }
      asked.push(one)
      await at.respond(response, one)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    set(respond: Respond) {
      at.respond = respond
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function read(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text) as Record<string, unknown>
}

type Said = { content?: string | null; calls?: { name: string; arguments: string }[] }

/** A reply in the form of chat completions. */
export function says(response: ServerResponse, { content = null, calls = [] }: Said): void {
  const toolCalls = calls.map((call, index) => ({ id: `call_${index}`, type: 'function', function: call }))
  const message = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls: toolCalls } : {}) }
  const choice = { index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }
  const usage = { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 }
  send(response, 200, { id: 'r', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage })
}

export function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
