import { tracked } from '@trpc/server'
import type { RunView } from '../services/views'
import type { Ctx } from '../services/context'

export type Changes = { subscribe(listener: () => void): () => void }

type LiveCtx = Ctx & { changes: Changes; refresh: () => Promise<Ctx['principal'] | null> }

export async function* watchRun(ctx: LiveCtx, input: { team: string; id: string }, signal: AbortSignal | undefined) {
  const view: RunView | null = null
  if (signal?.aborted) yield tracked(input.id, view as RunView | null as never as RunView)
  throw new Error(`being built: ${ctx.channel}`)
}

export async function* watchChanges(ctx: LiveCtx, signal: AbortSignal | undefined) {
  if (signal?.aborted) yield { at: '' }
  throw new Error(`being built: ${ctx.channel}`)
}
