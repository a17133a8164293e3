'use client'

import { ChevronRightIcon } from 'lucide-react'
import { useState } from 'react'
import { stepName } from '@/components/dag/words'
import { Alert } from '@/components/ui/alert'
import { JsonTree } from '@/components/ui/json-tree'
import { ExactTime } from '@/components/ui/relative-time'
import type { Json } from '@/spec'
import { Duration } from './duration'
import { STEP_LOOKS, stepLook } from './status'
import { StatusBadge } from './status-badge'
import type { StepView } from './types'

const COLUMNS = 'grid grid-cols-[1rem_1fr_auto] items-center gap-x-3 gap-y-1 md:grid-cols-[1rem_1fr_12rem_6rem_6rem]'

/** Every step with its status, tries and duration; what it worked on unfolds, where this person may read data. */
export function RunSteps({ steps, data }: { steps: StepView[]; data: boolean }) {
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
            <Step step={step} data={data} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** Unfolded by the person and never by an update; what is inside is drawn when it is first looked at. */
function Step({ step, data }: { step: StepView; data: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className={`${COLUMNS} hover:bg-muted/60 list-none px-5 py-3 text-sm -outline-offset-2 [&::-webkit-details-marker]:hidden`}>
        <ChevronRightIcon aria-hidden className="text-muted-foreground size-4 transition-transform group-open:rotate-90" />
        <span className="min-w-0">
          <span className="font-medium break-words">{stepName(step)}</span>
          <StepNote step={step} />
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
      {open && <StepDetails step={step} data={data} />}
    </details>
  )
}

function triesOf({ startedAt, attempt, maxAttempts }: StepView): string {
  // Decisions and approvals are not tried: they have no number of attempts.
  return maxAttempts === null || (startedAt === null && attempt <= 1) ? '–' : `${attempt} of ${maxAttempts}`
}

/** The one thing worth knowing beside the status: the way taken, how far a map is, when it tries again, why it failed. */
function StepNote({ step }: { step: StepView }) {
  const notes = [
    step.items === null
      ? null
      : `${step.items.succeeded + step.items.failed} of ${step.items.total} done${step.items.failed > 0 ? `, ${step.items.failed} failed` : ''}`,
    step.kind === 'choice' && step.port !== null ? `took “${step.port}”` : null,
    step.port === 'failed' ? 'failed, and the workflow went on' : null,
    step.hint ?? null,
    step.errorMessage ?? (step.errorCode === null ? null : `error: ${step.errorCode}`),
    step.undo === null ? null : `undo: ${step.undo === 'succeeded' ? 'done' : STEP_LOOKS[step.undo].word.toLowerCase()}`,
  ].filter((note) => note !== null)
  return notes.length === 0 ? null : <span className="text-muted-foreground block text-xs break-words">{notes.join(' · ')}</span>
}

function StepDetails({ step, data }: { step: StepView; data: boolean }) {
  return (
    <div className="grid grid-cols-1 gap-4 px-5 pb-5 text-sm md:pl-12">
      <p className="text-muted-foreground">
        {step.kind === 'tool' || step.kind === 'map' ? `${triesOf(step) === '–' ? 'Not tried yet' : `Try ${triesOf(step)}`}` : null}
        {step.startedAt !== null && (
          <>
            {' '}
            started <ExactTime at={step.startedAt} />
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
      {step.flag && <Alert tone="warning">{FLAGS[step.flag] ?? step.flag}</Alert>}
      {step.attempts !== undefined && step.attempts.length > 0 && <Attempts attempts={step.attempts} />}
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
  output_invalid: 'It worked, but what it returned is not valid and was not kept.',
}

function Attempts({ attempts }: { attempts: NonNullable<StepView['attempts']> }) {
  return (
    <div className="grid grid-cols-1 gap-1">
      <h3 className="font-medium">Tries that failed</h3>
      <ol className="grid grid-cols-1 gap-1">
        {attempts.map(({ attempt, finishedAt, code, message }) => (
          <li key={`${attempt} ${finishedAt}`} className="break-words">
            Try {attempt}, <ExactTime at={finishedAt} />: {message} <code className="text-muted-foreground text-xs">{code}</code>
          </li>
        ))}
      </ol>
    </div>
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
