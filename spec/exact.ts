import type { Json } from './json'
import { MAX_DEPTH } from './text'

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, BACKSLASH] = [9, 10, 13, 32, 34, 92]
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [91, 93, 123, 125]

/**
 * The value of a text in which there is surely nothing to report: the native parser reads it, and what it writes of that is the text again, but for
 * white space. Undefined where it is not, or may not be, so. Most documents are such texts, and to read them closely takes several times as long.
 */
export function readExact(text: string): { value: Json } | undefined {
  // An escape that comes out the same may still be half of a surrogate pair, or U+0000.
  if (text.includes('\\u')) return undefined
  try {
    const value = JSON.parse(text) as Json
    return isSame(text, JSON.stringify(value)) ? { value } : undefined
  } catch {
    // No JSON, or nested so deep that it cannot be written.
    return undefined
  }
}

/** Whether a JSON text differs from a compact one in white space alone, and is nested no deeper than is read. */
function isSame(text: string, compact: string): boolean {
  let [at, depth, inString] = [0, 0, false]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit !== compact.charCodeAt(at)) {
      if (inString || (unit !== SPACE && unit !== NEWLINE && unit !== RETURN && unit !== TAB)) return false
      continue
    }
    at++
    if (unit === QUOTE) inString = !inString
    else if (!inString) {
      if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++
      else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--
      if (depth > MAX_DEPTH) return false
    } else if (unit === BACKSLASH) {
      i++
      if (text.charCodeAt(i) !== compact.charCodeAt(at)) return false
      at++
    }
  }
  return at === compact.length
}
