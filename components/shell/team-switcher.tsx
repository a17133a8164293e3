'use client'

import { ChevronsUpDownIcon } from 'lucide-react'
import { usePathname, useRouter } from 'next/navigation'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { levelWords } from '@/components/messages'
import type { Answers } from './trpc'

type Team = Answers['me']['get']['teams'][number]

function myPlace(team: Team): string {
  if (team.level) return levelWords[team.level]
  return team.roles.length > 0 ? 'You approve here' : 'You see what runs, not its data'
}

/** The team whose workflows and runs are shown. Choosing another stays in the same section. */
export function TeamSwitcher({ teams, team }: { teams: Team[]; team: string | null }) {
  const router = useRouter()
  const section = usePathname().match(/^\/t\/[^/]+\/(runs)/)?.[1] ?? 'workflows'
  const current = teams.find((one) => one.slug === team)
  const organisations = [...new Set(teams.map((one) => one.orgName))]
  if (teams.length === 0) return null
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" className="min-w-0 shrink px-2.5 text-muted-foreground">
          <span className="sr-only">Team: </span>
          <span className="truncate">{current?.name ?? 'Choose a team'}</span>
          <ChevronsUpDownIcon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent className="min-w-64">
        <DropdownMenuRadioGroup value={current?.slug ?? ''} onValueChange={(slug) => router.push(`/t/${slug}/${section}`)}>
          {organisations.map((organisation) => (
            <div key={organisation}>
              <DropdownMenuLabel>{organisation}</DropdownMenuLabel>
              {teams
                .filter((one) => one.orgName === organisation)
                .map((one) => (
                  <DropdownMenuRadioItem key={one.slug} value={one.slug}>
                    <span className="grid">
                      <span className="font-medium">{one.name}</span>
                      <span className="text-xs text-muted-foreground">{myPlace(one)}</span>
                    </span>
                  </DropdownMenuRadioItem>
                ))}
            </div>
          ))}
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
