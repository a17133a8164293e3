import { cookies } from 'next/headers'
import { FirstSteps } from '@/components/shell/first-steps'
import { Live } from '@/components/shell/live'
import { NeedsMe, RunningNow, StartSomething, Teams } from '@/components/shell/home-lists'
import { FIRST_STEPS_COOKIE } from '@/components/shell/preferences'
import { tourOf } from '@/components/shell/tour'
import { PageHeader } from '@/components/ui/page-header'
import { demoPeople } from '@/server/api/demo'
import { load, serverApi } from '@/server/api/server'

/** The workflow of the first steps, and who decides in it. */
const EXAMPLE = 'expense-approval'
const EXAMPLE_ROLE = 'manager'

/** What the home page reads, in one go. `startable`: what this person may start, in any team. */
async function readHome() {
  const api = await serverApi()
  const [me, approvals, parked, running, examples] = await Promise.all([
    api.me.get(),
    api.approvals.list({ filter: 'waiting' }),
    api.runs.list({ mine: true, status: ['parked'], limit: 5 }),
    api.runs.list({ status: ['queued', 'running', 'awaiting_approval'], limit: 8 }),
    api.runs.list({ slug: EXAMPLE, status: ['awaiting_approval', 'succeeded'], limit: 20 }),
  ])
  const workflows = await Promise.all(
    me.teams.map(async (team) => (await api.workflows.list({ team: team.slug })).map((workflow) => ({ team, workflow }))),
  )
  const startable = workflows.flat().filter(({ workflow }) => workflow.mayRun)
  return {
    me,
    approvals: approvals.rows.filter((row) => row.cannotDecide === null),
    parked: parked.rows,
    running: running.rows,
    examples: examples.rows.filter((run) => run.view === 'data'),
    startable,
  }
}

type Home = Awaited<ReturnType<typeof readHome>>

/** The first steps for this person; null: there are none, or they were dismissed. */
async function readTour({ me, approvals, examples, startable }: Home) {
  const people = await demoPeople()
  const inTeam = me.teams.some(({ level, roles }) => level !== null || roles.length > 0)
  if (people.length === 0 || !inTeam || (await cookies()).get(FIRST_STEPS_COOKIE)?.value === 'done') return null
  const example = startable.find(({ workflow }) => workflow.slug === EXAMPLE)
  const finished = examples.find((run) => run.status === 'succeeded')
  const doneHref = finished ? `/t/${finished.team}/runs/${finished.id}` : null
  const approval = approvals.find(({ workflow }) => workflow.slug === EXAMPLE)?.id ?? null
  const [newest] = examples
  const open = newest?.status === 'awaiting_approval' ? await readOpen(newest) : null
  const tour = tourOf({ me, people, startsIn: example?.team.slug ?? null, role: EXAMPLE_ROLE, open, approval, doneHref })
  if (tour === null) return null
  const input = new URLSearchParams({
    'input.amount': tour.steps.includes('approve') ? '900' : '90',
    'input.reason': 'Chairs for the new office',
  })
  return { tour, approval, doneHref, runHref: example ? `/t/${example.team.slug}/workflows/${EXAMPLE}/run?${input}` : null }
}

/** Whom a run waits for. */
async function readOpen({ team, id }: { team: string; id: string }) {
  const run = await (await serverApi()).runs.get({ team, id })
  const gates = run.view === 'data' ? run.gates : []
  return { team, waitingFor: gates.flatMap(({ status, waitingFor }) => (status === 'open' ? waitingFor : [])) }
}

export default async function HomePage() {
  const home = await load(readHome)
  const firstSteps = await load(() => readTour(home))
  const { me, approvals, parked, running, startable } = home
  return (
    <>
      <Live />
      <PageHeader title={`Hello, ${me.name.split(' ')[0]}`} />
      <div className="grid grid-cols-1 gap-6">
        {firstSteps && <FirstSteps {...firstSteps} />}
        <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
          <NeedsMe approvals={approvals} parked={parked} />
          <RunningNow runs={running} />
        </div>
        {startable.length > 0 ? <StartSomething startable={startable} /> : <Teams teams={me.teams} />}
      </div>
    </>
  )
}
