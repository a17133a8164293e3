'use client'

import { UserRoundIcon } from 'lucide-react'
import { signIn } from 'next-auth/react'
import { type FormEvent, useState } from 'react'
import { AWAY, UNREACHABLE } from '@/components/messages'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { FormField, Input } from '@/components/ui/field'
import { become } from './become'

type SignInFormProps = { /** a path of this site */ next: string; people: { id: string; name: string; what: string }[] }

/** Answers of the sign-in, in words; the same for a wrong password and for somebody who does not exist. */
function failureWords(error: string): string {
  if (error === 'RateLimited') return 'Too many tries. Please wait a few minutes and try again.'
  if (error === 'CredentialsSignin') return 'That e-mail address and password do not belong together.'
  if (error === 'Unavailable') return AWAY
  return UNREACHABLE
}

export function SignInForm({ next, people }: SignInFormProps) {
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const box = event.currentTarget
    const form = new FormData(box)
    setBusy(true)
    setFailure(null)
    try {
      const answer = await signIn('credentials', { email: form.get('email'), password: form.get('password'), redirect: false })
      if (answer?.ok && !answer.error) return window.location.assign(next)
      setFailure(failureWords(answer?.error ?? ''))
      // The button that was pressed is disabled meanwhile and loses the focus: the next thing to do is to type again.
      const password = box.querySelector<HTMLInputElement>('[name=password]')
      password?.focus()
      password?.select()
    } catch {
      setFailure(UNREACHABLE)
    }
    setBusy(false)
  }

  return (
    <>
      {people.length > 0 && <DemoPeople people={people} next={next} />}
      <form method="post" onSubmit={(event) => void submit(event)} className="grid gap-4">
        {failure && <Alert tone="error" live title={failure} />}
        <FormField id="email" label="E-mail">
          {(wiring) => <Input name="email" type="email" autoComplete="username" required {...wiring} />}
        </FormField>
        <FormField id="password" label="Password">
          {(wiring) => <Input name="password" type="password" autoComplete="current-password" required {...wiring} />}
        </FormField>
        <Button type="submit" size="lg" disabled={busy} variant={people.length > 0 ? 'secondary' : 'primary'}>
          {busy ? 'Signing in…' : 'Sign in'}
        </Button>
      </form>
    </>
  )
}

function DemoPeople({ people, next }: { people: SignInFormProps['people']; next: string }) {
  return (
    <>
      <section aria-labelledby="demo-people" className="grid gap-2">
        <h2 id="demo-people" className="text-sm font-medium">
          This is a demo. Be one of these people:
        </h2>
        <ul className="grid gap-2">
          {people.map((person) => (
            <li key={person.id}>
              <Button
                variant="secondary"
                className="h-auto w-full justify-start py-2.5 text-left whitespace-normal"
                onClick={() => void become(person.id, next)}
              >
                <UserRoundIcon className="text-primary" aria-hidden />
                <span className="grid">
                  <span>Continue as {person.name.split(' ')[0]}</span>
                  <span className="text-xs font-normal text-muted-foreground">
                    {person.name}, {person.what}
                  </span>
                </span>
              </Button>
            </li>
          ))}
        </ul>
      </section>
      <div className="flex items-center gap-3 text-sm text-muted-foreground before:h-px before:grow before:bg-border after:h-px after:grow after:bg-border">
        or with a password
      </div>
    </>
  )
}
