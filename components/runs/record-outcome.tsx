'use client'

import { useState } from 'react'
import { stepName } from '@/components/dag/words'
import { failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Dialog, DialogClose, DialogContent, DialogFooter, DialogTrigger } from '@/components/ui/dialog'
import { FormField, Textarea } from '@/components/ui/field'
import { compensateOn, type Json, type WorkflowSpec } from '@/spec'
import { outputSkeleton } from './output-skeleton'
import type { RunView } from './types'

type Unknown = RunView['unknown'][number]
type State = { happened: boolean | null; text: string; busy: boolean; error: string | null; wrong: string | null }

const FRESH: State = { happened: null, text: '', busy: false, error: null, wrong: null }

/** Records by hand how a call ended of which nobody knows whether it took effect. */
export function RecordOutcome({ run, of, onRecorded }: { run: RunView; of: Unknown; onRecorded: (run: RunView) => void }) {
  const [open, setOpen] = useState(false)
  const [state, setState] = useState(FRESH)
  const { team, id } = run
  const at = { team, id, step: of.stepId, item: of.item }
  const name = stepName(run.steps.find((step) => step.id === of.stepId) ?? { id: of.stepId, title: null })
  const what = of.item < 0 ? `“${name}”` : `item ${of.item + 1} of “${name}”`
  const set = (change: Partial<State>) => setState((now) => ({ ...now, ...change }))

  const change = (wanted: boolean) => {
    setOpen(wanted)
    if (!wanted) return
    setState(FRESH)
    // Only a help for typing: without it the field starts empty.
    trpc.runs.outcomeForm.query(at).then(
      ({ outputSchema }) => setState((now) => (now.text === '' ? { ...now, text: outputSkeleton(outputSchema) } : now)),
      () => {},
    )
  }
  const record = async () => {
    const output = state.happened ? parsed(state.text) : undefined
    if (output && 'wrong' in output) return set({ wrong: output.wrong })
    set({ busy: true, error: null, wrong: null })
    try {
      await trpc.runs.recordOutcome.mutate({ ...at, happened: state.happened === true, ...(output ? { output: output.value } : {}) })
      onRecorded(await trpc.runs.get.query({ team, id }))
      setOpen(false)
    } catch (error) {
      const { message, problems } = failureOf(error)
      const wrong = problems.map((problem) => `${problem.path.replace(/^\/output/, '') || 'The result'}: ${problem.message}`).join('; ')
      set({ busy: false, ...(wrong ? { wrong } : { error: message }) })
    }
  }
  return (
    <Dialog open={open} onOpenChange={change}>
      <DialogTrigger asChild>
        <Button variant="secondary">Record what happened{run.unknown.length > 1 ? `: ${what}` : ''}</Button>
      </DialogTrigger>
      <DialogContent
        title={`Did ${what} take effect?`}
        description="The answer was lost, so look on the other side. What you record is marked as recorded by hand, with your name in the audit log."
      >
        {state.error !== null && (
          <Alert tone="error" live title="It was not recorded.">
            {state.error}
          </Alert>
        )}
        <fieldset className="grid gap-2 text-sm">
          <legend className="sr-only">Did it take effect?</legend>
          <Side chosen={state.happened === true} onChoose={() => set({ happened: true })} title="Yes, it happened">
            The step counts as done, with the result below.
          </Side>
          <Side chosen={state.happened === false} onChoose={() => set({ happened: false })} title="No, it did not happen">
            The step stays failed.
          </Side>
        </fieldset>
        {state.happened === true && (
          <FormField
            id="outcome"
            label="Its result (JSON)"
            help="What the step would have returned. Later steps use it."
            error={state.wrong}
          >
            {(wiring) => (
              <Textarea
                {...wiring}
                value={state.text}
                onChange={(event) => set({ text: event.target.value, wrong: null })}
                spellCheck={false}
                className="font-mono text-sm"
              />
            )}
          </FormField>
        )}
        <p className="text-muted-foreground text-sm">{consequence(run, state.happened === true)}</p>
        <DialogFooter>
          <DialogClose asChild>
            <Button variant="secondary">Not now</Button>
          </DialogClose>
          <Button disabled={state.busy || state.happened === null} onClick={() => void record()}>
            {state.busy ? 'Recording…' : 'Record'}
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}

/** What recording it leads to at once: only the last answer lets the run undo what it did. */
function consequence({ spec, unknown }: RunView, happened: boolean): string {
  if (!compensateOn(JSON.parse(spec) as WorkflowSpec).includes('parked')) {
    return 'Nothing is undone by that: this workflow undoes nothing when it stops. The run then waits to be continued.'
  }
  if (unknown.length > 1) return 'Nothing is undone before it is recorded for the other steps, too, whether they took effect.'
  const too = happened ? ', this step too where it can be' : ''
  return `With that, what this run did and the workflow can undo is undone at once${too}. Then the run can be continued: what was undone runs again.`
}

function parsed(text: string): { value: Json } | { wrong: string } {
  try {
    return { value: JSON.parse(text.trim() === '' ? 'null' : text) as Json }
  } catch {
    return { wrong: 'This is not JSON: texts stand in double quotes, and there is no comma after the last member.' }
  }
}

function Side({ chosen, onChoose, title, children }: { chosen: boolean; onChoose: () => void; title: string; children: React.ReactNode }) {
  return (
    <label className="has-checked:border-primary flex cursor-pointer gap-2.5 rounded-md border p-2.5">
      <input type="radio" name="happened" checked={chosen} onChange={onChoose} className="accent-primary mt-0.5 size-4 shrink-0" />
      <span className="grid gap-0.5">
        <span className="font-medium">{title}</span>
        <span className="text-muted-foreground">{children}</span>
      </span>
    </label>
  )
}
