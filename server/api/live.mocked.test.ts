import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Principal } from '../auth/principal'
import type { Change } from '../services/live'
import type { RunView } from '../services/views'
import { watchChanges, watchRun, type LiveCtx } from './live'

const getRun = vi.hoisted(() => vi.fn<() => Promise<Partial<RunView>>>())
vi.mock('../services/runs/get', () => ({ getRun }))

const team = {
  id: 'team-1',
  slug: 'finance',
  name: 'Finance',
  orgId: 'org',
  orgName: 'Harbor',
  level: 'member' as const,
  roles: [],
  isAdmin: false,
}
const principal: Principal = {
  person: { id: 'me', name: 'Me', email: 'me@example.com', locale: 'en', timeZone: 'UTC' },
  teams: [team],
  adminOf: [],
  via: { kind: 'session', sessionId: 's' },
}
const listeners = new Set<(change: Change) => void>()
const announce = (change: Change) => listeners.forEach((listener) => listener(change))
const refresh = vi.fn<() => Promise<Principal | null>>()
const ctx = {
  principal,
  refresh,
  changes: {
    subscribe: async (listener: (change: Change) => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {},
  },
} as unknown as LiveCtx
let abort: AbortController

beforeEach(() => {
  vi.useFakeTimers()
  abort = new AbortController()
  getRun.mockReset().mockResolvedValue({ id: 'run-1', revision: 1 })
  refresh.mockReset().mockResolvedValue(principal)
})
afterEach(async () => {
  abort.abort()
  await Promise.all(open.splice(0).map((stream) => stream.return(undefined)))
  expect(listeners.size).toBe(0)
  vi.useRealTimers()
})

const open: AsyncGenerator[] = []
/** As a page does; what serves it calls `return` when the page is closed. */
function watch() {
  const stream = watchRun(ctx, { team: 'finance', id: 'run-1' }, abort.signal)
  open.push(stream)
  return stream
}
const runChanged = { runId: 'run-1', teamId: 'team-1' }
/** The data of a tracked event. */
const revisionOf = async (event: Promise<IteratorResult<readonly unknown[], unknown>>) => {
  const { value } = await event
  return Array.isArray(value) ? (value[1] as RunView).revision : undefined
}

describe('watching a run', () => {
  it('listens before it reads, so that nothing falls between', async () => {
    getRun.mockImplementationOnce(async () => {
      expect(listeners.size).toBe(1)
      return { revision: 1 }
    })
    expect(await revisionOf(watch().next())).toBe(1)
  })

  it('sends the run again when it changed, also when that was while it was being read', async () => {
    const run = watch()
    getRun.mockImplementationOnce(async () => {
      announce(runChanged)
      return { revision: 1 }
    })
    expect(await revisionOf(run.next())).toBe(1)
    getRun.mockResolvedValueOnce({ revision: 2 })
    expect(await revisionOf(run.next())).toBe(2)
    const third = revisionOf(run.next())
    getRun.mockResolvedValueOnce({ revision: 3 })
    await vi.advanceTimersByTimeAsync(0)
    announce(runChanged)
    expect(await third).toBe(3)
  })

  it('does not read for other runs, and sends nothing that says the same', async () => {
    const run = watch()
    await run.next()
    const next = revisionOf(run.next())
    await vi.advanceTimersByTimeAsync(100)
    announce({ runId: 'run-2', teamId: 'team-1' })
    await vi.advanceTimersByTimeAsync(100)
    expect(getRun).toHaveBeenCalledTimes(1)
    announce(runChanged)
    await vi.advanceTimersByTimeAsync(100)
    expect(getRun).toHaveBeenCalledTimes(2)
    getRun.mockResolvedValueOnce({ revision: 2 })
    announce(runChanged)
    expect(await next).toBe(2)
  })

  it('reads every 5 s although nothing was announced: a lost announcement costs seconds', async () => {
    const run = watch()
    await run.next()
    getRun.mockResolvedValueOnce({ revision: 2 })
    const next = revisionOf(run.next())
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await next).toBe(2)
  })

  it('asks again after 30 s who this is, and ends when it is nobody', async () => {
    const run = watch()
    await run.next()
    const next = run.next()
    const ended = expect(next).rejects.toMatchObject({ code: 'unauthenticated' })
    await vi.advanceTimersByTimeAsync(29_999)
    expect(refresh).not.toHaveBeenCalled()
    refresh.mockResolvedValueOnce(null)
    await vi.advanceTimersByTimeAsync(1)
    await ended
    expect(listeners.size).toBe(0)
  })

  it('leaves no listener and no timer behind when the page is closed', async () => {
    const run = watch()
    await run.next()
    const next = run.next()
    await vi.advanceTimersByTimeAsync(100)
    abort.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    expect([listeners.size, vi.getTimerCount(), getEventListeners(abort.signal, 'abort').length]).toEqual([0, 0, 0])
  })
})

describe('watching for changes', () => {
  it("ticks when it listens, then once for many changes of one's own teams, and not for others'", async () => {
    const ticks: unknown[] = []
    const done = (async () => {
      for await (const tick of watchChanges(ctx, abort.signal)) ticks.push(tick)
    })()
    await vi.advanceTimersByTimeAsync(1_000)
    announce({ runId: 'x', teamId: 'team-2' })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ticks).toHaveLength(1)
    for (let n = 0; n < 5; n++) {
      announce(runChanged)
      await vi.advanceTimersByTimeAsync(20)
    }
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ticks).toHaveLength(2)
    announce({ runId: null, teamId: null })
    await vi.advanceTimersByTimeAsync(1_000)
    expect(ticks).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(ticks, 'an announcement that was lost is made up for').toHaveLength(4)
    abort.abort()
    await done
    expect(listeners.size).toBe(0)
  })
})
