import type { Metadata } from 'next'
import { RunPage } from '@/components/runs/run-page'
import { load, serverApi } from '@/server/api/server'

export const metadata: Metadata = { title: 'Run' }

type Props = { params: Promise<{ team: string; id: string }> }

export default async function Page({ params }: Props) {
  const { team, id } = await params
  const api = await serverApi()
  const run = await load(() => api.runs.get({ team, id }))
  const { mayRun } = await load(() => api.workflows.get({ team, slug: run.workflow.slug }))
  return <RunPage key={run.id} initial={run} mayRun={mayRun} />
}
