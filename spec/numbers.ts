/**
 * Whether a JSON number's shortest ECMAScript form denotes the same decimal value as its source.
 * 0.1 and 1.0 pass; 9007199254740993, 1e400 and 1e-400 would be changed silently and do not.
 */
export function isExact(source: string): boolean {
  const parsed = Number(source)
  if (!Number.isFinite(parsed)) return false
  const written = decimal(String(parsed))
  const read = decimal(source)
  return (
    written.digits === read.digits && written.exponent === read.exponent && (written.digits === '' || written.negative === read.negative)
  )
}

/** 0.digits × 10^exponent, without leading or trailing zeros; zero has no digits. Loops, because a regular expression may backtrack on long zeros. */
function decimal(source: string): { negative: boolean; digits: string; exponent: number } {
  const negative = source.startsWith('-')
  const [mantissa = '', power = '0'] = source.slice(negative ? 1 : 0).split(/[eE]/)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const all = whole + fraction
  let first = 0
  while (first < all.length && all[first] === '0') first++
  let last = all.length
  while (last > first && all[last - 1] === '0') last--
  if (first === last) return { negative, digits: '', exponent: 0 }
  return { negative, digits: all.slice(first, last), exponent: Number(power) + whole.length - first }
}
