import { KeyRoundIcon } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { SetupForm } from '@/components/shell/setup-form'
import { Button } from '@/components/ui/button'
import { Card } from '@/components/ui/card'
import { EmptyState } from '@/components/ui/empty-state'
import { serverApi } from '@/server/api/server'

export const metadata: Metadata = { title: 'Set up', referrer: 'no-referrer' }

export default async function SetupPage({ searchParams }: { searchParams: Promise<{ token?: string | string[] }> }) {
  const { token } = await searchParams
  const given = typeof token === 'string' ? token.slice(0, 100) : ''
  const { open } = await (await serverApi()).setup.check({ token: given })
  return (
    <div className="mx-auto grid max-w-md gap-6">
      <div className="grid gap-1">
        <h1 className="text-2xl font-semibold tracking-tight">Set up Clew</h1>
        {open && <p className="text-muted-foreground">Your organisation, its first team, and you. All of it can be changed later.</p>}
      </div>
      {open ? (
        <SetupForm token={given} />
      ) : (
        <Card>
          <EmptyState
            icon={<KeyRoundIcon />}
            title="This link does not open the set-up"
            action={
              <Button asChild>
                <Link href="/signin">Sign in</Link>
              </Button>
            }
          >
            It was used already, or it is not the newest. If nobody has set Clew up yet, start it again: the console prints the link.
          </EmptyState>
        </Card>
      )}
    </div>
  )
}
