'use client'

import { useState } from 'react'
import { stepName } from '@/components/dag/words'
import { failureOf, trpc, type Answers } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Dialog, DialogClose, DialogContent, DialogFooter, DialogTrigger } from '@/components/ui/dialog'
import type { RunView, StepView } from './types'

type Plan = Answers['runs']['redrivePlan']
type Answer = 'repeat' | 'keep'
type State = { plan: Plan | null; answers: Record<string, Answer>; busy: boolean; error: string | null }

const FRESH: State = { plan: null, answers: {}, busy: false, error: null }

/** Continues a stopped run: says what will run again, and asks for each step that stands whether it is done once more. */
export function ContinueRun({ run, onContinued }: { run: RunView; onContinued: (run: RunView) => void }) {
  const [open, setOpen] = useState(false)
  const [state, setState] = useState(FRESH)
  const { team, id } = run
  const load = async () => {
    try {
      const plan = await trpc.runs.redrivePlan.query({ team, id })
      setState((now) => ({ ...now, plan, busy: false }))
    } catch (error) {
      setState((now) => ({ ...now, busy: false, error: failureOf(error).message }))
    }
  }
  const change = (wanted: boolean) => {
    setOpen(wanted)
    if (!wanted) return
    setState(FRESH)
    void load()
  }
  const go = async () => {
    setState((now) => ({ ...now, busy: true, error: null }))
    try {
      await trpc.runs.redrive.mutate({ team, id, answers: state.answers })
      onContinued(await trpc.runs.get.query({ team, id }))
      setOpen(false)
    } catch (error) {
      setState((now) => ({ ...now, error: failureOf(error).message }))
      await load() // what is asked may have changed meanwhile
    }
  }
  const { plan, answers, busy, error } = state
  return (
    <Dialog open={open} onOpenChange={change}>
      <DialogTrigger asChild>
        <Button>Continue from here</Button>
      </DialogTrigger>
      <DialogContent
        title="Continue this run?"
        description="What failed or was undone runs again, and what comes after it. What is done and does not depend on that stays. The run keeps its version of the workflow."
      >
        {error !== null && (
          <Alert tone="error" live title="It was not continued.">
            {error}
          </Alert>
        )}
        {plan === null ? (
          error === null && (
            <p role="status" className="text-muted-foreground text-sm">
              Looking up what would run again…
            </p>
          )
        ) : (
          <>
            <Again plan={plan} steps={run.steps} />
            {plan.ask.map((stepId) => (
              <Question
                key={stepId}
                name={nameOf(run.steps, stepId)}
                id={stepId}
                answer={answers[stepId]}
                onAnswer={(answer) => setState((now) => ({ ...now, answers: { ...now.answers, [stepId]: answer } }))}
              />
            ))}
          </>
        )}
        <DialogFooter>
          <DialogClose asChild>
            <Button variant="secondary">Leave it stopped</Button>
          </DialogClose>
          <Button disabled={busy || plan === null || plan.ask.some((stepId) => answers[stepId] === undefined)} onClick={() => void go()}>
            {busy ? 'Continuing…' : 'Continue'}
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

const nameOf = (steps: readonly StepView[], stepId: string) =>
  stepName(steps.find(({ id }) => id === stepId) ?? { id: stepId, title: null })

function Again({ plan, steps }: { plan: Plan; steps: readonly StepView[] }) {
  const sure = plan.again.filter((stepId) => !plan.ask.includes(stepId))
  const unknown = [...new Set(plan.unknown.map(({ stepId }) => stepId))]
  return (
    <div className="grid gap-3 text-sm">
      {sure.length > 0 ? (
        <div className="grid gap-1">
          <p className="font-medium">Runs again, or for the first time:</p>
          <ul className="list-disc pl-5">
            {sure.map((stepId) => (
              <li key={stepId} className="break-words">
                {nameOf(steps, stepId)}
                {(steps.find(({ id }) => id === stepId)?.items ?? null) !== null && ' (only items that are not done)'}
              </li>
            ))}
          </ul>
        </div>
      ) : (
        plan.ask.length === 0 && <p>Nothing runs again: the run goes on with the steps that are left.</p>
      )}
      {unknown.length > 0 && (
        <Alert tone="warning" title="This could happen twice.">
          Nobody knows whether {unknown.map((stepId) => `“${nameOf(steps, stepId)}”`).join(' and ')} took effect, and continuing does it
          again. If you can find out on the other side, record the outcome instead.
        </Alert>
      )}
    </div>
  )
}

/** The two answers, each with what it means. None is chosen beforehand: both can be the wrong one. */
function Question({
  id,
  name,
  answer,
  onAnswer,
}: {
  id: string
  name: string
  answer: Answer | undefined
  onAnswer: (answer: Answer) => void
}) {
  return (
    <fieldset className="grid gap-2 rounded-lg border p-3 text-sm">
      <legend className="px-1 font-medium break-words">“{name}” is done, and something before it runs again</legend>
      <Choice group={id} chosen={answer === 'repeat'} onChoose={() => onAnswer('repeat')} title="Do it once more">
        It takes effect a second time, with what the steps before it now say. What it did the first time stays as well.
      </Choice>
      <Choice group={id} chosen={answer === 'keep'} onChoose={() => onAnswer('keep')} title="Keep what it did">
        It does not run. The steps after it work with the result that it has.
      </Choice>
    </fieldset>
  )
}

function Choice({
  group,
  chosen,
  onChoose,
  title,
  children,
}: {
  group: string
  chosen: boolean
  onChoose: () => void
  title: string
  children: React.ReactNode
}) {
  return (
    <label className="has-checked:border-primary flex cursor-pointer gap-2.5 rounded-md border p-2.5">
      <input type="radio" name={`answer-${group}`} checked={chosen} onChange={onChoose} className="accent-primary mt-0.5 size-4 shrink-0" />
      <span className="grid gap-0.5">
        <span className="font-medium">{title}</span>
        <span className="text-muted-foreground">{children}</span>
      </span>
    </label>
  )
}
