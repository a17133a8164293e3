import { shorten } from '@/components/dag/words'
import type { Json } from '@/spec'
import { runName } from './runs/names'
import type { RunView } from './runs/types'

/** Browser titles, by which tabs can be told apart; the site's name is put behind. What one may not read is not in them. */
export function runTitle(run: Pick<RunView, 'id' | 'workflow'> & { title?: string | null }): string {
  return run.title ? `${runName(run)} · ${run.workflow.title}` : runName(run)
}

type Asked = { title: string; workflow: { title: string }; startedBy: string; status: string; show: Record<string, Json> }

/** What an approval shows tells it from others of its workflow, and whoever sees the approval sees that; without it, who started the run. */
export function approvalTitle({ title, workflow, startedBy, status, show }: Asked): string {
  const shown = Object.values(show).filter((value) => value !== null && typeof value !== 'object')
  const about = shown.length > 0 ? `: ${shorten(shown.slice(0, 2).join(', ').replaceAll(/\s+/g, ' '), 80)}` : ` for ${startedBy}`
  return `${status === 'open' ? '' : `${status.charAt(0).toUpperCase()}${status.slice(1)}: `}${title}${about} · ${workflow.title}`
}
