import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink, TRPCClientError } from '@trpc/client'
import type { inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from '@/server/api/trpc/router'
import { UNREACHABLE } from '@/components/messages'

/** What each procedure answers: `Answers['me']['get']`. */
export type Answers = inferRouterOutputs<AppRouter>

const url = '/api/trpc'

/** The browser's way to the server: calls are batched, subscriptions are server-sent events that reconnect by themselves. */
export const trpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: (op) => op.type === 'subscription',
      true: httpSubscriptionLink({ url }),
      false: httpBatchLink({ url }),
    }),
  ],
})

type Problem = { code: string; path: string; message: string; hint?: string }

/**
 * A failed call in people's words. `problems` carry JSON Pointers into what was sent; `code` is null when the server could
 * not be reached or failed inside.
 */
export function failureOf(error: unknown): { code: string | null; message: string; problems: Problem[] } {
  if (!(error instanceof TRPCClientError)) return { code: null, message: UNREACHABLE, problems: [] }
  const data = (error as TRPCClientError<AppRouter>).data
  if (!data) return { code: null, message: UNREACHABLE, problems: [] }
  return { code: data.clew?.code ?? null, message: error.message, problems: data.clew?.problems ?? [] }
}
