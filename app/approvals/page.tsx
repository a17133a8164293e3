import { InboxIcon } from 'lucide-react'
import type { Metadata } from 'next'
import { Inbox } from '@/components/approvals/inbox'
import { INBOX_TABS, type InboxTab } from '@/components/approvals/types'
import { Live } from '@/components/shell/live'
import { Card } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeader } from '@/components/ui/page-header'
import { TabLinks } from '@/components/ui/tab-links'
import { load, serverApi } from '@/server/api/server'

export const metadata: Metadata = { title: 'Approvals' }

const TABS: Record<InboxTab, { title: string; empty: string; hint: string }> = {
  waiting: { title: 'Waiting for me', empty: 'Nothing waits for you', hint: 'When a run needs your approval, it appears here by itself.' },
  decided: { title: 'Decided', empty: 'No decisions yet', hint: 'Approvals that were answered are kept here.' },
  expired: { title: 'Expired', empty: 'Nothing has expired', hint: 'Approvals that nobody answered in time are kept here.' },
}

export default async function ApprovalsPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { show } = await searchParams
  const tab = INBOX_TABS.find((known) => known === show) ?? 'waiting'
  const api = await serverApi()
  const first = await load(() => api.approvals.list({ filter: tab }))
  const tabs = INBOX_TABS.map((key) => ({ key, title: TABS[key].title, href: key === 'waiting' ? '/approvals' : `/approvals?show=${key}` }))
  return (
    <>
      <PageHeader title="Approvals" />
      <TabLinks label="Which approvals" tabs={tabs} current={tab} />
      <div className="mt-5">
        {first.rows.length === 0 ? (
          <Card>
            <Live />
            <EmptyState icon={<InboxIcon />} title={TABS[tab].empty}>
              {TABS[tab].hint}
            </EmptyState>
          </Card>
        ) : (
          <Inbox key={tab} tab={tab} first={first} />
        )}
      </div>
    </>
  )
}
