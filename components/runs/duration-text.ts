const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

/** Milliseconds as people say them, in at most two units: `under 0.1 s`, `0.4 s`, `12 s`, `3 min 5 s`, `2 d 4 h`. */
export function durationText(milliseconds: number): string {
  const ms = Math.max(0, milliseconds)
  // Nothing takes no time: a zero would read as a mistake.
  if (ms < 100) return 'under 0.1 s'
  if (ms < 10_000) return `${(Math.floor(ms / 100) / 10).toString()} s`
  const seconds = Math.floor(ms / 1000)
  const first = UNITS.findIndex(([, size]) => seconds >= size)
  const [unit, size] = UNITS[first] ?? UNITS[3]
  const rest = UNITS[first + 1]
  const left = rest === undefined ? 0 : Math.floor((seconds % size) / rest[1])
  return `${Math.floor(seconds / size)} ${unit}${left === 0 || rest === undefined ? '' : ` ${left} ${rest[0]}`}`
}
