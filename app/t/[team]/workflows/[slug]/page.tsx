import { PlayIcon } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { cache } from 'react'
import { WorkflowDiagram } from '@/components/dag/workflow-diagram'
import { titlesOf } from '@/components/dag/words'
import { Live } from '@/components/shell/live'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Card, CardContent } from '@/components/ui/card'
import { PageHeader } from '@/components/ui/page-header'
import { TabLinks } from '@/components/ui/tab-links'
import { Overview } from '@/components/workflows/overview'
import { SpecText } from '@/components/workflows/spec-text'
import { VersionList } from '@/components/workflows/version-list'
import { titleFrom } from '@/app/title'
import { load, serverApi } from '@/server/api/server'

type Query = { tab?: string | string[]; version?: string | string[] }
type Props = { params: Promise<{ team: string; slug: string }>; searchParams: Promise<Query> }

const TABS = { overview: 'Overview', diagram: 'Diagram', spec: 'Spec', versions: 'Versions' }

const tabOf = ({ tab }: Query): keyof typeof TABS =>
  typeof tab === 'string' && Object.hasOwn(TABS, tab) ? (tab as keyof typeof TABS) : 'overview'

/** A version that is no number is one that was never published. */
function versionOf({ version }: Query): number | undefined {
  if (version === undefined) return undefined
  const number = Number(version)
  return Number.isInteger(number) && number > 0 && number < 2 ** 31 ? number : 2 ** 31 - 1
}

const read = cache(async (team: string, slug: string, version: number | undefined) => {
  const api = await serverApi()
  const [workflow, current] = await Promise.all([
    api.workflows.get({ team, slug, version }),
    version === undefined ? null : api.workflows.get({ team, slug }),
  ])
  return { workflow, current: (current ?? workflow).version }
})

export async function generateMetadata({ params, searchParams }: Props): Promise<Metadata> {
  const { team, slug } = await params
  const query = await searchParams
  const tab = tabOf(query)
  return titleFrom(async () => {
    const { workflow, current } = await read(team, slug, versionOf(query))
    const version = workflow.version === current ? '' : `, version ${workflow.version}`
    return `${tab === 'overview' ? '' : `${TABS[tab]} · `}${workflow.title}${version}`
  })
}

export default async function WorkflowPage({ params, searchParams }: Props) {
  const { team, slug } = await params
  const query = await searchParams
  const { workflow, current } = await load(() => read(team, slug, versionOf(query)))
  const tab = tabOf(query)
  const base = `/t/${team}/workflows/${slug}`
  const old = workflow.version !== current
  const href = (key: string) => {
    const search = new URLSearchParams({
      ...(key === 'overview' ? {} : { tab: key }),
      ...(old ? { version: String(workflow.version) } : {}),
    })
    return search.size > 0 ? `${base}?${search}` : base
  }
  return (
    <>
      <Live />
      <PageHeader
        title={workflow.title}
        lead={workflow.description}
        crumbs={[{ title: 'Workflows', href: `/t/${team}/workflows` }]}
        actions={
          workflow.mayRun && (
            <Button asChild>
              <Link href={`${base}/run`}>
                <PlayIcon aria-hidden /> Run
              </Link>
            </Button>
          )
        }
      />
      {old && (
        <Alert tone="warning" title={`This is version ${workflow.version}, an older one.`} className="mb-5">
          <p>
            Runs that start now use{' '}
            <Link className="underline" href={base}>
              version {current}
            </Link>
            .
          </p>
        </Alert>
      )}
      <TabLinks label={workflow.title} current={tab} tabs={Object.entries(TABS).map(([key, title]) => ({ key, title, href: href(key) }))} />
      <div className="pt-6">
        {tab === 'overview' && <Overview team={team} workflow={workflow} />}
        {tab === 'diagram' && (
          <Card>
            <CardContent className="pt-5">
              <WorkflowDiagram spec={workflow.spec} titles={titlesOf(workflow.tools)} />
            </CardContent>
          </Card>
        )}
        {tab === 'spec' && <SpecText name={`${slug}-v${workflow.version}.json`} spec={workflow.spec} hash={workflow.hash} />}
        {tab === 'versions' && <VersionList base={base} versions={workflow.versions} current={current} shown={workflow.version} />}
      </div>
    </>
  )
}
