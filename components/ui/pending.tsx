'use client'

import { useLinkStatus } from 'next/link'

/** Inside a Link: says that its page is on the way, when that takes longer than a moment. */
export function Pending() {
  const { pending } = useLinkStatus()
  if (!pending) return null
  return (
    <span role="status" className="animate-late ml-2 text-xs font-normal text-muted-foreground no-underline">
      Opening…
    </span>
  )
}
