import type { ReactNode } from 'react'

/** Text that a member wrote, set apart so that nobody takes it for a word of this site. */
export function Quote({ children }: { children: ReactNode }) {
  return <blockquote className="border-border text-foreground border-l-4 pl-3 break-words whitespace-pre-wrap">{children}</blockquote>
}
