import { EyeIcon } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { cache } from 'react'
import { fromLink } from '@/components/forms/form-data'
import { Button } from '@/components/ui/button'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { PageHeader } from '@/components/ui/page-header'
import { BlockedTools } from '@/components/workflows/overview'
import { Plan } from '@/components/workflows/plan'
import { RunForm } from '@/components/workflows/run-form'
import { titleFrom } from '@/app/title'
import { load, serverApi } from '@/server/api/server'
import type { WorkflowSpec } from '@/spec'

type Props = { params: Promise<{ team: string; slug: string }>; searchParams: Promise<Record<string, string | string[] | undefined>> }

const read = cache(async (team: string, slug: string) => (await serverApi()).workflows.get({ team, slug }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { team, slug } = await params
  return titleFrom(async () => `Run ${(await read(team, slug)).title}`)
}

export default async function RunPage({ params, searchParams }: Props) {
  const { team, slug } = await params
  const workflow = await load(() => read(team, slug))
  const base = `/t/${team}/workflows/${slug}`
  const fields = (JSON.parse(workflow.spec) as WorkflowSpec).input ?? {}
  return (
    <>
      <PageHeader
        title={`Run ${workflow.title}`}
        lead={workflow.description}
        crumbs={[
          { title: 'Workflows', href: `/t/${team}/workflows` },
          { title: workflow.title, href: base },
        ]}
      />
      {workflow.mayRun ? (
        <div className="grid max-w-3xl gap-6">
          <BlockedTools tools={workflow.tools} />
          <RunForm
            team={team}
            slug={slug}
            version={workflow.version}
            fields={fields}
            schema={workflow.inputSchema}
            initial={fromLink(fields, await searchParams)}
            plan={
              <Card>
                <CardHeader>
                  <CardTitle>What will happen</CardTitle>
                </CardHeader>
                <CardContent>
                  <Plan workflow={workflow} />
                </CardContent>
              </Card>
            }
          />
        </div>
      ) : (
        <Card>
          <EmptyState
            icon={<EyeIcon />}
            title="You may look at this workflow, but not start it"
            action={
              <Button asChild variant="secondary">
                <Link href={base}>See what it does</Link>
              </Button>
            }
          >
            Its runs are started by members of the team.
          </EmptyState>
        </Card>
      )}
    </>
  )
}
