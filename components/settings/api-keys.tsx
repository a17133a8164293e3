'use client'

import { KeyRoundIcon } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { scopeWords } from '@/components/messages'
import { type Answers, failureOf, trpc } from '@/components/shell/trpc'
import { Alert } from '@/components/ui/alert'
import { Badge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { Card, CardHeader, CardTitle } from '@/components/ui/card'
import { Dialog, DialogClose, DialogContent, DialogFooter, DialogTrigger } from '@/components/ui/dialog'
import { EmptyState } from '@/components/ui/empty-state'
import { RelativeTime } from '@/components/ui/relative-time'
import { CreateKey } from './create-key'

type Key = Answers['keys']['list'][number]
type Team = Answers['me']['get']['teams'][number]

export function ApiKeys({ keys, teams }: { keys: Key[]; teams: Team[] }) {
  const mine = teams.filter((team) => team.level !== null)
  return (
    <Card>
      <CardHeader>
        <CardTitle>API keys</CardTitle>
        {mine.length > 0 && <CreateKey teams={mine} />}
      </CardHeader>
      <p className="px-5 pb-4 text-sm text-muted-foreground">
        With a key a program acts as you, in one team, and only as far as the key allows. It ends when you leave the team.
      </p>
      {keys.length === 0 ? (
        <div className="border-t">
          <EmptyState icon={<KeyRoundIcon />} title="No keys yet">
            {mine.length > 0 ? 'Create one for a script or another program.' : 'Keys belong to a team, and you are in none.'}
          </EmptyState>
        </div>
      ) : (
        <ul className="divide-y border-t px-5">
          {keys.map((key) => (
            <KeyRow key={key.id} apiKey={key} teams={teams} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function KeyRow({ apiKey, teams }: { apiKey: Key; teams: Team[] }) {
  const team = teams.find((one) => one.slug === apiKey.team)?.name ?? apiKey.team
  const [now] = useState(Date.now)
  const expired = Date.parse(apiKey.expiresAt) <= now
  const row = useRef<HTMLLIElement>(null)
  const wasRevoked = useRef(apiKey.revoked)
  // The button that was pressed goes away with the key: whoever pressed it stays in this row, and hears that it is revoked.
  useEffect(() => {
    if (apiKey.revoked && !wasRevoked.current && [null, document.body].includes(document.activeElement as HTMLElement | null))
      row.current?.focus()
    wasRevoked.current = apiKey.revoked
  }, [apiKey.revoked])
  return (
    <li ref={row} tabIndex={-1} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 py-4">
      <div className="grid min-w-0 gap-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {apiKey.name} <code className="text-xs font-normal text-muted-foreground">{apiKey.prefix}…</code>
          {apiKey.revoked && <Badge tone="var(--status-cancelled)">Revoked</Badge>}
          {!apiKey.revoked && expired && <Badge tone="var(--status-cancelled)">Expired</Badge>}
        </p>
        <p className="text-sm text-muted-foreground">
          {team} · {apiKey.scopes.map((scope) => scopeWords[scope as keyof typeof scopeWords] ?? scope).join(', ')}
        </p>
        <p className="text-sm text-muted-foreground">
          created <RelativeTime at={apiKey.createdAt} />, {expired ? 'expired' : 'expires'} <RelativeTime at={apiKey.expiresAt} />,{' '}
          {apiKey.lastUsedAt ? (
            <>
              last used <RelativeTime at={apiKey.lastUsedAt} />
            </>
          ) : (
            'never used'
          )}
        </p>
      </div>
      {!apiKey.revoked && !expired && <Revoke apiKey={apiKey} />}
    </li>
  )
}

function Revoke({ apiKey }: { apiKey: Key }) {
  const router = useRouter()
  const [open, setOpen] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  const revoke = async () => {
    try {
      await trpc.keys.revoke.mutate({ id: apiKey.id })
      setOpen(false)
      router.refresh()
    } catch (error) {
      setFailure(failureOf(error).message)
    }
  }
  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <DialogTrigger asChild>
        <Button variant="secondary" size="sm">
          Revoke<span className="sr-only"> {apiKey.name}</span>
        </Button>
      </DialogTrigger>
      <DialogContent title={`Revoke “${apiKey.name}”?`} description="Programs that use it are refused from now on. This cannot be undone.">
        {failure && <Alert tone="error" live title={failure} />}
        <DialogFooter>
          <DialogClose asChild>
            <Button variant="secondary">Keep it</Button>
          </DialogClose>
          <Button variant="destructive" onClick={() => void revoke()}>
            Revoke
          </Button>
        </DialogFooter>
      </DialogContent>
    </Dialog>
  )
}
