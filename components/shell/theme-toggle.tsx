'use client'

import { MonitorIcon, MoonIcon, SunIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '@/components/ui/button'
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuLabel,
  DropdownMenuRadioGroup,
  DropdownMenuRadioItem,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu'
import { THEME_COOKIE, type Theme, themeOf } from './preferences'

const choices = [
  { theme: 'system', word: 'As the system', Icon: MonitorIcon },
  { theme: 'light', word: 'Light', Icon: SunIcon },
  { theme: 'dark', word: 'Dark', Icon: MoonIcon },
] as const

function apply(theme: Theme) {
  const root = document.documentElement
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
  // The server draws the next page with it, so that no page flashes in the wrong colours.
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=31536000; samesite=lax`
}

export function ThemeToggle({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial)
  const Icon = choices.find((choice) => choice.theme === theme)?.Icon ?? MonitorIcon
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button variant="ghost" size="icon" aria-label="Colours">
          <Icon aria-hidden />
        </Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent align="end">
        <DropdownMenuLabel>Colours</DropdownMenuLabel>
        <DropdownMenuRadioGroup
          value={theme}
          onValueChange={(value) => {
            setTheme(themeOf(value))
            apply(themeOf(value))
          }}
        >
          {choices.map(({ theme, word, Icon }) => (
            <DropdownMenuRadioItem key={theme} value={theme}>
              <Icon aria-hidden /> {word}
            </DropdownMenuRadioItem>
          ))}
        </DropdownMenuRadioGroup>
      </DropdownMenuContent>
    </DropdownMenu>
  )
}
