'use client'

import { LogOutIcon, SettingsIcon, UserRoundIcon } from 'lucide-react'
import { signOut } from 'next-auth/react'
import Link from 'next/link'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuGroup,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { become } from './become'

async function leave() {
  await signOut({ redirect: false })
  window.location.assign('/signin')
}

type UserMenuProps = { name: string; email: string; /** empty outside the demo */ demo: { id: string; name: string; what: string }[] }

export function UserMenu({ name, email, demo }: UserMenuProps) {
  const others = demo.filter((person) => person.name !== name)
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" className="px-2.5">
          {/* Not an aria-label: the initials that are seen would not be in it. */}
          <span className="sr-only">Your menu, {name}</span>
          <span aria-hidden className="grid size-7 place-items-center rounded-full bg-accent text-xs font-semibold text-accent-foreground">
            {initials(name)}
          </span>
          <span aria-hidden className="hidden max-w-40 truncate lg:inline">
            {name}
          </span>
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end" className="w-72">
        <div className="px-2.5 py-2">
          <p className="font-medium">{name}</p>
          <p className="truncate text-sm text-muted-foreground">{email}</p>
        </div>
        <DropdownMenuSeparator />
        <DropdownMenuItem asChild>
          <Link href="/settings">
            <SettingsIcon aria-hidden /> Settings
          </Link>
        </DropdownMenuItem>
        {others.length > 0 && (
          <DropdownMenuGroup aria-label="Switch person (demo)">
            <DropdownMenuSeparator />
            <DropdownMenuLabel>Switch person (demo)</DropdownMenuLabel>
            {others.map((person) => (
              <DropdownMenuItem key={person.id} onSelect={() => void become(person.id)}>
                <UserRoundIcon aria-hidden />
                <span className="grid">
                  <span>{person.name}</span>
                  <span className="text-xs text-muted-foreground">{person.what}</span>
                </span>
              </DropdownMenuItem>
            ))}
          </DropdownMenuGroup>
        )}
        <DropdownMenuSeparator />
        <DropdownMenuItem onSelect={() => void leave()}>
          <LogOutIcon aria-hidden /> Sign out
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  return [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...(word ?? '')][0]?.toUpperCase() ?? '').join('')
}
