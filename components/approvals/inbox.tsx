'use client'

import { ChevronRightIcon } from 'lucide-react'
import Link from 'next/link'
import { useCallback } from 'react'
import { LoadMore } from '@/components/runs/load-more'
import { GATE_LOOKS } from '@/components/runs/status'
import { StatusBadge } from '@/components/runs/status-badge'
import { usePages } from '@/components/runs/use-pages'
import { trpc } from '@/components/shell/trpc'
import { useLive } from '@/components/shell/use-live'
import { Card } from '@/components/ui/card'
import { cn } from '@/components/ui/cn'
import { RelativeTime } from '@/components/ui/relative-time'
import { shownText } from './shown'
import type { ApprovalPage, ApprovalRow, InboxTab } from './types'

/** One tab of the inbox, kept fresh. Each row is one large target. */
export function Inbox({ tab, first }: { tab: InboxTab; first: ApprovalPage }) {
  useLive()
  const load = useCallback((cursor: string) => trpc.approvals.list.query({ filter: tab, cursor }), [tab])
  const { rows, loading, error, more } = usePages<ApprovalRow>(first, load)
  return (
    <>
      <Card className="overflow-hidden">
        <ul aria-label="Approvals" className="divide-y">
          {rows.map((row) => (
            <li key={row.id}>
              <Row row={row} tab={tab} />
            </li>
          ))}
        </ul>
      </Card>
      <LoadMore what="approvals" error={error} loading={loading} more={more} />
    </>
  )
}

function Row({ row, tab }: { row: ApprovalRow; tab: InboxTab }) {
  const elsewhere = tab === 'waiting' && row.cannotDecide !== null
  return (
    <Link href={`/approvals/g/${row.id}`} className="hover:bg-muted/60 flex items-center gap-4 px-5 py-4 -outline-offset-2">
      <span className="grid min-w-0 flex-1 grid-cols-1 gap-0.5">
        <span className={cn('font-medium break-words', elsewhere && 'text-muted-foreground')}>{row.title}</span>
        {row.shown.length > 0 && <span className="text-sm wrap-anywhere">{shownText(row.shown)}</span>}
        <span className="text-muted-foreground text-sm break-words">
          {row.workflow.title} · {row.team.name} · started by {row.startedBy} <RelativeTime at={row.openedAt} />
        </span>
        {tab === 'waiting' && (
          <span className="text-muted-foreground text-sm">
            {row.cannotDecide ?? (
              <>
                ends <RelativeTime at={row.expiresAt} />
              </>
            )}
          </span>
        )}
      </span>
      {tab !== 'waiting' && <StatusBadge look={GATE_LOOKS[row.status]} />}
      <ChevronRightIcon aria-hidden className="text-muted-foreground size-4 shrink-0" />
    </Link>
  )
}
