'use client'

import { ChevronRightIcon } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { stepName } from '@/components/dag/words'
import { Alert } from '@/components/ui/alert'
import { JsonTree } from '@/components/ui/json-tree'
import { ExactTime } from '@/components/ui/relative-time'
import type { Json, RunStatus } from '@/spec'
import { Duration } from './duration'
import { itemsDone } from './names'
import { RUN_LOOKS, STEP_LOOKS, stepLook } from './status'
import { StatusBadge } from './status-badge'
import type { StepView } from './types'

const COLUMNS = 'grid grid-cols-[1rem_1fr_auto] items-center gap-x-3 gap-y-1 md:grid-cols-[1rem_1fr_12rem_6rem_6rem]'

/**
 * Every step with its status, tries and duration; what it worked on unfolds, where this person may read data. `explained` is
 * the step whose failure the page has already told of: it is not told twice.
 */
export function RunSteps({ steps, data, explained, team }: { steps: StepView[]; data: boolean; explained: string | null; team: string }) {
  return (
    <>
      <div aria-hidden className={`${COLUMNS} text-muted-foreground border-b px-5 pb-2 text-xs font-medium max-md:hidden`}>
        <span className="col-start-2">Step</span>
        <span>Status</span>
        <span>Tries</span>
        <span>Duration</span>
      </div>
      <ol aria-label="Steps" className="divide-y">
        {steps.map((step) => (
          <li key={step.id}>
            <Step step={step} data={data} explained={step.id === explained} team={team} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** Unfolded by the person and never by an update; what is inside is drawn when it is first looked at. */
function Step({ step, data, explained, team }: { step: StepView; data: boolean; explained: boolean; team: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={`${COLUMNS} hover:bg-muted/60 list-none px-5 py-3 text-sm -outline-offset-2 [&::-webkit-details-marker]:hidden`}>
        <ChevronRightIcon aria-hidden className="text-muted-foreground size-4 transition-transform group-open:rotate-90" />
        <span className="min-w-0">
          <span className="font-medium break-words">{stepName(step)}</span>
          <StepNote step={step} explained={explained} />
        </span>
        <span className="justify-self-end md:justify-self-start">
          <StatusBadge look={stepLook(step)} />
        </span>
        <span className="tabular-nums max-md:hidden">
          <span className="sr-only">Tries: </span>
          {triesOf(step)}
        </span>
        <span className="tabular-nums max-md:hidden">
          <span className="sr-only">Duration: </span>
          <Duration from={step.startedAt} to={step.finishedAt} />
        </span>
      </summary>
      {open && <StepDetails step={step} data={data} team={team} />}
    </details>
  )
}

function triesOf({ status, attempt, maxAttempts }: StepView): string {
  // Decisions and approvals are not tried: they have no number of attempts. A first try is nothing to speak of, nor is how
  // many there could have been once it worked.
  if (maxAttempts === null || attempt <= 1) return '–'
  return status === 'succeeded' || status === 'compensated' ? `${attempt}` : `${attempt} of ${maxAttempts}`
}

/** The one thing worth knowing beside the status: the way taken, how far a map is, when it tries again, why it failed. */
function StepNote({ step, explained }: { step: StepView; explained: boolean }) {
  const notes = [
    step.items === null ? null : itemsDone(step.items),
    step.child === null || step.status !== 'waiting' ? null : CHILD_NOTES[step.child.status],
    step.deferred === null ? null : QUOTA_NOTES[step.deferred.reason],
    step.kind === 'choice' && step.port !== null ? `took “${step.port}”` : null,
    step.port === 'failed' ? 'failed, and the workflow went on' : null,
    step.hint ?? null,
    explained ? null : (step.errorMessage ?? (step.errorCode === null ? null : `error: ${step.errorCode}`)),
    step.undo === null ? null : `undo: ${step.undo === 'succeeded' ? 'done' : STEP_LOOKS[step.undo].word.toLowerCase()}`,
  ].filter((note) => note !== null)
  return notes.length === 0 ? null : <span className="text-muted-foreground block text-xs break-words">{notes.join(' · ')}</span>
}

/** Why a step's start is put off. */
const QUOTA_NOTES: Record<NonNullable<StepView['deferred']>['reason'], string> = {
  steps_per_day: 'the team has used up its steps for today',
  concurrent_steps: 'waits for its turn: the team runs as many steps as it may',
}

/** What a step that waits for the run it started has to say of that. */
const CHILD_NOTES: Partial<Record<RunStatus, string>> = {
  awaiting_approval: 'the run it started waits for approval',
  parked: 'the run it started stopped and needs attention',
}

function StepDetails({ step, data, team }: { step: StepView; data: boolean; team: string }) {
  const attempts = step.attempts ?? []
  return (
    <div className="grid grid-cols-1 gap-4 px-5 pb-5 text-sm md:pl-12">
      <p className="text-muted-foreground">
        {step.startedAt !== null && (
          <>
            {triesOf(step) === '–' ? 'Started' : `Try ${triesOf(step)} started`} <ExactTime at={step.startedAt} />
          </>
        )}
        {step.finishedAt !== null && (
          <>
            , ended <ExactTime at={step.finishedAt} />
          </>
        )}
        {step.startedAt === null && step.finishedAt === null && 'It has not been reached.'}
      </p>
      {step.notBefore !== null && step.status === 'queued' && (
        <p>
          Next try not before <ExactTime at={step.notBefore} />.
        </p>
      )}
      {step.deferred?.reason === 'steps_per_day' && (
        <p>
          The team has used up its steps for today: it goes on <ExactTime at={step.deferred.until} />.
        </p>
      )}
      {step.notBefore !== null && step.status === 'waiting' && (
        <p>
          It waits until <ExactTime at={step.notBefore} />.
        </p>
      )}
      {step.child !== null && (
        <p>
          It started{' '}
          <Link href={`/t/${team}/runs/${step.child.id}`} className="underline">
            a run of its own
          </Link>
          : {RUN_LOOKS[step.child.status].word.toLowerCase()}.
        </p>
      )}
      {step.flag && <Alert tone="warning">{FLAGS[step.flag] ?? step.flag}</Alert>}
      {attempts.length > 0 && <Attempts attempts={attempts} />}
      {data ? (
        <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
          <Value title="Input" value={step.input ?? null} />
          <Value title="Output" value={step.output ?? null} />
        </div>
      ) : (
        <p className="text-muted-foreground">What it worked on is hidden from you.</p>
      )}
    </div>
  )
}

const FLAGS: Record<string, string> = {
  output_truncated: 'It worked, but its output was too large to keep.',
  recorded_by_hand: 'How it ended was recorded by hand: its answer had been lost.',
  output_invalid: 'It worked, but what it returned is not valid and was not kept.',
}

function Attempts({ attempts }: { attempts: NonNullable<StepView['attempts']> }) {
  return (
    <details className="grid grid-cols-1 gap-1">
      <summary className="font-medium">{attempts.length === 1 ? 'One try that failed' : `${attempts.length} tries that failed`}</summary>
      <ol className="mt-1 grid grid-cols-1 gap-1">
        {attempts.map(({ attempt, plugin, startedAt, finishedAt, code, message }) => (
          <li key={`${attempt} ${finishedAt}`} className="break-words">
            Try {attempt},{' '}
            {startedAt !== null && (
              <>
                <ExactTime at={startedAt} /> to{' '}
              </>
            )}
            <ExactTime at={finishedAt} />: {message} <code className="text-muted-foreground text-xs">{code}</code>
            {plugin !== null && <span className="text-muted-foreground text-xs"> by {plugin}</span>}
          </li>
        ))}
      </ol>
    </details>
  )
}

function Value({ title, value }: { title: string; value: Json }) {
  return (
    <div className="grid min-w-0 grid-cols-1 content-start gap-1">
      <h3 className="font-medium">{title}</h3>
      {value === null ? <p className="text-muted-foreground">nothing</p> : <JsonTree value={value} depth={2} />}
    </div>
  )
}
