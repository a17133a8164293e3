import type { Metadata } from 'next'
import { cache } from 'react'
import { titlesOf } from '@/components/dag/words'
import { RunPage } from '@/components/runs/run-page'
import { runTitle } from '@/components/titles'
import { titleFrom } from '@/app/title'
import { load, serverApi } from '@/server/api/server'

type Props = { params: Promise<{ team: string; id: string }> }

const read = cache(async (team: string, id: string) => {
  const api = await serverApi()
  const run = await api.runs.get({ team, id })
  const { slug, version } = run.workflow
  return { run, workflow: await api.workflows.get({ team, slug, version }) }
})

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { team, id } = await params
  return titleFrom(async () => runTitle((await read(team, id)).run))
}

export default async function Page({ params }: Props) {
  const { team, id } = await params
  const {
    run,
    workflow: { mayRun, tools },
  } = await load(() => read(team, id))
  return <RunPage key={run.id} initial={run} mayRun={mayRun} titles={titlesOf(tools)} />
}
