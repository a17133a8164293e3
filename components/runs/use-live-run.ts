'use client'

import { useEffect, useState } from 'react'
import { failureOf, trpc } from '@/components/shell/trpc'
import { isFinal } from '@/spec/status'
import type { RunView } from './types'

/** `ended`: the server will not send more (signed out, or no longer allowed to see it). */
export type Connection = 'live' | 'reconnecting' | 'ended'

const RETRY_MS = 3000

/**
 * A run that follows its events, from what the server rendered on. Older revisions never replace newer ones. A hidden tab
 * gives its connection back (browsers allow six to one host), and so does a run that can change no more.
 */
export function useLiveRun(initial: RunView): { run: RunView; connection: Connection; accept: (run: RunView) => void } {
  const [run, setRun] = useState(initial)
  const [connection, setConnection] = useState<Connection>('live')
  const { team, id } = initial
  const over = isOver(run)
  const accept = (next: RunView) => setRun((known) => newer(known, next))

  useEffect(() => {
    if (over) return
    return follow(team, id, setConnection, (next) => setRun((known) => newer(known, next)))
  }, [team, id, over])

  return { run, connection: over ? 'live' : connection, accept }
}

/** Nobody answered, or the database did not answer whoever did. */
const isPassing = (error: unknown) => [null, 'unavailable'].includes(failureOf(error).code)

const newer = (known: RunView, next: RunView) => (next.revision >= known.revision ? next : known)

/** Subscribes while the page can be seen; the returned function ends it. */
function follow(team: string, id: string, connection: (state: Connection) => void, take: (run: RunView) => void): () => void {
  let subscription: { unsubscribe: () => void } | null = null
  let retry: ReturnType<typeof setTimeout> | undefined
  let left = false

  const listen = () => {
    if (left || document.hidden || subscription !== null) return
    subscription = trpc.runs.watch.subscribe(
      { team, id },
      {
        onData: ({ data }) => {
          connection('live')
          take(data)
        },
        onConnectionStateChange: ({ state, error }) => {
          if (state === 'connecting' && error !== null) connection('reconnecting')
          if (state === 'pending') connection('live')
        },
        onError: (error) => (isPassing(error) ? later() : connection('ended')),
        onStopped: () => later(),
      },
    )
  }
  const leave = () => {
    clearTimeout(retry)
    const ended = subscription
    subscription = null
    ended?.unsubscribe()
  }
  const later = () => {
    // An unsubscribed stream reports its stop, too.
    if (left || subscription === null) return
    leave()
    connection('reconnecting')
    retry = setTimeout(() => void again(), RETRY_MS)
  }
  // A stream that is refused looks like one that cannot be reached: a plain read tells the two apart.
  const again = async () => {
    try {
      take(await trpc.runs.get.query({ team, id }))
      listen()
    } catch (error) {
      if (!isPassing(error)) return connection('ended')
      if (!left) retry = setTimeout(() => void again(), RETRY_MS)
    }
  }
  const onVisibility = () => (document.hidden ? leave() : listen())
  // A stream may outlive its network for as long as nothing is sent: the browser knows sooner.
  const onOffline = () => {
    leave()
    connection('reconnecting')
  }
  const onOnline = () => void again()

  listen()
  document.addEventListener('visibilitychange', onVisibility)
  window.addEventListener('offline', onOffline)
  window.addEventListener('online', onOnline)
  return () => {
    left = true
    document.removeEventListener('visibilitychange', onVisibility)
    window.removeEventListener('offline', onOffline)
    window.removeEventListener('online', onOnline)
    leave()
  }
}

/** Whether nothing about a run can change any more: it has ended, and no undoing is under way. */
function isOver(run: RunView): boolean {
  return (
    isFinal(run.status) && !run.stopping && run.steps.every(({ undo }) => undo !== 'queued' && undo !== 'running' && undo !== 'pending')
  )
}
