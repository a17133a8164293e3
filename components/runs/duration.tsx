'use client'

import { useEffect, useState } from 'react'
import { durationText } from './duration-text'

/** How long something took; while it is under way, how long it has been at it. Instants are ISO 8601. */
export function Duration({ from, to }: { from: string | null; to: string | null }) {
  const [now, setNow] = useState(Date.now)
  const ticking = from !== null && to === null
  useEffect(() => {
    if (!ticking) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [ticking])
  if (from === null) return <span className="text-muted-foreground">–</span>
  // The server's clock and the browser's differ by a second: expected, and not worth a warning.
  return (
    <span suppressHydrationWarning>
      {durationText((to === null ? Math.max(now, Date.parse(from)) : Date.parse(to)) - Date.parse(from))}
    </span>
  )
}
