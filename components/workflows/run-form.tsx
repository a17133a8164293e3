'use client'

import { PlayIcon } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { FormData } from '@/components/forms/form-data'
import { SpecForm } from '@/components/forms/spec-form'
import type { FieldProblem } from '@/components/forms/spec-validator'
import { failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import type { Fields, Json } from '@/spec'

type RunFormProps = {
  team: string
  slug: string
  /** The version the person read: exactly it is started, even if another was published meanwhile. */
  version: number
  fields: Fields
  schema: Json
  initial: FormData
  plan: ReactNode
}

type Failure = { message: string; problems: FieldProblem[] }

export function RunForm({ team, slug, version, fields, schema, initial, plan }: RunFormProps) {
  const router = useRouter()
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  // The same input keeps its key until it has started: a second press, or a retry after a lost answer, starts nothing twice.
  const attempt = useRef({ body: '', key: '' })
  const message = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (failure) message.current?.focus()
  }, [failure])

  const start = async (input: Record<string, Json>) => {
    if (busy) return
    setBusy(true)
    setFailure(null)
    const body = JSON.stringify(input)
    if (attempt.current.body !== body) attempt.current = { body, key: newKey() }
    try {
      const { id } = await trpc.runs.start.mutate({ team, slug, version, input, idempotencyKey: attempt.current.key })
      attempt.current = { body: '', key: '' }
      router.push(`/t/${team}/runs/${id}`)
    } catch (error) {
      setFailure(failureOf(error))
      setBusy(false)
    }
  }
  const nothingToFillIn = Object.keys(fields).length === 0
  const known = new Set(Object.keys(fields))
  const elsewhere = failure?.problems.filter((problem) => !known.has(problem.path.split('/')[1] ?? '')) ?? []

  return (
    <SpecForm
      id="run"
      fields={fields}
      schema={schema}
      initial={initial}
      problems={failure?.problems}
      disabled={busy}
      onChange={() => setFailure(null)}
      onSubmit={(input) => void start(input)}
    >
      <div className="mt-6 grid gap-6">
        {nothingToFillIn && (
          <Card className="px-5 py-4 text-muted-foreground">
            <p>This workflow needs nothing to start.</p>
          </Card>
        )}
        {plan}
        <div ref={message} tabIndex={-1} className="outline-none">
          {failure && (
            <Alert tone="error" live title={failure.message}>
              <p>Nothing was started, and what you filled in is still here.</p>
              {elsewhere.length > 0 && (
                <ul className="list-disc pl-5">
                  {elsewhere.map((problem) => (
                    <li key={problem.path + problem.code}>{problem.message}</li>
                  ))}
                </ul>
              )}
            </Alert>
          )}
        </div>
        <div className="flex items-center gap-3">
          <Button type="submit" size="lg" disabled={busy}>
            <PlayIcon aria-hidden /> {busy ? 'Starting…' : 'Start'}
          </Button>
        </div>
      </div>
    </SpecForm>
  )
}

/** 128 random bits; randomUUID is missing on pages that are not served securely. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
