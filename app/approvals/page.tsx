import type { Metadata } from 'next'
import { Inbox } from '@/components/approvals/inbox'
import { NoApprovals } from '@/components/approvals/no-approvals'
import { INBOX_TABS, type InboxTab } from '@/components/approvals/types'
import { Live } from '@/components/shell/live'
import { PageHeader } from '@/components/ui/page-header'
import { TabLinks } from '@/components/ui/tab-links'
import { load, serverApi } from '@/server/api/server'

export const metadata: Metadata = { title: 'Approvals' }

const TITLES: Record<InboxTab, string> = { waiting: 'Waiting for me', decided: 'Decided', expired: 'Expired' }

export default async function ApprovalsPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { show } = await searchParams
  const tab = INBOX_TABS.find((known) => known === show) ?? 'waiting'
  const api = await serverApi()
  const [first, me] = await load(() => Promise.all([api.approvals.list({ filter: tab }), api.me.get()]))
  const roles = [...new Set(me.teams.flatMap((team) => team.roles))]
  const tabs = INBOX_TABS.map((key) => ({ key, title: TITLES[key], href: key === 'waiting' ? '/approvals' : `/approvals?show=${key}` }))
  return (
    <>
      <PageHeader title="Approvals" />
      <TabLinks label="Which approvals" tabs={tabs} current={tab} />
      <div className="mt-5">
        {first.rows.length === 0 ? (
          <>
            <Live />
            <NoApprovals tab={tab} roles={roles} />
          </>
        ) : (
          <Inbox key={tab} tab={tab} first={first} roles={roles} />
        )}
      </div>
    </>
  )
}
