'use client'

import { PlusIcon } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { OFFERED_SCOPES, scopeWords } from '@/components/messages'
import { type Answers, failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Dialog, DialogClose, DialogContent, DialogFooter, DialogTrigger } from '@/components/ui/dialog'
import { FormField, Input, Select } from '@/components/ui/field'

type Team = Answers['me']['get']['teams'][number]
type Scope = keyof typeof scopeWords

export function CreateKey({ teams }: { teams: Team[] }) {
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  const change = (next: boolean) => {
    setOpen(next)
    // Gone with the dialog: the key is shown this once.
    if (!next) setMade(null)
  }
  return (
    <Dialog open={open} onOpenChange={change}>
      <DialogTrigger asChild>
        <Button variant="secondary" size="sm">
          <PlusIcon aria-hidden /> Create a key
        </Button>
      </DialogTrigger>
      {made === null ? (
        <DialogContent title="Create an API key">
          <KeyForm
            teams={teams}
            onMade={(key) => {
              setMade(key)
              router.refresh()
            }}
          />
        </DialogContent>
      ) : (
        <DialogContent title="Your new key" description="Copy it now: it is shown only this once, and stored nowhere.">
          <code className="rounded-md border bg-muted p-3 text-sm break-all select-all">{made}</code>
          <DialogFooter>
            <CopyButton text={made} label="Copy the key" />
            <DialogClose asChild>
              <Button size="sm">Done</Button>
            </DialogClose>
          </DialogFooter>
        </DialogContent>
      )}
    </Dialog>
  )
}

function KeyForm({ teams, onMade }: { teams: Team[]; onMade: (key: string) => void }) {
  const [failure, setFailure] = useState<ReturnType<typeof failureOf> | null>(null)
  const [busy, setBusy] = useState(false)
  const problemOf = (name: string) => failure?.problems.find((problem) => problem.path.startsWith(`/${name}`))?.message

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setFailure(null)
    try {
      const { key } = await trpc.keys.create.mutate({
        team: String(form.get('team')),
        name: String(form.get('name')),
        scopes: form.getAll('scopes') as Scope[],
        days: Number(form.get('days')),
      })
      onMade(key)
    } catch (error) {
      setFailure(failureOf(error))
      setBusy(false)
    }
  }
  return (
    <form method="post" onSubmit={(event) => void submit(event)} className="grid gap-4">
      <FormField id="key-name" label="What it is for" error={problemOf('name')}>
        {(wiring) => <Input name="name" placeholder="Nightly import" autoComplete="off" maxLength={100} required {...wiring} />}
      </FormField>
      <div className="grid gap-4 sm:grid-cols-2">
        <FormField id="key-team" label="Team" error={problemOf('team')}>
          {(wiring) => (
            <Select name="team" {...wiring}>
              {teams.map((team) => (
                <option key={team.slug} value={team.slug}>
                  {team.name}
                </option>
              ))}
            </Select>
          )}
        </FormField>
        <FormField id="key-days" label="Ends after" error={problemOf('days')}>
          {(wiring) => (
            <Select name="days" defaultValue="90" {...wiring}>
              {[7, 30, 90, 365].map((days) => (
                <option key={days} value={days}>
                  {days} days
                </option>
              ))}
            </Select>
          )}
        </FormField>
      </div>
      <fieldset className="grid gap-1">
        <legend className="mb-1 text-sm font-medium">What it may do</legend>
        {OFFERED_SCOPES.map((scope) => (
          <label key={scope} className="flex min-h-8 items-center gap-2.5 text-sm">
            <input type="checkbox" name="scopes" value={scope} className="size-4.5 accent-primary" />
            {scopeWords[scope]}
          </label>
        ))}
        {problemOf('scopes') && <p className="text-sm text-destructive">{problemOf('scopes')}</p>}
      </fieldset>
      {failure && failure.problems.length === 0 && (
        <Alert tone="error" live title={failure.message}>
          <p>No key was made.</p>
        </Alert>
      )}
      <DialogFooter>
        <DialogClose asChild>
          <Button variant="secondary">Cancel</Button>
        </DialogClose>
        <Button type="submit" disabled={busy}>
          {busy ? 'Creating…' : 'Create'}
        </Button>
      </DialogFooter>
    </form>
  )
}
