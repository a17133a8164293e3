import { Badge } from '@/components/ui/badge'
import type { Look } from './status'

/** A status as an icon and a word in its colour. Give it a look from status.ts. */
export function StatusBadge({ look, className }: { look: Look; className?: string }) {
  const Icon = look.icon
  return (
    <Badge tone={`var(${look.color})`} className={className}>
      <Icon aria-hidden />
      {look.word}
    </Badge>
  )
}
