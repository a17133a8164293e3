import {
  BanIcon,
  CircleCheckIcon,
  CircleDashedIcon,
  CircleXIcon,
  Clock3Icon,
  HourglassIcon,
  LoaderCircleIcon,
  type LucideIcon,
  OctagonPauseIcon,
  SkipForwardIcon,
  Undo2Icon,
} from 'lucide-react'
import { runStatusWords, stepStatusWords } from '@/components/messages'
import type { RunStatus, StepStatus } from '@/spec'
import { Badge } from './badge'
import { cn } from './cn'

type Look = { tone: string; Icon: LucideIcon; spin?: boolean }

/** Colour and icon of each status; the words stand in components/messages.ts. */
const looks: Record<RunStatus | StepStatus, Look> = {
  pending: { tone: 'var(--status-pending)', Icon: CircleDashedIcon },
  queued: { tone: 'var(--status-queued)', Icon: Clock3Icon },
  running: { tone: 'var(--status-running)', Icon: LoaderCircleIcon, spin: true },
  waiting: { tone: 'var(--status-waiting)', Icon: HourglassIcon },
  awaiting_approval: { tone: 'var(--status-awaiting)', Icon: HourglassIcon },
  succeeded: { tone: 'var(--status-succeeded)', Icon: CircleCheckIcon },
  failed: { tone: 'var(--status-failed)', Icon: CircleXIcon },
  rejected: { tone: 'var(--status-rejected)', Icon: CircleXIcon },
  parked: { tone: 'var(--status-parked)', Icon: OctagonPauseIcon },
  cancelled: { tone: 'var(--status-cancelled)', Icon: BanIcon },
  skipped: { tone: 'var(--status-skipped)', Icon: SkipForwardIcon },
  compensated: { tone: 'var(--status-compensated)', Icon: Undo2Icon },
}

/** The CSS colour of a status, for diagrams and strips. */
export function statusTone(status: RunStatus | StepStatus): string {
  return looks[status].tone
}

export function RunStatusBadge({ status, className }: { status: RunStatus; className?: string }) {
  return <StatusBadge status={status} word={runStatusWords[status]} className={className} />
}

export function StepStatusBadge({ status, className }: { status: StepStatus; className?: string }) {
  return <StatusBadge status={status} word={stepStatusWords[status]} className={className} />
}

function StatusBadge({ status, word, className }: { status: RunStatus | StepStatus; word: string; className?: string }) {
  const { tone, Icon, spin } = looks[status]
  return (
    <Badge tone={tone} className={className}>
      <Icon aria-hidden className={cn(spin && 'animate-spin [animation-duration:2s]')} />
      {word}
    </Badge>
  )
}
