import { type Look, RUN_LOOKS } from '@/components/runs/status'
import type { RunStatus } from '@/spec'
import { Badge } from './badge'

/** A status as a word with its icon and colour. */
export function StatusBadge({ look, className }: { look: Look; className?: string }) {
  const Icon = look.icon
  return (
    <Badge tone={`var(${look.color})`} className={className}>
      <Icon aria-hidden />
      {look.word}
    </Badge>
  )
}

export function RunStatusBadge({ status, className }: { status: RunStatus; className?: string }) {
  return <StatusBadge look={RUN_LOOKS[status]} className={className} />
}
