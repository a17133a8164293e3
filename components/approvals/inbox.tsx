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
import { RelativeTime } from '@/components/ui/relative-time'
import { groupsOf } from './groups'
import { NoApprovals } from './no-approvals'
import { shownText } from './shown'
import type { ApprovalPage, ApprovalRow, InboxTab } from './types'

/** One tab of the inbox, kept fresh. What waits for somebody else stands apart, under its own heading. Each row is one large target. */
export function Inbox({ tab, first, roles }: { tab: InboxTab; first: ApprovalPage; roles: string[] }) {
  useLive()
  const load = useCallback((cursor: string) => trpc.approvals.list.query({ filter: tab, cursor }), [tab])
  const { rows, loading, error, more } = usePages<ApprovalRow>(first, load)
  const { here, elsewhere } = groupsOf(tab, rows)
  return (
    <>
      {here.length > 0 ? <Rows label="Approvals" rows={here} tab={tab} /> : <NoApprovals tab={tab} roles={roles} />}
      {elsewhere.length > 0 && (
        <section aria-labelledby="elsewhere" className="mt-8 grid grid-cols-1 gap-3">
          <h2 id="elsewhere" className="px-1 text-base font-semibold">
            Not for you to decide
          </h2>
          <Rows label="Not for you to decide" rows={elsewhere} tab={tab} />
        </section>
      )}
      <LoadMore what="approvals" error={error} loading={loading} more={more} />
    </>
  )
}

function Rows({ label, rows, tab }: { label: string; rows: ApprovalRow[]; tab: InboxTab }) {
  return (
    <Card className="overflow-hidden">
      <ul aria-label={label} className="divide-y">
        {rows.map((row) => (
          <li key={row.id}>
            <Row row={row} tab={tab} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Row({ row, tab }: { row: ApprovalRow; tab: InboxTab }) {
  return (
    <Link href={`/approvals/g/${row.id}`} className="hover:bg-muted/60 flex items-center gap-4 px-5 py-4 -outline-offset-2">
      <span className="grid min-w-0 flex-1 grid-cols-1 gap-0.5">
        <span className="font-medium break-words">{row.title}</span>
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
