import { setMaxListeners } from 'node:events'
import { tracked } from '@trpc/server'
import { ClewError } from '../errors'
import type { Principal } from '../auth/principal'
import type { Ctx } from '../services/context'
import { getRun } from '../services/runs/get'
import type { Changes, Change } from '../services/live'

/** What a stream needs besides: the announcements, and a way to ask again who this is and what they may see. */
export type LiveCtx = Ctx & { changes: Changes; refresh: () => Promise<Principal | null> }

const READ_AGAIN_MS = 5_000
const LISTS_AGAIN_MS = 30_000
const ASK_AGAIN_MS = 30_000
const DEBOUNCE_MS = 150

/**
 * A run as it is, and again whenever it changed. The event's id is the run's revision. Coming back after a lost connection gives the run
 * as it is then, so nothing is missed. Ends with an error when the person may no longer see the run.
 */
export async function* watchRun(ctx: LiveCtx, input: { team: string; id: string }, signal: AbortSignal | undefined) {
  let shown = ''
  for await (const principal of wakes(ctx, ({ runId }) => runId === input.id, { signal, idleMs: READ_AGAIN_MS, quietMs: 0 })) {
    const run = await getRun({ ...ctx, principal }, input)
    // Not by the revision alone: a worker that takes a step up changes the step's row and not the run's.
    const seen = JSON.stringify(run)
    if (seen === shown) continue
    shown = seen
    yield tracked(String(run.revision), run)
  }
}

/**
 * A tick when listening began, and whenever a run or gate of one of this person's teams changed, at most one in 150 ms: lists read again
 * then. What changed between the reading of a page and its subscription is in the first tick; a lost announcement costs half a minute.
 */
export async function* watchChanges(ctx: LiveCtx, signal: AbortSignal | undefined) {
  let { principal } = ctx
  const mine = ({ teamId }: Change) => principal.teams.some((team) => team.id === teamId)
  for await (const fresh of wakes(ctx, mine, { signal, idleMs: LISTS_AGAIN_MS, quietMs: DEBOUNCE_MS })) {
    principal = fresh
    yield { at: new Date().toISOString() }
  }
}

type Pace = {
  signal: AbortSignal | undefined
  /** also wakes after this long without a change */ idleMs: number
  /** gathers changes for this long */ quietMs: number
}

/**
 * Wakes once after listening began (subscribe first, then read: no gap), then after changes that `concerns` picks. Yields who is
 * asking, by rights at most 30 s old. The listener is gone when the loop ends, however it ends.
 */
async function* wakes(ctx: LiveCtx, concerns: (change: Change) => boolean, { signal, idleMs, quietMs }: Pace): AsyncGenerator<Principal> {
  if (signal) setMaxListeners(0, signal)
  let pending = true
  let wake = nothing
  const unsubscribe = await ctx.changes.subscribe((change) => {
    if (change.runId !== null && !concerns(change)) return
    pending = true
    wake()
  })
  let principal = ctx.principal
  let askedAt = Date.now()
  try {
    for (;;) {
      if (signal?.aborted) return
      if (Date.now() - askedAt >= ASK_AGAIN_MS) {
        const fresh = await ctx.refresh()
        if (!fresh) throw new ClewError('unauthenticated', 'Your session has ended. Please sign in again.')
        principal = fresh
        askedAt = Date.now()
      }
      if (pending) {
        pending = false
        yield principal
      }
      const waitMs = Math.min(idleMs, Math.max(0, askedAt + ASK_AGAIN_MS - Date.now()))
      if (!pending) await new Promise<void>((resolve) => (wake = later(resolve, waitMs, signal)))
      wake = nothing
      if (pending && quietMs > 0) await new Promise<void>((resolve) => void later(resolve, quietMs, signal))
      pending = true
    }
  } finally {
    unsubscribe()
  }
}

const nothing = () => {}

/** Calls `done` once: after `ms`, on abort, or when the returned function is called. Leaves neither timer nor listener behind. */
function later(done: () => void, ms: number, signal: AbortSignal | undefined): () => void {
  const finish = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', finish)
    done()
  }
  const timer = setTimeout(finish, ms)
  signal?.addEventListener('abort', finish)
  return finish
}
