'use client'

import { CheckIcon, XIcon } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/cn'
import { become } from './become'
import { nextStep } from './next-step'
import { FIRST_STEPS_COOKIE } from './preferences'

type Person = { id: string; name: string; what: string }

type FirstStepsProps = {
  meId: string
  people: Person[]
  /** the filled-in run form; null: this person may not start the example */
  runHref: string | null
  /** an approval of the example that this person may decide */
  approval: string | null
  /** the newest example waits for its approval */
  isWaiting: boolean
  /** the newest finished example that this person sees */
  doneHref: string | null
}

/** The demo's way in: start it, be somebody else, approve, look. The step that comes next carries the button. */
export function FirstSteps({ meId, people, runHref, approval, isWaiting, doneHref }: FirstStepsProps) {
  const [gone, setGone] = useState(false)
  if (gone) return null
  const find = (word: RegExp) => people.find((person) => word.test(person.what) && person.id !== meId)
  const manager = find(/member and manager/)
  const member = find(/^member in/) ?? find(/member/)
  const now = nextStep({ approval, isWaiting, othersDecide: manager !== undefined, doneHref })
  const steps: { text: ReactNode; action: ReactNode }[] = [
    {
      text: 'Start “Expense approval” with 900. Above 500 it needs a manager.',
      action: runHref ? (
        <Button asChild size="sm">
          <Link href={runHref}>Open the form</Link>
        </Button>
      ) : (
        member && <Become person={member} />
      ),
    },
    { text: 'Be somebody else: whoever starts a run may not approve it.', action: manager && <Become person={manager} /> },
    {
      text: 'Approve it, with a comment if you like.',
      action: approval && (
        <Button asChild size="sm">
          <Link href={`/approvals/g/${approval}`}>Open the approval</Link>
        </Button>
      ),
    },
    {
      text: 'See what it did: every step, who decided, the entry in the ledger.',
      action: doneHref && (
        <Button asChild size="sm">
          <Link href={doneHref}>Open the run</Link>
        </Button>
      ),
    },
  ]
  return (
    <section aria-labelledby="first-steps" className="relative rounded-xl border border-primary/30 bg-accent/60 p-5">
      <h2 id="first-steps" className="pr-10 font-semibold">
        First steps
      </h2>
      <p className="text-sm text-muted-foreground">This is a demo with made-up people. Four steps show what Clew is for.</p>
      <ol className="mt-4 grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map(({ text, action }, index) => (
          <li key={String(text)} aria-current={index === now ? 'step' : undefined} className="flex gap-3">
            <span
              aria-hidden
              className={cn(
                'grid size-6 shrink-0 place-items-center rounded-full border text-xs font-semibold',
                index === now ? 'border-primary bg-primary text-primary-foreground' : 'border-input text-muted-foreground',
              )}
            >
              {index < now ? <CheckIcon className="size-3.5" /> : index + 1}
            </span>
            <div className="grid content-start gap-2 text-sm">
              <p className={cn(index !== now && 'text-muted-foreground')}>{text}</p>
              {index === now && <div>{action}</div>}
            </div>
          </li>
        ))}
      </ol>
      <Button
        variant="ghost"
        size="icon"
        className="absolute top-2 right-2"
        aria-label="Dismiss the first steps"
        onClick={() => {
          document.cookie = `${FIRST_STEPS_COOKIE}=done; path=/; max-age=31536000; samesite=lax`
          setGone(true)
        }}
      >
        <XIcon aria-hidden />
      </Button>
    </section>
  )
}

function Become({ person }: { person: Person }) {
  return (
    <Button size="sm" onClick={() => void become(person.id)}>
      Continue as {person.name.split(' ')[0]}
    </Button>
  )
}
