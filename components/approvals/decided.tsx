'use client'

import Link from 'next/link'
import { useEffect, useRef, useState } from 'react'
import { trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { type Consequences, outcome } from './consequence'
import type { Approval } from './types'

type Props = { decision: 'approve' | 'reject'; approval: Approval; consequences: Consequences | null }

/** What became of my answer, and the way to the next approval. Takes the focus: the button that was pressed is gone. */
export function Decided({ decision, approval, consequences }: Props) {
  const result = useRef<HTMLDivElement>(null)
  const [next, setNext] = useState<string | null>(null)
  useEffect(() => result.current?.focus(), [])
  useEffect(() => {
    let here = true
    const look = async () => {
      const { rows } = await trpc.approvals.list.query({ filter: 'waiting' })
      if (here) setNext(rows.find(({ id, cannotDecide }) => id !== approval.id && cannotDecide === null)?.id ?? null)
    }
    // Without an answer the way back to the inbox is offered: it lists the same.
    look().catch(() => {})
    return () => {
      here = false
    }
  }, [approval.id])
  const given = approval.decisions.filter((one) => one.decision === 'approve').length
  return (
    <div ref={result} tabIndex={-1} className="grid grid-cols-1 gap-4 outline-none">
      <Alert tone="success" live title={decision === 'approve' ? 'You approved this.' : 'You rejected this.'}>
        {approval.status === 'open'
          ? `${given} of ${approval.approvals} people have approved; it goes on when all have.`
          : outcome(decision, consequences)}
      </Alert>
      <div>
        <Button asChild size="lg">
          <Link href={next === null ? '/approvals' : `/approvals/g/${next}`}>{next === null ? 'Back to approvals' : 'Next one'}</Link>
        </Button>
      </div>
    </div>
  )
}
