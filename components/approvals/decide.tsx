'use client'

import { CheckIcon, XIcon } from 'lucide-react'
import { useState } from 'react'
import { SpecForm } from '@/components/forms/spec-form'
import { failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Card, CardContent } from '@/components/ui/card'
import { FormField, Textarea } from '@/components/ui/field'
import type { Json } from '@/spec'
import type { Consequences } from './consequence'
import type { Approval } from './types'

type Failure = ReturnType<typeof failureOf>
type Props = {
  approval: Approval
  consequences: Consequences | null
  onDecided: (decision: 'approve' | 'reject', approval: Approval) => void
}

/** The form, the comment and the two answers. Rejecting asks for no form: it says no to filling it in, too. */
export function Decide({ approval, consequences, onDecided }: Props) {
  const [comment, setComment] = useState('')
  const [busy, setBusy] = useState<'approve' | 'reject' | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const decide = async (decision: 'approve' | 'reject', form?: Record<string, Json>) => {
    if (busy !== null) return
    setBusy(decision)
    setFailure(null)
    const said = comment.trim()
    try {
      const sent = { gate: approval.id, decision, ...(said === '' ? {} : { comment: said }), ...(form === undefined ? {} : { form }) }
      onDecided(decision, await trpc.approvals.decide.mutate(sent))
    } catch (error) {
      setFailure(failureOf(error))
    } finally {
      setBusy(null)
    }
  }
  const answer = (
    <div className="grid grid-cols-1 gap-4">
      <FormField id="comment" label="Comment" optional>
        {(wiring) => (
          <Textarea
            {...wiring}
            rows={1}
            maxLength={4000}
            className="min-h-11"
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </FormField>
      {consequences !== null && (
        <p className="text-sm text-pretty">
          If you approve: {consequences.approve} If you reject: {consequences.reject}
        </p>
      )}
      {failure !== null && (
        <Alert tone="error" live title="Your answer was not recorded.">
          {failure.message}
        </Alert>
      )}
      <div className="grid grid-cols-2 gap-3">
        <Button variant="secondary" size="lg" className="min-h-12" aria-disabled={busy !== null} onClick={() => void decide('reject')}>
          <XIcon aria-hidden />
          {busy === 'reject' ? 'Rejecting…' : 'Reject'}
        </Button>
        <Button type="submit" size="lg" className="min-h-12" aria-disabled={busy !== null}>
          <CheckIcon aria-hidden />
          {busy === 'approve' ? 'Approving…' : 'Approve'}
        </Button>
      </div>
    </div>
  )
  const { form, formSchema } = approval
  return (
    <Card aria-labelledby="decide">
      <h2 id="decide" className="sr-only">
        Your answer
      </h2>
      <CardContent className="pt-4">
        {form !== null && formSchema !== null && Object.keys(form).length > 0 ? (
          <SpecForm
            id="approval"
            fields={form}
            schema={formSchema}
            problems={failure?.problems}
            onSubmit={(values) => void decide('approve', values)}
            onChange={() => setFailure(null)}
          >
            {answer}
          </SpecForm>
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault()
              void decide('approve')
            }}
          >
            {answer}
          </form>
        )}
      </CardContent>
    </Card>
  )
}
