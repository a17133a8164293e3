import type { Metadata } from 'next'
import { cache } from 'react'
import { ApprovalPage } from '@/components/approvals/approval-page'
import { consequencesOf } from '@/components/approvals/consequence'
import { titlesOf } from '@/components/dag/words'
import { approvalTitle } from '@/components/titles'
import { titleFrom } from '@/app/title'
import { load, serverApi } from '@/server/api/server'
import type { WorkflowSpec } from '@/spec'

type Props = { params: Promise<{ gate: string }> }

const read = cache(async (gate: string) => (await serverApi()).approvals.get({ gate }))

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { gate } = await params
  return titleFrom(async () => approvalTitle(await read(gate)))
}

export default async function Page({ params }: Props) {
  const { gate } = await params
  const api = await serverApi()
  const approval = await load(() => read(gate))
  // Whoever may only decide sees what the gate shows; what follows from it stands in the run.
  const { run, team } = approval
  const whole = run === null ? null : await load(() => api.runs.get({ team: team.slug, id: run.id }))
  const stepId = whole?.gates.find(({ id }) => id === gate)?.stepId
  if (whole === null || stepId === undefined) return <ApprovalPage key={gate} initial={approval} consequences={null} />
  const { slug, version } = whole.workflow
  const { tools } = await load(() => api.workflows.get({ team: team.slug, slug, version }))
  const consequences = consequencesOf(JSON.parse(whole.spec) as WorkflowSpec, stepId, titlesOf(tools))
  return <ApprovalPage key={gate} initial={approval} consequences={consequences} />
}
