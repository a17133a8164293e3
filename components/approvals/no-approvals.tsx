import { InboxIcon } from 'lucide-react'
import { Card } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { emptyWords } from './groups'
import type { InboxTab } from './types'

/** An empty tab of the inbox, and what would be in it. */
export function NoApprovals({ tab, roles }: { tab: InboxTab; roles: string[] }) {
  const { title, hint } = emptyWords(tab, roles)
  return (
    <Card>
      <EmptyState icon={<InboxIcon />} title={title}>
        {hint}
      </EmptyState>
    </Card>
  )
}
