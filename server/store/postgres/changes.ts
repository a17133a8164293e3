import { Client } from 'pg'
import { RUNS_CHANNEL } from './runs'

/** Ids of what changed. `runId` null: announcements may have been lost, so whoever shows something reads it again. */
export type Change = { runId: string | null; teamId: string | null }

export type Changes = {
  /** Resolves once announcements arrive: reading after it leaves no gap. Returns how to stop listening. */
  subscribe(listener: (change: Change) => void): Promise<() => void>
  close(): Promise<void>
}

const RECONNECT_MS = 500
const EVERYTHING: Change = { runId: null, teamId: null }

/**
 * One LISTEN connection for the whole process, opened with the first listener, and fanned out in memory. After a lost connection it
 * comes back by itself and tells everybody to read again.
 */
export function listenForChanges(connectionString: string): Changes {
  const listeners = new Set<(change: Change) => void>()
  let client: Client | null = null
  let opening: Promise<void> | null = null
  let closed = false

  const tell = (change: Change) => {
    for (const listener of listeners) listener(change)
  }

  async function open(): Promise<void> {
    const next = new Client({ connectionString, keepAlive: true, application_name: 'clew live' })
    next.on('error', () => {}) // 'end' follows
    next.on('notification', ({ payload }) => tell(parse(payload)))
    await next.connect()
    next.on('end', () => {
      client = null
      opening = null
      if (!closed) retry()
    })
    await next.query(`LISTEN ${RUNS_CHANNEL}`)
    client = next
  }

  function retry(): void {
    setTimeout(() => {
      if (!closed && !opening) ready().then(() => tell(EVERYTHING), retry)
    }, RECONNECT_MS).unref()
  }

  function ready(): Promise<void> {
    opening ??= open().catch((error: unknown) => {
      opening = null
      throw error
    })
    return opening
  }

  return {
    async subscribe(listener) {
      listeners.add(listener)
      // A database that is away must not keep a page from showing what it can: readers also read every few seconds.
      await ready().catch(retry)
      return () => void listeners.delete(listener)
    },
    async close() {
      closed = true
      listeners.clear()
      await opening?.catch(() => {})
      await client?.end()
    },
  }
}

/** What `saveRun` announces. Anything else may mean anything. */
function parse(payload: string | undefined): Change {
  try {
    const { run, team } = JSON.parse(payload ?? '') as { run?: unknown; team?: unknown }
    if (typeof run === 'string' && typeof team === 'string') return { runId: run, teamId: team }
  } catch {
    // falls through
  }
  return EVERYTHING
}
