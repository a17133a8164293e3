'use client'

import { signIn } from 'next-auth/react'
import { type FormEvent, useState } from 'react'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { FormField, Input } from '@/components/ui/field'
import { failureOf, trpc } from './trpc'

const fields = [
  { name: 'orgName', label: 'Organisation', autoComplete: 'organization' },
  { name: 'teamName', label: 'First team', help: 'Workflows and runs belong to a team, such as “Finance”.', autoComplete: 'off' },
  { name: 'name', label: 'Your name', autoComplete: 'name' },
  { name: 'email', label: 'Your e-mail', type: 'email', autoComplete: 'username' },
  { name: 'password', label: 'A password', help: 'At least 12 characters.', type: 'password', autoComplete: 'new-password' },
] as const

export function SetupForm({ token }: { token: string }) {
  const [failure, setFailure] = useState<ReturnType<typeof failureOf> | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '')
    const [email, password] = [text('email'), text('password')]
    setBusy(true)
    setFailure(null)
    try {
      const input = { token, orgName: text('orgName'), teamName: text('teamName'), name: text('name'), email, password }
      const { team } = await trpc.setup.complete.mutate(input)
      const answer = await signIn('credentials', { email, password, redirect: false })
      window.location.assign(answer?.ok ? `/t/${team}/workflows` : '/signin')
    } catch (error) {
      setFailure(failureOf(error))
      setBusy(false)
    }
  }
  const problemOf = (name: string) => failure?.problems.find((problem) => problem.path === `/${name}`)?.message
  return (
    <form method="post" noValidate onSubmit={(event) => void submit(event)} className="grid gap-5">
      {failure && (
        <Alert tone="error" live title={failure.problems.length > 0 ? 'Please look at the marked fields.' : failure.message}>
          <p>Nothing was set up yet.</p>
        </Alert>
      )}
      {fields.map(({ name, label, autoComplete, ...field }) => (
        <FormField key={name} id={name} label={label} help={'help' in field ? field.help : undefined} error={problemOf(name)}>
          {(wiring) => <Input name={name} type={'type' in field ? field.type : 'text'} autoComplete={autoComplete} required {...wiring} />}
        </FormField>
      ))}
      <Button type="submit" size="lg" disabled={busy}>
        {busy ? 'Setting up…' : 'Set up'}
      </Button>
    </form>
  )
}
