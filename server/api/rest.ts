import { createOpenApiFetchHandler, generateOpenApiDocument } from 'trpc-to-openapi'
import { checkOrigin } from '../auth/origin'
import { container } from '../container/web'
import { ClewError, type ProblemDetail } from '../errors'
import { readBody, readDocument } from './body'
import { isSurprise, problemResponse, wrongMethod } from './errors'
import { createRestContext } from './trpc/context'
import { appRouter } from './trpc/router'

const ENDPOINT = '/api/v1'

/** Where the body is the workflow itself: parsed as JSON on its way it would lose duplicate keys, and every problem its place. */
const DOCUMENT_BODY = /^\/api\/v1\/t\/[^/]+\/workflows(\/validate)?$/

/** REST, from the procedures that carry an `openapi` note. Only API keys speak here. Errors are problem documents (RFC 9457). */
export async function handleRest(request: Request): Promise<Response> {
  let failure: unknown = null
  try {
    checkOrigin(request)
    const methods = methodsAt(new URL(request.url).pathname)
    if (methods !== null && !methods.includes(request.method)) return wrongMethod(methods)
    // Whoever has no key is refused before anything as large as a document is read.
    const context = await createRestContext(request.headers)
    const isDocument = context.principal !== null && DOCUMENT_BODY.test(new URL(request.url).pathname)
    const body = isDocument ? await readDocument(request) : await readBody(request)
    const response = await createOpenApiFetchHandler({
      endpoint: ENDPOINT,
      req: asJson(request, body),
      router: appRouter,
      createContext: () => Promise.resolve(context),
      onError: ({ error }: { error: unknown }) => void (failure = error),
    })
    if (!failure) return await answer(response)
  } catch (error) {
    failure = error
  }
  if (isSurprise(failure)) container().log.error('rest', failure)
  return problemResponse(failure)
}

/** Which methods a path has, as the API's description lists them; null: there is no such path. Tells nothing of what is behind it. */
function methodsAt(path: string): string[] | null {
  for (const [template, operations] of Object.entries(description().paths ?? {})) {
    const pattern = new RegExp(`^${ENDPOINT}${template.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`)
    if (!pattern.test(path)) continue
    const methods = Object.keys(operations as object).map((method) => method.toUpperCase())
    return methods.includes('GET') ? [...methods, 'HEAD'] : methods
  }
  return null
}

/** A document that was checked and has problems is refused, as it would be at publishing. */
async function answer(response: Response): Promise<Response> {
  const data = (await response.json()) as { valid?: boolean; problems?: ProblemDetail[] }
  if (data.valid !== false) return Response.json(data, { status: response.status, headers: { 'cache-control': 'no-store' } })
  return problemResponse(new ClewError('invalid_spec', 'The workflow has problems.', { problems: data.problems ?? [] }))
}

function asJson(request: Request, body: string): Request {
  const url = new URL(request.url)
  const method = request.method
  if (method === 'GET' || method === 'HEAD') return new Request(url, { method, signal: request.signal })
  const json = DOCUMENT_BODY.test(url.pathname) ? JSON.stringify({ source: body }) : body || '{}'
  return new Request(url, { method, body: json, headers: { 'content-type': 'application/json' }, signal: request.signal })
}

let described: ReturnType<typeof describeApi> | undefined
const description = () => (described ??= describeApi())

/** The OpenAPI 3.1 description of all of it. */
export function openApiDocument(): Response {
  return new Response(JSON.stringify(description()), { headers: { 'content-type': 'application/json' } })
}

type Described = { requestBody?: unknown; responses?: Record<string, unknown> }

function describeApi() {
  const api = generateOpenApiDocument(appRouter, {
    title: 'Clew',
    version: '1',
    openApiVersion: '3.1.0',
    baseUrl: ENDPOINT,
    securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, made in the settings.' } },
  })
  const problem = { description: 'What went wrong', content: { 'application/problem+json': { schema: PROBLEM } } }
  for (const [path, methods] of Object.entries(api.paths ?? {})) {
    for (const operation of Object.values(methods as Record<string, Described>)) {
      const ok = Object.entries(operation.responses ?? {}).filter(([status]) => status.startsWith('2'))
      operation.responses = { ...Object.fromEntries(ok), default: problem }
      if (DOCUMENT_BODY.test(ENDPOINT + path)) {
        operation.requestBody = {
          required: true,
          description: 'The workflow itself',
          content: { 'application/json': { schema: { type: 'object' } } },
        }
      }
    }
  }
  return api
}

const text = { type: 'string' }
const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'code'],
  properties: {
    type: text,
    title: text,
    status: { type: 'integer' },
    detail: text,
    code: text,
    problems: {
      type: 'array',
      items: {
        type: 'object',
        required: ['code', 'path', 'message'],
        properties: { code: text, path: text, message: text, hint: text, line: { type: 'integer' }, column: { type: 'integer' } },
      },
    },
  },
}
