import {
  Ban,
  Check,
  CircleDashed,
  CirclePlay,
  Clock,
  Hourglass,
  type LucideIcon,
  Minus,
  OctagonAlert,
  ThumbsDown,
  Undo2,
  UserRoundCheck,
  X,
} from 'lucide-react'
import type { GateStatus, RunStatus, StepStatus } from '@/spec'

/** How a status looks: a word and an icon, never its colour alone. */
export type Look = {
  /** People's word for it (docs/glossary.md). */
  word: string
  icon: LucideIcon
  /** The icon where only text can stand, as in the diagram. */
  glyph: string
  /** The custom property of its colour, set in globals.css for light and dark. */
  color: `--status-${string}`
}

/** The one palette: badges, tables, the diagram and the ticks of a workflow's last runs all draw from here. */
export const RUN_LOOKS: Record<RunStatus, Look> = {
  queued: { word: 'Waiting to start', icon: Clock, glyph: '○', color: '--status-queued' },
  running: { word: 'Running', icon: CirclePlay, glyph: '▶', color: '--status-running' },
  awaiting_approval: { word: 'Waiting for approval', icon: Hourglass, glyph: '…', color: '--status-waiting' },
  succeeded: { word: 'Done', icon: Check, glyph: '✓', color: '--status-succeeded' },
  rejected: { word: 'Rejected', icon: ThumbsDown, glyph: '⊘', color: '--status-rejected' },
  parked: { word: 'Stopped, needs attention', icon: OctagonAlert, glyph: '!', color: '--status-parked' },
  cancelled: { word: 'Cancelled', icon: Ban, glyph: '×', color: '--status-cancelled' },
}

export const STEP_LOOKS: Record<StepStatus, Look> = {
  pending: { word: 'Not started', icon: CircleDashed, glyph: '○', color: '--status-pending' },
  queued: { word: 'Waiting to start', icon: Clock, glyph: '○', color: '--status-queued' },
  running: { word: 'Running', icon: CirclePlay, glyph: '▶', color: '--status-running' },
  waiting: { word: 'Waiting', icon: Hourglass, glyph: '…', color: '--status-waiting' },
  succeeded: { word: 'Done', icon: Check, glyph: '✓', color: '--status-succeeded' },
  failed: { word: 'Failed', icon: X, glyph: '✗', color: '--status-failed' },
  skipped: { word: 'Not needed', icon: Minus, glyph: '–', color: '--status-skipped' },
  compensated: { word: 'Undone', icon: Undo2, glyph: '↶', color: '--status-compensated' },
  cancelled: { word: 'Cancelled', icon: Ban, glyph: '×', color: '--status-cancelled' },
}

/** It had begun, the run was stopped, and nobody told how it ended: it may have done what it does. */
const INTERRUPTED: Look = { word: 'Interrupted', icon: OctagonAlert, glyph: '!', color: '--status-parked' }

export const GATE_LOOKS: Record<GateStatus, Look> = {
  open: { word: 'Waiting', icon: Hourglass, glyph: '…', color: '--status-waiting' },
  approved: { word: 'Approved', icon: UserRoundCheck, glyph: '✓', color: '--status-succeeded' },
  rejected: { word: 'Rejected', icon: ThumbsDown, glyph: '⊘', color: '--status-rejected' },
  expired: { word: 'Expired', icon: Clock, glyph: '×', color: '--status-rejected' },
  withdrawn: { word: 'No longer needed', icon: Minus, glyph: '–', color: '--status-cancelled' },
}

/**
 * The look of a step, which depends on its kind: an approval that waits is waiting for people, one that was turned down
 * is not a green "done", a wait waits, and a map that waits is at work on its items.
 */
export function stepLook(step: {
  kind: string
  status: StepStatus
  port: string | null
  child?: { status: RunStatus } | null
  stopped?: string | null
  startedAt?: string | null
}): Look {
  if (step.status === 'pending' && step.startedAt) return INTERRUPTED
  if (step.status === 'waiting') {
    if (step.kind === 'approve') return RUN_LOOKS.awaiting_approval
    if (step.stopped) return RUN_LOOKS.parked
    if (step.child?.status === 'awaiting_approval' || step.child?.status === 'parked') return RUN_LOOKS[step.child.status]
    return step.kind === 'wait' ? STEP_LOOKS.waiting : STEP_LOOKS.running
  }
  if (step.kind === 'approve' && step.status === 'succeeded') {
    if (step.port === 'rejected') return GATE_LOOKS.rejected
    if (step.port === 'expired') return GATE_LOOKS.expired
    return GATE_LOOKS.approved
  }
  return STEP_LOOKS[step.status]
}
