type Reader = { locale: string; timeZone: string }

const MINUTE_MS = 60_000

/**
 * An instant (ISO 8601) within a sentence: `exact` alone ("until …"), `when` with its preposition ("… at 3:04 PM", "… on Tuesday, …").
 * On the reader's day of today the time is enough, with seconds where it is less than a minute away; `now` in milliseconds.
 */
export function moment(at: string, now: number, { locale, timeZone }: Reader): { exact: string; when: string } {
  const date = new Date(at)
  const write = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { ...options, timeZone })
  const day = write({ dateStyle: 'short' })
  if (day.format(date) !== day.format(now)) {
    const exact = write({ dateStyle: 'full', timeStyle: 'short' }).format(date)
    return { exact, when: `on ${exact}` }
  }
  const isNear = Math.abs(date.getTime() - now) < MINUTE_MS
  const exact = write({ timeStyle: isNear ? 'medium' : 'short' }).format(date)
  return { exact, when: `at ${exact}` }
}
