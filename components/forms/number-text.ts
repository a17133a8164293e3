const PLAIN = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i
const DECIMAL_COMMA = /^[+-]?\d+,\d+$/
// "1,234" and "1.234" are a thousand to some and a bit more than one to others: taking either for granted pays somebody the wrong amount.
const TWO_WAYS = /^([+-]?[1-9]\d{0,2})[.,](\d{3})$/

/**
 * The number that somebody wrote: "12.50", and "12,50" as many write it. Null for everything that can be read in two ways or in
 * none, and for a whole number too large to be kept to the last digit: another number than the written one is worse than an error.
 */
export function readNumber(text: string): number | null {
  const written = text.trim()
  if (TWO_WAYS.test(written) || !(PLAIN.test(written) || DECIMAL_COMMA.test(written))) return null
  const value = Number(written.replace(',', '.'))
  return isKept(value) ? value : null
}

const isKept = (value: number) => Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))

/** What to write instead of a text that `readNumber` does not take. */
export function howToWrite(text: string, whole: boolean): string {
  const written = text.trim()
  const [, front, back] = TWO_WAYS.exec(written) ?? []
  if (front !== undefined && back !== undefined) {
    const other = whole ? '' : `, or ${front}.${back}0 if it is a fraction`
    return `“${written}” can be read in two ways: write ${front}${back}${other}.`
  }
  if (PLAIN.test(written) && !isKept(Number(written))) return 'This number is too large to be kept exactly.'
  return whole ? 'Write a whole number, for example 12.' : 'Write a number, for example 12.50.'
}
