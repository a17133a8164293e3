'use client'

import Link from 'next/link'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { usePerson } from '@/components/ui/person'
import type { WorkflowSpec } from '@/spec'
import { moment } from './moment'
import { runSentence } from './sentence'
import { RUN_LOOKS } from './status'
import { StatusBadge } from './status-badge'
import type { GateView, RunView } from './types'
import { UnknownCalls } from './unknown-calls'
import type { Connection } from './use-live-run'

/** What is going on, in one sentence, and what I can do about it. Announced when it changes. */
export function RunSummary({ run, spec, connection }: { run: RunView; spec: WorkflowSpec; connection: Connection }) {
  const { locale, timeZone } = usePerson()
  const at = (instant: string) => moment(instant, Date.now(), { locale, timeZone })
  const { first, more } = runSentence(run, spec, { time: (instant) => at(instant).exact, when: (instant) => at(instant).when })
  const gates: GateView[] = run.gates
  const mine = gates.filter(({ status, mayDecide }) => status === 'open' && mayDecide === true)
  const look = RUN_LOOKS[run.status]
  return (
    <Card
      aria-label="What is going on"
      style={{ '--tone': `var(${look.color})` }}
      className="border-(--tone)/40 grid grid-cols-1 gap-3 px-5 py-5"
    >
      <div className="flex flex-wrap items-center gap-3">
        <StatusBadge look={look} />
        <ConnectionState state={connection} />
      </div>
      <div aria-live="polite" className="grid grid-cols-1 gap-1">
        <p className="text-lg font-medium text-pretty break-words" suppressHydrationWarning>
          {first}
        </p>
        {more.map((line) => (
          <p key={line} className="text-muted-foreground text-pretty break-words" suppressHydrationWarning>
            {line}
          </p>
        ))}
      </div>
      {run.view === 'data' && <UnknownCalls run={run} />}
      {run.steps.map(
        ({ id, stopped }) =>
          stopped !== null && (
            <p key={id}>
              <Link
                href={`/t/${run.team}/runs/${stopped}`}
                className="text-primary rounded-sm underline underline-offset-4 hover:no-underline"
              >
                To the run that stopped
              </Link>
            </p>
          ),
      )}
      {mine.map((gate) => (
        <div key={gate.id}>
          <Button asChild size="lg">
            <Link href={`/approvals/g/${gate.id}`}>Decide{mine.length > 1 ? `: ${gate.title}` : ''}</Link>
          </Button>
        </div>
      ))}
    </Card>
  )
}

function ConnectionState({ state }: { state: Connection }) {
  return (
    <p role="status" className="text-muted-foreground text-sm">
      {state === 'reconnecting' && 'Reconnecting… What you see may be a little old.'}
      {state === 'ended' && 'This page is no longer kept up to date. Reload it.'}
    </p>
  )
}
