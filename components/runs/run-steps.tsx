'use client'

import { ChevronRightIcon } from 'lucide-react'
import { useState } from 'react'
import { stepName } from '@/components/dag/words'
import { Duration } from './duration'
import { itemsDone, stoppedWords, triesOf, wasRetried } from './names'
import { STEP_LOOKS, stepLook } from './status'
import { StatusBadge } from './status-badge'
import { StepDetails, type StepOf } from './step-details'
import type { StepView } from './types'

const GRID = 'grid grid-cols-[1rem_1fr_auto] items-center gap-x-3 gap-y-1'
const COLUMNS = `${GRID} md:grid-cols-[1rem_1fr_12rem_6rem]`
const WITH_TRIES = `${GRID} md:grid-cols-[1rem_1fr_12rem_6rem_6rem]`

/**
 * Every step with its status and duration, and its tries once any step was tried again; what it worked on unfolds, where this person may read data. `explained` is
 * the step whose failure the page has already told of: it is not told twice.
 */
export function RunSteps({ steps, data, explained, of }: { steps: StepView[]; data: boolean; explained: string | null; of: StepOf }) {
  const tries = wasRetried(steps)
  return (
    <>
      <div
        aria-hidden
        className={`${tries ? WITH_TRIES : COLUMNS} text-muted-foreground border-b px-5 pb-2 text-xs font-medium max-md:hidden`}
      >
        <span className="col-start-2">Step</span>
        <span>Status</span>
        {tries && <span>Tries</span>}
        <span>Duration</span>
      </div>
      <ol aria-label="Steps" className="divide-y">
        {steps.map((step) => (
          <li key={step.id}>
            <Step step={step} tries={tries} data={data} explained={step.id === explained} of={of} />
          </li>
        ))}
      </ol>
    </>
  )
}

/** Unfolded by the person and never by an update; what is inside is drawn when it is first looked at. */
function Step({ step, tries, data, explained, of }: { step: StepView; tries: boolean; data: boolean; explained: boolean; of: StepOf }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="group" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary
        className={`${tries ? WITH_TRIES : COLUMNS} hover:bg-muted/60 list-none px-5 py-3 text-sm -outline-offset-2 [&::-webkit-details-marker]:hidden`}
      >
        <ChevronRightIcon aria-hidden className="text-muted-foreground size-4 transition-transform group-open:rotate-90" />
        <span className="min-w-0">
          <span className="font-medium break-words">{stepName(step)}</span>
          <StepNote step={step} explained={explained} />
        </span>
        <span className="justify-self-end md:justify-self-start">
          <StatusBadge look={stepLook(step)} />
        </span>
        {tries && (
          <span className="tabular-nums max-md:hidden">
            <span className="sr-only">Tries: </span>
            {triesOf(step)}
          </span>
        )}
        <span className="tabular-nums max-md:hidden">
          <span className="sr-only">Duration: </span>
          {/* One that was interrupted is not at it any more, and nobody knows since when. */}
          <Duration from={step.status === 'pending' ? null : step.startedAt} to={step.finishedAt} />
        </span>
      </summary>
      {open && <StepDetails step={step} data={data} of={of} />}
    </details>
  )
}

/** The one thing worth knowing beside the status: the way taken, how far a map is, when it tries again, why it failed. */
function StepNote({ step, explained }: { step: StepView; explained: boolean }) {
  const notes = [
    step.items === null ? null : itemsDone(step.items),
    step.turns === null || step.turns === 0 ? null : `${step.turns} ${step.turns === 1 ? 'turn' : 'turns'}`,
    stoppedWords(step) ??
      (step.status === 'waiting' && step.child?.status === 'awaiting_approval' ? 'the run it started waits for approval' : null),
    step.deferred === null ? null : QUOTA_NOTES[step.deferred.reason],
    step.kind === 'choice' && step.port !== null ? `took “${step.port}”` : null,
    step.port === 'failed' ? 'failed, and the workflow went on' : null,
    step.hint ?? null,
    explained ? null : (step.errorMessage ?? (step.errorCode === null ? null : `error: ${step.errorCode}`)),
    step.undo === null ? null : undoNote(step.undo),
  ].filter((note) => note !== null)
  return notes.length === 0 ? null : <span className="text-muted-foreground block text-xs break-words">{notes.join(' · ')}</span>
}

/** An undo that failed is not tried again, and whether it took effect may be as unknown as with any call: a person has to look. */
function undoNote(undo: NonNullable<StepView['undo']>): string {
  if (undo === 'succeeded') return 'undo: done'
  if (undo === 'failed') return 'the undo failed and is not tried again: look on the other side what stands, and undo it there'
  return `undo: ${STEP_LOOKS[undo].word.toLowerCase()}`
}

/** Why a step's start is put off. */
const QUOTA_NOTES: Record<NonNullable<StepView['deferred']>['reason'], string> = {
  steps_per_day: 'the team has used up its steps for today',
  concurrent_steps: 'waits for its turn: the team runs as many steps as it may',
}
