'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { trpc } from './trpc'

const RETRY_MS = 3000

/**
 * Keeps a page that was rendered on the server fresh: it is rendered again whenever something of mine changed. A hidden tab
 * holds no connection; when it is looked at again it listens on. A lost connection comes back by itself. Each connection begins with a tick,
 * so that nothing is missed; before that nothing is refreshed: without its server or database a page keeps what it shows and what was typed.
 */
export function useLive(): void {
  const router = useRouter()
  useEffect(() => {
    let stop: (() => void) | null = null
    let retry: ReturnType<typeof setTimeout> | undefined

    const listen = () => {
      if (stop || document.hidden) return
      const subscription = trpc.live.changes.subscribe(undefined, {
        onData: () => router.refresh(),
        onError: () => again(),
        onStopped: () => again(),
      })
      stop = () => {
        stop = null
        subscription.unsubscribe()
      }
    }
    // A fatal answer (the session ended, the server went away for good) ends the subscription: try again, but not at once.
    const again = () => {
      if (!stop) return
      stop = null
      clearTimeout(retry)
      retry = setTimeout(listen, RETRY_MS)
    }
    const onVisibility = () => {
      clearTimeout(retry)
      if (document.hidden) stop?.()
      else listen()
    }

    listen()
    document.addEventListener('visibilitychange', onVisibility)
    return () => {
      clearTimeout(retry)
      document.removeEventListener('visibilitychange', onVisibility)
      stop?.()
    }
  }, [router])
}
