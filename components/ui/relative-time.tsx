'use client'

import { useEffect, useState } from 'react'
import { usePerson } from './person'

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

function relative(at: number, now: number, locale: string): string {
  const seconds = Math.round((at - now) / 1000)
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, size] of units) if (Math.abs(seconds) >= size) return format.format(Math.trunc(seconds / size), unit)
  return Math.abs(seconds) < 10 ? format.format(0, 'second') : format.format(seconds, 'second')
}

/**
 * "3 minutes ago", the exact time in the person's zone on hover. `at` is ISO 8601. The server's words may be a second older
 * than the browser's: that difference is expected and not worth a warning.
 */
export function RelativeTime({ at, className }: { at: string; className?: string }) {
  const { locale, timeZone } = usePerson()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000)
    return () => clearInterval(timer)
  }, [])
  const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long', timeZone }).format(new Date(at))
  return (
    <time dateTime={at} title={exact} className={className} suppressHydrationWarning>
      {relative(Date.parse(at), now, locale)}
    </time>
  )
}

/** The exact time in the person's zone, as "30 Nov 2026, 15:04". */
export function ExactTime({ at, className }: { at: string; className?: string }) {
  const { locale, timeZone } = usePerson()
  return (
    <time dateTime={at} className={className} suppressHydrationWarning>
      {new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(at))}
    </time>
  )
}
