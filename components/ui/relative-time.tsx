'use client'

import { useEffect, useState } from 'react'
import { usePerson } from './person'
import { relative } from './relative'

function exactly(at: string, { locale, timeZone }: ReturnType<typeof usePerson>): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long', timeZone }).format(new Date(at))
}

/**
 * "3 minutes ago", in the page's words; the exact time in the person's zone on hover. `at` is ISO 8601. The server's words may be a second older
 * than the browser's: that difference is expected and not worth a warning.
 */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const person = usePerson()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={exactly(at, person)} className={className} suppressHydrationWarning>
      {relative(Date.parse(at), now)}
    </time>
  )
}

/** The exact time in the person's zone, as "30 Nov 2026, 15:04"; the zone itself on hover. */
export function ExactTime({ at, className }: { at: string; className?: string }) {
  const person = usePerson()
  const { locale, timeZone } = person
  return (
    <time dateTime={at} lang={locale} title={exactly(at, person)} className={className} suppressHydrationWarning>
      {new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at))}
    </time>
  )
}
