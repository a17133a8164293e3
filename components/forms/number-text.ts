const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/
// "1,234" is a thousand to some and a bit more than one to others: taking either for granted pays somebody the wrong amount.
const MAYBE_THOUSANDS = /^[+-]?[1-9]\d{0,2},\d{3}$/

/**
 * The number that somebody wrote: "12.50", and "12,50" as many write it. Null for everything that can be read in two ways or in
 * none, and for a whole number too large to be kept to the last digit: another number than the written one is worse than an error.
 */
export function readNumber(text: string): number | null {
  const written = text.trim()
  const comma = DECIMAL_COMMA.test(written) && !MAYBE_THOUSANDS.test(written)
  if (!comma && !PLAIN.test(written)) return null
  const value = Number(written.replace(',', '.'))
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) ? value : null
}
