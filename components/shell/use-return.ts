'use client'

import { useEffect, useState } from 'react'

const AGAIN_MS = 2_000

/**
 * For a page that failed: `away` once the database does not answer, which is then why. Asks until it does, and loads the page again.
 * A page that fails although the database answers is left to its reader: loading it again by itself might never end.
 */
export function useReturn(): 'asking' | 'away' | 'broken' {
  const [state, setState] = useState<'asking' | 'away' | 'broken'>('asking')
  useEffect(() => {
    let left = false
    let timer: ReturnType<typeof setTimeout> | undefined
    let wasAway = false
    const ask = async () => {
      const answers = await fetch('/api/health', { cache: 'no-store' }).then(
        ({ ok }) => ok,
        () => false,
      )
      if (left) return
      if (answers && wasAway) return window.location.reload()
      setState(answers ? 'broken' : 'away')
      wasAway = !answers
      if (!answers) timer = setTimeout(() => void ask(), AGAIN_MS)
    }
    void ask()
    return () => {
      left = true
      clearTimeout(timer)
    }
  }, [])
  return state
}
