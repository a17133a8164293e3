'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import { PersonProvider } from '@/components/ui/person'
import { Navigation, useTeam } from './navigation'
import { TeamSwitcher } from './team-switcher'
import type { Theme } from './preferences'
import { ThemeToggle } from './theme-toggle'
import type { Answers } from './trpc'
import { UserMenu } from './user-menu'
import { Wordmark } from './wordmark'

type AppShellProps = {
  me: Answers['me']['get']
  theme: Theme
  /** approvals that wait for this person */
  waiting: number
  /** the team that was looked at last */
  lastTeam: string | null
  demo: { id: string; name: string; what: string }[]
  children: ReactNode
}

/** What stands around every page of a signed-in person. */
export function AppShell({ me, theme, waiting, lastTeam, demo, children }: AppShellProps) {
  const known = me.teams.some((team) => team.slug === lastTeam)
  const team = useTeam(known ? lastTeam : (me.teams[0]?.slug ?? null))
  return (
    <PersonProvider reader={{ locale: me.locale, timeZone: me.timeZone }}>
      <SkipLink />
      <header className="sticky top-0 z-30 border-b bg-background/90 backdrop-blur-sm">
        <div className="mx-auto flex h-14 max-w-6xl items-center gap-1 px-4 sm:gap-2 sm:px-6">
          <Link href="/" className="mr-1 rounded-md" aria-label="Clew, home">
            <Wordmark />
          </Link>
          <span aria-hidden className="text-border">
            /
          </span>
          <TeamSwitcher teams={me.teams} team={team} />
          <div className="mx-auto md:mx-0 md:ml-4" />
          <Navigation team={team} waiting={waiting} place="top" />
          <div className="ml-auto flex items-center">
            <ThemeToggle initial={theme} />
            <UserMenu name={me.name} email={me.email} demo={demo} />
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-7 pb-28 outline-none sm:px-6 md:pt-9 md:pb-16">
        {children}
      </main>
      <Navigation team={team} waiting={waiting} place="bottom" />
    </PersonProvider>
  )
}

/** What stands around the pages before signing in. */
export function PlainShell({ theme, children }: { theme: Theme; children: ReactNode }) {
  return (
    <>
      <SkipLink />
      <header className="mx-auto flex h-14 max-w-6xl items-center justify-between px-4 sm:px-6">
        <Wordmark />
        <ThemeToggle initial={theme} />
      </header>
      <main id="main" tabIndex={-1} className="mx-auto max-w-6xl px-4 pt-6 pb-16 outline-none sm:px-6 sm:pt-12">
        {children}
      </main>
    </>
  )
}

function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-primary focus:px-4 focus:py-2 focus:text-primary-foreground"
    >
      Skip to the content
    </a>
  )
}
