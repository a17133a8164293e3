import type { Metadata } from 'next'
import { titlesOf } from '@/components/dag/words'
import { RunPage } from '@/components/runs/run-page'
import { load, serverApi } from '@/server/api/server'

export const metadata: Metadata = { title: 'Run' }

type Props = { params: Promise<{ team: string; id: string }> }

export default async function Page({ params }: Props) {
  const { team, id } = await params
  const api = await serverApi()
  const run = await load(() => api.runs.get({ team, id }))
  const { slug, version } = run.workflow
  const { mayRun, tools } = await load(() => api.workflows.get({ team, slug, version }))
  return <RunPage key={run.id} initial={run} mayRun={mayRun} titles={titlesOf(tools)} />
}
