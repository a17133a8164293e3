'use client'

import { HouseIcon, InboxIcon, ListChecksIcon, WorkflowIcon } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useEffect } from 'react'
import { cn } from '@/components/ui/cn'
import { TEAM_COOKIE } from './preferences'

/** The team of the page; on pages without one, the last team that was looked at. */
export function useTeam(fallback: string | null): string | null {
  const team = usePathname().match(/^\/t\/([^/]+)/)?.[1] ?? null
  useEffect(() => {
    if (team) document.cookie = `${TEAM_COOKIE}=${team}; path=/; max-age=31536000; samesite=lax`
  }, [team])
  return team ?? fallback
}

/** The main ways: across the top on a wide screen, along the bottom edge (near the thumb) on a phone. */
export function Navigation({ team, waiting, place }: { team: string | null; waiting: number; place: 'top' | 'bottom' }) {
  const path = usePathname()
  const links = [
    { href: '/', title: 'Home', Icon: HouseIcon, here: path === '/' },
    ...(team
      ? [
          { href: `/t/${team}/workflows`, title: 'Workflows', Icon: WorkflowIcon, here: /^\/t\/[^/]+\/workflows/.test(path) },
          { href: `/t/${team}/runs`, title: 'Runs', Icon: ListChecksIcon, here: /^\/t\/[^/]+\/runs/.test(path) },
        ]
      : []),
    { href: '/approvals', title: 'Approvals', Icon: InboxIcon, here: path.startsWith('/approvals'), count: waiting },
  ]
  return (
    <nav
      aria-label="Main"
      className={
        place === 'top' ? 'hidden md:block' : 'fixed inset-x-0 bottom-0 z-30 border-t bg-card pb-[env(safe-area-inset-bottom)] md:hidden'
      }
    >
      <ul className={place === 'top' ? 'flex items-center gap-1' : 'grid auto-cols-fr grid-flow-col'}>
        {links.map(({ href, title, Icon, here, count }) => (
          <li key={title}>
            <Link
              href={href}
              aria-current={here ? 'page' : undefined}
              className={cn(
                'relative flex items-center transition-colors',
                place === 'top'
                  ? 'h-9 gap-2 rounded-md px-3 text-sm font-medium'
                  : 'h-14 flex-col justify-center gap-0.5 text-xs font-medium -outline-offset-2',
                here ? 'text-accent-foreground' : 'text-muted-foreground hover:text-foreground',
                here && place === 'top' && 'bg-accent',
              )}
            >
              <Icon className={place === 'top' ? 'size-4' : 'size-5'} aria-hidden />
              {title}
              {count ? (
                <span
                  className={cn(
                    'min-w-5 rounded-full bg-primary px-1.5 text-center text-xs leading-5 text-primary-foreground tabular-nums',
                    place === 'bottom' && 'absolute top-1 left-1/2 ml-2',
                  )}
                >
                  {count > 99 ? '99+' : count}
                  <span className="sr-only"> waiting for you</span>
                </span>
              ) : null}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
