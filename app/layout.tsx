import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { AppShell, PlainShell } from '@/components/shell/app-shell'
import { TEAM_COOKIE, THEME_COOKIE, themeOf } from '@/components/shell/preferences'
import { serverApi } from '@/server/api/server'
import { demoPeople } from '@/server/api/demo'
import './globals.css'
import { currentPerson } from './person'

export const metadata: Metadata = {
  title: { default: 'Clew', template: '%s · Clew' },
  description: 'Automations people can read before they run.',
}
export const viewport: Viewport = { width: 'device-width', initialScale: 1, colorScheme: 'light dark' }

export default async function RootLayout({ children }: { children: ReactNode }) {
  const jar = await cookies()
  const theme = themeOf(jar.get(THEME_COOKIE)?.value)
  const me = await currentPerson()
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme}>
      <body>
        {me ? (
          <AppShell
            me={me}
            theme={theme}
            waiting={(await (await serverApi()).approvals.count()).waiting}
            lastTeam={jar.get(TEAM_COOKIE)?.value ?? null}
            demo={await demoPeople()}
          >
            {children}
          </AppShell>
        ) : (
          <PlainShell theme={theme}>{children}</PlainShell>
        )}
      </body>
    </html>
  )
}
