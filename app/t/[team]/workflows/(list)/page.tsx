import type { Metadata } from 'next'
import { Live } from '@/components/shell/live'
import { PageHeader } from '@/components/ui/page-header'
import { SearchBox } from '@/components/workflows/search-box'
import { WorkflowTable } from '@/components/workflows/workflow-table'
import { teamTitle } from '@/app/title'
import { load, serverApi } from '@/server/api/server'

type Props = { params: Promise<{ team: string }>; searchParams: Promise<{ q?: string | string[] }> }

export function generateMetadata({ params }: Props): Promise<Metadata> {
  return teamTitle(params, 'Workflows')
}

export default async function WorkflowsPage({ params, searchParams }: Props) {
  const { team } = await params
  const { q } = await searchParams
  const search = (Array.isArray(q) ? q[0] : q)?.trim().slice(0, 200) || undefined
  const { rows, name } = await load(async () => {
    const api = await serverApi()
    const [rows, me] = await Promise.all([api.workflows.list({ team, search }), api.me.get()])
    return { rows, name: me.teams.find((one) => one.slug === team)?.name ?? team }
  })
  return (
    <>
      <Live />
      <PageHeader title="Workflows" lead={`What Clew does for ${name}, and how it went lately.`} />
      <SearchBox initial={search ?? ''} />
      <WorkflowTable team={team} rows={rows} search={search} />
    </>
  )
}
