import { cookies } from 'next/headers'
import { FirstSteps } from '@/components/shell/first-steps'
import { Live } from '@/components/shell/live'
import { NeedsMe, RunningNow, StartSomething, Teams } from '@/components/shell/home-lists'
import { FIRST_STEPS_COOKIE } from '@/components/shell/preferences'
import { PageHeader } from '@/components/ui/page-header'
import { demoPeople } from '@/server/api/demo'
import { load, serverApi } from '@/server/api/server'

/** The workflow of the first steps. */
const EXAMPLE = 'expense-approval'

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

export default async function HomePage() {
  const [{ me, approvals, parked, running, examples, startable }, people, jar] = await Promise.all([
    load(readHome),
    demoPeople(),
    cookies(),
  ])
  const dismissed = jar.get(FIRST_STEPS_COOKIE)?.value === 'done'
  const example = startable.find(({ workflow }) => workflow.slug === EXAMPLE)
  const finished = examples.find((run) => run.status === 'succeeded')
  const inTeam = me.teams.some(({ level, roles }) => level !== null || roles.length > 0)
  return (
    <>
      <Live />
      <PageHeader title={`Hello, ${me.name.split(' ')[0]}`} />
      <div className="grid grid-cols-1 gap-6">
        {people.length > 0 && inTeam && !dismissed && (
          <FirstSteps
            meId={me.id}
            people={people}
            runHref={
              example
                ? `/t/${example.team.slug}/workflows/${example.workflow.slug}/run?input.amount=900&input.reason=Chairs%20for%20the%20new%20office`
                : null
            }
            approval={approvals.find((approval) => approval.workflow.slug === EXAMPLE)?.id ?? null}
            isWaiting={examples[0]?.status === 'awaiting_approval'}
            doneHref={finished ? `/t/${finished.team}/runs/${finished.id}` : null}
          />
        )}
        <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
          <NeedsMe approvals={approvals} parked={parked} />
          <RunningNow runs={running} />
        </div>
        {startable.length > 0 ? <StartSomething startable={startable} /> : <Teams teams={me.teams} />}
      </div>
    </>
  )
}
