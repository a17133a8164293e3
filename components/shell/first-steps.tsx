'use client'

import { CheckIcon, XIcon } from 'lucide-react'
import Link from 'next/link'
import { type ReactNode, useState } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/components/ui/cn'
import { become } from './become'
import { FIRST_STEPS_COOKIE } from './preferences'
import type { Tour, TourStep } from './tour'

type Person = { id: string; name: string }

type FirstStepsProps = {
  tour: Tour<Person>
  /** the filled-in run form; null: somebody else starts it */
  runHref: string | null
  /** an approval of the example that this person may decide */
  approval: string | null
  /** the newest finished example that this person sees */
  doneHref: string | null
}

/** The demo's way in: start it, be somebody else, approve, look. The step that comes next carries the button. */
export function FirstSteps({ tour: { steps, now, starter, decider }, runHref, approval, doneHref }: FirstStepsProps) {
  const [gone, setGone] = useState(false)
  if (gone) return null
  const next = steps.indexOf(now)
  const words: Record<TourStep, { text: string; action: ReactNode }> = {
    start: {
      text: steps.includes('approve')
        ? 'Start “Expense approval” with 900. Above 500 it needs a manager.'
        : 'Start “Expense approval” with 90. Up to 500 it needs nobody’s approval.',
      action: starter ? <Become person={starter} /> : runHref && <Go href={runHref}>Open the form</Go>,
    },
    become: { text: 'Be somebody else: whoever starts a run may not approve it.', action: decider && <Become person={decider} /> },
    approve: {
      text: 'Approve it, with a comment if you like.',
      action: approval && <Go href={`/approvals/g/${approval}`}>Open the approval</Go>,
    },
    look: {
      text: `See what it did: every step, ${steps.includes('approve') ? 'who decided, ' : ''}the entry in the ledger.`,
      action: doneHref && <Go href={doneHref}>Open the run</Go>,
    },
  }
  return (
    <section aria-labelledby="first-steps" className="relative rounded-xl border border-primary/30 bg-accent/60 p-5">
      <h2 id="first-steps" className="pr-10 font-semibold">
        First steps
      </h2>
      <p className="text-sm text-muted-foreground">
        This is a demo with made-up people. {steps.length === 4 ? 'Four' : 'Two'} steps show what Clew is for.
      </p>
      <ol className="mt-4 grid gap-x-6 gap-y-4 sm:grid-cols-2 lg:grid-cols-4">
        {steps.map((step, index) => (
          <li key={step} aria-current={index === next ? 'step' : undefined} className="flex gap-3">
            <span
              aria-hidden
              className={cn(
                'grid size-6 shrink-0 place-items-center rounded-full border text-xs font-semibold',
                index === next ? 'border-primary bg-primary text-primary-foreground' : 'border-input text-muted-foreground',
              )}
            >
              {index < next ? <CheckIcon className="size-3.5" /> : index + 1}
            </span>
            <div className="grid content-start gap-2 text-sm">
              <p className={cn(index !== next && 'text-muted-foreground')}>{words[step].text}</p>
              {index === next && <div>{words[step].action}</div>}
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

function Go({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Button asChild size="sm">
      <Link href={href}>{children}</Link>
    </Button>
  )
}

function Become({ person }: { person: Person }) {
  return (
    <Button size="sm" onClick={() => void become(person.id)}>
      Continue as {person.name.split(' ')[0]}
    </Button>
  )
}
