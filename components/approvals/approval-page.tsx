'use client'

import Link from 'next/link'
import { useState } from 'react'
import { DataList, DataValue } from '@/components/runs/data-list'
import { GATE_LOOKS } from '@/components/runs/status'
import { StatusBadge } from '@/components/runs/status-badge'
import { useLive } from '@/components/shell/use-live'
import { Alert } from '@/components/ui/alert'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { PageHeader } from '@/components/ui/page-header'
import { ExactTime, RelativeTime } from '@/components/ui/relative-time'
import type { Consequences } from './consequence'
import { Decide } from './decide'
import { Decided } from './decided'
import { Decisions } from './decisions'
import type { Approval } from './types'

/** One approval: what is asked, what it leads to, and the two answers. Made for a phone and thirty seconds. */
export function ApprovalPage({ initial, consequences }: { initial: Approval; consequences: Consequences | null }) {
  useLive()
  const [answered, setAnswered] = useState<{ decision: 'approve' | 'reject'; approval: Approval } | null>(null)
  const approval = answered?.approval ?? initial
  const open = approval.status === 'open'
  return (
    <div className="mx-auto max-w-2xl">
      <PageHeader
        crumbs={[{ title: 'Approvals', href: '/approvals' }]}
        title={approval.title}
        lead={
          <>
            {approval.workflow.title}, {approval.team.name}. {approval.startedBy} started it <RelativeTime at={approval.openedAt} />.
          </>
        }
      />
      <div className="grid grid-cols-1 gap-5">
        {answered !== null && <Decided decision={answered.decision} approval={answered.approval} consequences={consequences} />}
        {answered === null && !open && <Settled approval={approval} />}
        <Asked approval={approval} />
        {answered === null && open && approval.cannotDecide !== null && (
          <Alert title="You cannot decide this">{approval.cannotDecide}</Alert>
        )}
        {answered === null && open && approval.cannotDecide === null && (
          <Decide
            approval={approval}
            consequences={consequences}
            onDecided={(decision, next) => setAnswered({ decision, approval: next })}
          />
        )}
        {approval.decisions.length > 0 && (
          <Card aria-labelledby="answers">
            <CardHeader>
              <CardTitle id="answers">{approval.approvals > 1 ? `Answers so far, of ${approval.approvals} needed` : 'Answer'}</CardTitle>
            </CardHeader>
            <CardContent>
              <Decisions decisions={approval.decisions} />
            </CardContent>
          </Card>
        )}
        <p className="text-muted-foreground text-sm">
          {open ? 'Ends' : 'Would have ended'} <ExactTime at={approval.expiresAt} />.{' '}
          {approval.run !== null && (
            <Link
              href={`/t/${approval.team.slug}/runs/${approval.run.id}`}
              className="text-primary rounded-sm underline underline-offset-4 hover:no-underline"
            >
              See the whole run
            </Link>
          )}
        </p>
      </div>
    </div>
  )
}

/** What members of the team wrote and what the workflow shows, framed as such: it is not this site speaking. */
function Asked({ approval: { message, show, titles, team } }: { approval: Approval }) {
  const empty = message === null && Object.keys(show).length === 0
  return (
    <Card aria-labelledby="asked">
      <CardHeader>
        <CardTitle id="asked">What is asked</CardTitle>
      </CardHeader>
      <CardContent className="grid grid-cols-1 gap-3">
        {empty ? (
          <p className="text-muted-foreground">The workflow shows nothing here besides its title.</p>
        ) : (
          <figure className="grid grid-cols-1 gap-2">
            <blockquote className="grid grid-cols-1 gap-4 border-l-4 pl-4">
              {message !== null && <DataValue value={message} />}
              {Object.keys(show).length > 0 && <DataList values={show} titles={titles} />}
            </blockquote>
            <figcaption className="text-muted-foreground text-xs">
              Written by members of {team.name}, or taken from what the run was given.
            </figcaption>
          </figure>
        )}
      </CardContent>
    </Card>
  )
}

const SETTLED: Record<Exclude<Approval['status'], 'open'>, string> = {
  approved: 'This was approved. There is nothing left to decide.',
  rejected: 'This was rejected. There is nothing left to decide.',
  expired: 'Nobody answered in time, so this can no longer be decided.',
  withdrawn: 'The run was stopped before anybody answered. There is nothing left to decide.',
}

function Settled({ approval }: { approval: Approval }) {
  if (approval.status === 'open') return null
  return (
    <div className="flex flex-wrap items-center gap-3">
      <StatusBadge look={GATE_LOOKS[approval.status]} />
      <p>{SETTLED[approval.status]}</p>
    </div>
  )
}
