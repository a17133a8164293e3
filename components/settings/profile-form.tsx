'use client'

import { useRouter } from 'next/navigation'
import { type FormEvent, useState } from 'react'
import { type Answers, failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Button } from '@/components/ui/button'
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card'
import { FormField, Input, Select } from '@/components/ui/field'
import { ZONE_NOT_CHOSEN } from '@/components/ui/person'

type ProfileFormProps = { me: Answers['me']['get']; languages: { code: string; name: string }[]; zones: string[] }

const isPlace = (zone: string) => zone !== ZONE_NOT_CHOSEN && zone !== 'Etc/UTC'

export function ProfileForm({ me, languages, zones }: ProfileFormProps) {
  const router = useRouter()
  const [state, setState] = useState<'idle' | 'saving' | 'saved' | ReturnType<typeof failureOf>>('idle')

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setState('saving')
    try {
      await trpc.me.update.mutate({
        name: String(form.get('name')),
        locale: String(form.get('locale')),
        timeZone: String(form.get('timeZone')),
      })
      setState('saved')
      router.refresh()
    } catch (error) {
      setState(failureOf(error))
    }
  }
  const failure = typeof state === 'object' ? state : null
  const problemOf = (name: string) => failure?.problems.find((problem) => problem.path === `/${name}`)?.message
  return (
    <Card>
      <CardHeader>
        <CardTitle>You</CardTitle>
      </CardHeader>
      <CardContent>
        <form method="post" onSubmit={(event) => void submit(event)} onChange={() => setState('idle')} className="grid gap-5">
          <FormField id="name" label="Name" error={problemOf('name')}>
            {(wiring) => <Input name="name" defaultValue={me.name} autoComplete="name" maxLength={100} required {...wiring} />}
          </FormField>
          <div className="grid gap-5 sm:grid-cols-2">
            <FormField
              id="locale"
              label="Language"
              help="How dates are written, and in which language workflows may write to you. The pages are in English; what a workflow does is told in Spanish if you choose it."
              error={problemOf('locale')}
            >
              {(wiring) => (
                <Select name="locale" defaultValue={me.locale} {...wiring}>
                  {languages.map(({ code, name }) => (
                    <option key={code} value={code} lang={code}>
                      {name}
                    </option>
                  ))}
                </Select>
              )}
            </FormField>
            <FormField id="timeZone" label="Time zone" help="In which times are shown." error={problemOf('timeZone')}>
              {(wiring) => (
                <Select name="timeZone" defaultValue={me.timeZone} {...wiring}>
                  <option value={ZONE_NOT_CHOSEN}>The one of the device I use</option>
                  <option value="Etc/UTC">UTC</option>
                  {zones.filter(isPlace).map((zone) => (
                    <option key={zone} value={zone}>
                      {zone.replaceAll('_', ' ')}
                    </option>
                  ))}
                </Select>
              )}
            </FormField>
          </div>
          {failure && (
            <Alert tone="error" live title={failure.message}>
              <p>Nothing was changed.</p>
            </Alert>
          )}
          <div className="flex items-center gap-3">
            <Button type="submit" disabled={state === 'saving'}>
              {state === 'saving' ? 'Saving…' : 'Save'}
            </Button>
            <span role="status" className="text-sm text-muted-foreground">
              {state === 'saved' ? 'Saved.' : ''}
            </span>
          </div>
        </form>
      </CardContent>
    </Card>
  )
}
