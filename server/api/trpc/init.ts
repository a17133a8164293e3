import { initTRPC } from '@trpc/server'
import type { OpenApiMeta } from 'trpc-to-openapi'
import { ClewError } from '../../errors'
import { describeError, refusalOf, refused, toTrpcError } from '../errors'
import type { ApiContext } from './context'

const t = initTRPC
  .context<ApiContext>()
  .meta<OpenApiMeta>()
  .create({
    sse: { ping: { enabled: true, intervalMs: 5_000 }, client: { reconnectAfterInactivityMs: 20_000 } },
    // No stack and no unknown message ever leaves the process.
    errorFormatter: ({ shape, error }) => {
      const { message, clew } = describeError(error)
      return { code: shape.code, message, data: { code: shape.data.code, httpStatus: shape.data.httpStatus, path: shape.data.path, clew } }
    },
  })

export const router = t.router
export const createCallerFactory = t.createCallerFactory

const refusals = t.middleware(async ({ next }) => {
  const result = await next()
  if (result.ok) return result
  const refusal = refusalOf(result.error)
  const isOurs = result.error.cause instanceof ClewError || refusal?.code === 'unavailable'
  if (refusal && isOurs) throw toTrpcError(refusal)
  return result
})

/** What a stream throws passes no middleware: with this a refusal of it is the same one that every other call gives. */
export async function* refusing<T>(stream: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* stream
  } catch (error) {
    refused(error)
  }
}

/** For people who are not signed in. Everything else uses `authed`. */
export const open = t.procedure.use(refusals)

export const authed = open.use(({ ctx, next }) => {
  const { principal } = ctx
  if (!principal) throw new ClewError('unauthenticated', 'Please sign in.')
  return next({ ctx: { ...ctx, principal } })
})
