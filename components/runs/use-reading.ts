'use client'

import { useEffect, useRef, useState } from 'react'
import { failureOf } from '@/components/shell/trpc'

const AGAIN_MS = 3_000

/**
 * Reads when it is first drawn and whenever `key` changes, and while it is `live` every few seconds, where the page can be seen. What was read
 * stays until something newer of the same key is there.
 */
export function useReading<T>(key: string, live: boolean, load: () => Promise<T>): { value: T | null; error: string | null } {
  const [read, setRead] = useState<{ of: string; value: T | null; error: string | null }>({ of: key, value: null, error: null })
  const latest = useRef(load)
  useEffect(() => {
    latest.current = load
  })
  useEffect(() => {
    let left = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const once = async () => {
      if (!document.hidden) {
        const next = await latest.current().then(
          (value) => ({ value, error: null }),
          (error: unknown) => ({ value: null, error: failureOf(error).message }),
        )
        if (left) return
        setRead((known) => ({ of: key, value: next.value ?? (known.of === key ? known.value : null), error: next.error }))
      }
      if (live && !left) timer = setTimeout(() => void once(), AGAIN_MS)
    }
    void once()
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [key, live])
  return read.of === key ? read : { value: null, error: null }
}
