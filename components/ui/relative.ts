const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
]

/**
 * "in 3 days": `at` and `now` in milliseconds, rounded to the nearest whole of the largest unit that fits. A moment less than
 * three days is three days: cut off it would read as two. Its words are those of the page, which is in English.
 */
export function relative(at: number, now: number): string {
  const seconds = Math.round((at - now) / 1000)
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  if (Math.abs(seconds) < 10) return format.format(0, 'second')
  for (const [index, [unit, size]] of UNITS.entries()) {
    const smaller = UNITS[index + 1]?.[1] ?? 1
    // By the next smaller unit, so that 59.8 minutes, which are 60 rounded, are an hour.
    const fits = Math.abs(seconds) >= size || Math.round(Math.abs(seconds) / smaller) * smaller >= size
    if (fits) return format.format(Math.round(seconds / size), unit)
  }
  return format.format(seconds, 'second')
}
