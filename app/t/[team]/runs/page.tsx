import { ListChecksIcon } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { Live } from '@/components/shell/live'
import { filtersFrom, filtersQuery, isFiltered, listInput } from '@/components/runs/filters'
import { RunFilters } from '@/components/runs/run-filters'
import { RunsList } from '@/components/runs/runs-list'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeader } from '@/components/ui/page-header'
import { teamTitle } from '@/app/title'
import { load, serverApi } from '@/server/api/server'

type Props = { params: Promise<{ team: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

export function generateMetadata({ params }: Props): Promise<Metadata> {
  return teamTitle(params, 'Runs')
}

export default async function RunsPage({ params, searchParams }: Props) {
  const { team } = await params
  const filters = filtersFrom(await searchParams)
  const api = await serverApi()
  const [first, workflows, me] = await load(() =>
    Promise.all([api.runs.list(listInput(team, filters)), api.workflows.list({ team }), api.me.get()]),
  )
  const here = me.teams.find(({ slug }) => slug === team)
  const path = `/t/${team}/runs`
  const empty = first.rows.length === 0
  return (
    <>
      <PageHeader title="Runs" lead={here === undefined ? undefined : `What ${here.name} has started, newest first.`} />
      {here?.readsData === false && (
        <Alert className="mb-4" title="You see which workflows run here and how far they are.">
          What this team works on (titles, inputs, results, comments) is hidden from you.
        </Alert>
      )}
      {(!empty || isFiltered(filters)) && (
        <RunFilters path={path} filters={filters} workflows={workflows.map(({ slug, title }) => ({ slug, title }))} />
      )}
      {empty ? (
        <NoRuns team={team} path={path} filtered={isFiltered(filters)} />
      ) : (
        <RunsList key={filtersQuery(filters)} team={team} filters={filters} first={first} />
      )}
    </>
  )
}

function NoRuns({ team, path, filtered }: { team: string; path: string; filtered: boolean }) {
  return (
    <Card>
      <Live />
      {filtered ? (
        <EmptyState
          icon={<ListChecksIcon />}
          title="No run fits these filters"
          action={
            <Button asChild variant="secondary">
              <Link href={path}>Show all runs</Link>
            </Button>
          }
        />
      ) : (
        <EmptyState
          icon={<ListChecksIcon />}
          title="Nothing has been started yet"
          action={
            <Button asChild>
              <Link href={`/t/${team}/workflows`}>Choose a workflow</Link>
            </Button>
          }
        >
          Start a workflow, and you can watch here how far it is.
        </EmptyState>
      )}
    </Card>
  )
}
