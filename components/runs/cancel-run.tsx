'use client'

import { useState } from 'react'
import { failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Dialog, DialogClose, DialogContent, DialogFooter, DialogTrigger } from '@/components/ui/dialog'
import type { RunView } from './types'

/** Cancels a run, after asking: it cannot be taken back. */
export function CancelRun({ team, id, onCancelled }: { team: string; id: string; onCancelled: (run: RunView) => void }) {
  const [open, setOpen] = useState(false)
  const [state, setState] = useState<{ busy: boolean; error: string | null }>({ busy: false, error: null })
  const cancel = async () => {
    setState({ busy: true, error: null })
    try {
      onCancelled(await trpc.runs.cancel.mutate({ team, id }))
      setState({ busy: false, error: null })
      setOpen(false)
    } catch (error) {
      setState({ busy: false, error: failureOf(error).message })
    }
  }
  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <DialogTrigger asChild>
        <Button variant="secondary">Cancel run</Button>
      </DialogTrigger>
      <DialogContent
        title="Cancel this run?"
        description="Nothing new starts, open approvals are withdrawn, and what is under way is asked to stop. It cannot be continued; what was done already stays done unless the workflow undoes it."
      >
        {state.error !== null && (
          <Alert tone="error" live title="It was not cancelled.">
            {state.error}
          </Alert>
        )}
        <DialogFooter>
          <DialogClose asChild>
            <Button variant="secondary">Keep it running</Button>
          </DialogClose>
          <Button variant="destructive" disabled={state.busy} onClick={() => void cancel()}>
            {state.busy ? 'Cancelling…' : 'Cancel run'}
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
