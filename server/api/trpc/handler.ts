import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { checkOrigin } from '../../auth/origin'
import { container } from '../../container/web'
import { readBody } from '../body'
import { isSurprise, problemResponse, refused } from '../errors'
import { createWebContext } from './context'
import { appRouter } from './router'

/** tRPC over HTTP, for the app's own pages: the session cookie speaks, so requests of other sites' pages are refused. */
export async function handleTrpc(request: Request): Promise<Response> {
  let req = request
  try {
    checkOrigin(request)
    if (request.method === 'POST')
      req = new Request(request.url, { method: 'POST', headers: request.headers, body: await readBody(request), signal: request.signal })
  } catch (error) {
    return problemResponse(error)
  }
  return fetchRequestHandler({
    endpoint: '/api/trpc',
    req,
    router: appRouter,
    responseMeta: () => ({ headers: new Headers({ 'cache-control': 'no-store' }) }),
    createContext: () => createWebContext(request.headers).catch(refused),
    onError: ({ error, path }) => {
      if (isSurprise(error)) container().log.error(`trpc ${path ?? ''}`, error.cause ?? error)
    },
  })
}
