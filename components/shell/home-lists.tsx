import { ArrowRightIcon, CircleCheckIcon, CoffeeIcon, PlayIcon, UsersIcon } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { shownText } from '@/components/approvals/shown'
import { runName, stepsDone } from '@/components/runs/names'
import { RUN_LOOKS } from '@/components/runs/status'
import { StatusBadge } from '@/components/runs/status-badge'
import { Button } from '@/components/ui/button'
import { Card, CardHeader, CardTitle } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { Pending } from '@/components/ui/pending'
import { RelativeTime } from '@/components/ui/relative-time'
import type { Answers } from './trpc'

type Approval = Answers['approvals']['list']['rows'][number]
type Run = Answers['runs']['list']['rows'][number]
type Team = Answers['me']['get']['teams'][number]
type Startable = { team: Team; workflow: Answers['workflows']['list'][number] }

/** A row that is one link: what, and below it a line about it. */
function LinkRow({ href, title, note, mark }: { href: string; title: string; note: ReactNode; mark?: ReactNode }) {
  return (
    <li>
      <Link href={href} className="group flex items-center gap-3 px-5 py-3 -outline-offset-2 transition-colors hover:bg-muted/60">
        <span className="grid min-w-0 grow grid-cols-1 gap-1">
          <span className="font-medium break-words group-hover:underline">
            {title}
            <Pending />
          </span>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted-foreground">{note}</span>
        </span>
        {mark}
        <ArrowRightIcon className="size-4 shrink-0 text-muted-foreground" aria-hidden />
      </Link>
    </li>
  )
}

export function NeedsMe({ approvals, parked }: { approvals: Approval[]; parked: Run[] }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Needs me</CardTitle>
      </CardHeader>
      {approvals.length + parked.length === 0 ? (
        <EmptyState icon={<CircleCheckIcon />} title="Nothing waits for you" className="pt-4">
          Approvals you may decide and runs of yours that stopped appear here.
        </EmptyState>
      ) : (
        <ul className="divide-y border-t">
          {approvals.map((approval) => (
            <LinkRow
              key={approval.id}
              href={`/approvals/g/${approval.id}`}
              title={approval.title}
              note={
                <span>
                  {approval.shown.length > 0 && <span className="block text-foreground wrap-anywhere">{shownText(approval.shown)}</span>}
                  {approval.workflow.title}, asked by {approval.startedBy} <RelativeTime at={approval.openedAt} />
                </span>
              }
            />
          ))}
          {parked.map((run) => (
            <LinkRow
              key={run.id}
              href={`/t/${run.team}/runs/${run.id}`}
              title={runName(run)}
              note={<StatusBadge look={RUN_LOOKS[run.status]} />}
            />
          ))}
        </ul>
      )}
    </Card>
  )
}

export function RunningNow({ runs }: { runs: Run[] }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Running</CardTitle>
      </CardHeader>
      {runs.length === 0 ? (
        <EmptyState icon={<CoffeeIcon />} title="Nothing is running" className="pt-4">
          What you or your teams start shows here until it is finished.
        </EmptyState>
      ) : (
        <ul className="divide-y border-t">
          {runs.map((run) => (
            <LinkRow
              key={run.id}
              href={`/t/${run.team}/runs/${run.id}`}
              title={runName(run)}
              note={
                <>
                  <StatusBadge look={RUN_LOOKS[run.status]} />
                  <span>{stepsDone(run)}</span>
                  <RelativeTime at={run.createdAt} />
                </>
              }
            />
          ))}
        </ul>
      )}
    </Card>
  )
}

export function StartSomething({ startable }: { startable: Startable[] }) {
  const several = new Set(startable.map(({ team }) => team.slug)).size > 1
  return (
    <section aria-labelledby="start-something">
      <h2 id="start-something" className="mb-3 px-1 text-base font-semibold">
        Start something
      </h2>
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {startable.slice(0, 9).map(({ team, workflow }) => (
          <li key={`${team.slug}/${workflow.slug}`} className="flex flex-col gap-2 rounded-xl border bg-card p-5">
            <Link href={`/t/${team.slug}/workflows/${workflow.slug}`} className="font-medium hover:underline">
              {workflow.title}
              <Pending />
            </Link>
            <p lang={workflow.summaryLang ?? undefined} className="grow text-sm text-pretty text-muted-foreground">
              {workflow.summary}
            </p>
            <div className="mt-2 flex items-center justify-between gap-3">
              <span className="text-sm text-muted-foreground">{several ? team.name : ''}</span>
              <Button asChild size="sm" variant="secondary">
                <Link href={`/t/${team.slug}/workflows/${workflow.slug}/run`}>
                  <PlayIcon aria-hidden /> Run<span className="sr-only"> {workflow.title}</span>
                </Link>
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** For those who start nothing: where to look. */
export function Teams({ teams }: { teams: Team[] }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>Teams you can look at</CardTitle>
      </CardHeader>
      {teams.length === 0 ? (
        <EmptyState icon={<UsersIcon />} title="You are in no team yet" className="pt-4">
          Ask an owner of the team you work in to add you.
        </EmptyState>
      ) : (
        <ul className="divide-y border-t">
          {teams.map((team) => (
            <LinkRow
              key={team.slug}
              href={`/t/${team.slug}/workflows`}
              title={team.name}
              note={`${team.orgName}. ${team.readsData ? 'Its workflows and runs.' : 'What runs there and how far it is; not what it works on.'}`}
            />
          ))}
        </ul>
      )}
    </Card>
  )
}
