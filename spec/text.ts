import { createScanner, type JSONScanner } from 'jsonc-parser'
import { type Json, type JsonObject, member } from './json'
import { isExact } from './numbers'
import { type Path, type ProblemCode, shorten } from './problems'

/** A parsed document, and where its parts stand, in UTF-16 units: each container's items by index, its members by key (of duplicates the last). */
export interface Document {
  value: Json
  at: number
  places: Places
}
/** By the container itself: a parsed document holds none twice. */
type Places = Map<object, number[] | Map<string, number>>

export type ReportAt = (code: ProblemCode, path: Path, message: string, at: number) => void

// The numbers of jsonc-parser's SyntaxKind and ScanError, which it declares as const enums that isolated modules cannot read.
const OPEN_BRACE = 1
const CLOSE_BRACE = 2
const OPEN_BRACKET = 3
const CLOSE_BRACKET = 4
const COMMA = 5
const COLON = 6
const NULL = 7
const TRUE = 8
const FALSE = 9
const STRING = 10
const NUMBER = 11
const LINE_COMMENT = 12
const BLOCK_COMMENT = 13
const SPACE = 15
const EOF = 17
const UNFINISHED_COMMENT = 1

/** Deeper than any valid document; the parser recurses, so this bounds its stack. */
export const MAX_DEPTH = 128

/** Thrown after a problem that leaves nothing to go on with. Never leaves this file. */
class Unreadable extends Error {}

/**
 * Parses strict JSON, keeping positions. What a lenient parser would change or drop silently (comments, trailing commas,
 * duplicate keys, inexact numbers …) is reported and read on; after a syntax error there is nothing to read, and the result is null.
 */
export function readText(text: string, report: ReportAt): Document | null {
  const places: Places = new Map()
  const read = new Reader(text, report, places).document()
  return read === null ? null : { ...read, places }
}

/** The same without positions: most documents have no problem to show the place of, and the places cost as much as the values. */
export function readValue(text: string, report: ReportAt): { value: Json } | null {
  return new Reader(text, report, null).document()
}

class Reader {
  readonly #text: string
  readonly #report: ReportAt
  readonly #scanner: JSONScanner
  readonly #places: Places | null
  readonly #path: (string | number)[] = []
  #token = 0

  constructor(text: string, report: ReportAt, places: Places | null) {
    this.#text = text
    this.#report = report
    this.#scanner = createScanner(text)
    this.#places = places
  }

  document(): { value: Json; at: number } | null {
    try {
      if (this.#text.startsWith('\uFEFF')) {
        this.#report('byte_order_mark', [], 'a byte-order mark stands before the document', 0)
        this.#scanner.setPosition(1)
      }
      this.#next()
      const at = this.#scanner.getTokenOffset()
      const value = this.#value()
      this.#expect(EOF, 'the document ends here, but more text follows')
      return { value, at }
    } catch (error) {
      if (error instanceof Unreadable) return null
      throw error
    }
  }

  #next(): void {
    do {
      this.#token = this.#scanner.scan()
      if (this.#token === LINE_COMMENT || this.#token === BLOCK_COMMENT) {
        if (this.#scanner.getTokenError() === UNFINISHED_COMMENT) this.#stop('a comment is not closed')
        this.#report('comment', [...this.#path], 'comments are not part of JSON', this.#scanner.getTokenOffset())
      }
    } while (this.#token >= LINE_COMMENT && this.#token <= SPACE)
    if (this.#scanner.getTokenError() !== 0) this.#stop(this.#token === STRING ? 'this string is not valid JSON' : 'this is not valid JSON')
  }

  #expect(token: number, message: string): void {
    if (this.#token !== token) this.#stop(message)
  }

  #stop(message: string): never {
    this.#report('syntax_error', [...this.#path], message, this.#scanner.getTokenOffset())
    throw new Unreadable(message)
  }

  #value(): Json {
    const at = this.#scanner.getTokenOffset()
    if (this.#token === OPEN_BRACE || this.#token === OPEN_BRACKET) {
      if (this.#path.length >= MAX_DEPTH) {
        this.#report('too_deep', [...this.#path], `nested deeper than ${MAX_DEPTH} levels; the rest was not read`, at)
        throw new Unreadable('too deep')
      }
      return this.#token === OPEN_BRACE ? this.#object() : this.#array()
    }
    const value = this.#scalar(at)
    this.#next()
    return value
  }

  #scalar(at: number): Json {
    switch (this.#token) {
      case STRING:
        return this.#string(at)
      case NUMBER:
        return this.#number(at)
      case NULL:
        return null
      case TRUE:
        return true
      case FALSE:
        return false
      default:
        return this.#stop(this.#token === EOF ? 'the text ends where a value is expected' : 'a value is expected here')
    }
  }

  #string(at: number): string {
    const value = this.#scanner.getTokenValue()
    if (!value.isWellFormed()) this.#report('lone_surrogate', [...this.#path], 'half of a surrogate pair: this is not text', at)
    if (value.includes('\0')) this.#report('null_character', [...this.#path], 'U+0000 is not allowed', at)
    return value
  }

  #number(at: number): number {
    const source = this.#text.slice(at, at + this.#scanner.getTokenLength())
    const value = Number(source)
    if (!isExact(source)) {
      this.#report('number_not_exact', [...this.#path], `${shorten(source)} cannot be held exactly: it would become ${value}`, at)
    }
    return value === 0 ? 0 : value
  }

  #array(): Json[] {
    const items: Json[] = []
    const places: number[] | null = this.#places === null ? null : []
    if (places !== null) this.#places?.set(items, places)
    this.#next()
    while (this.#token !== CLOSE_BRACKET) {
      this.#path.push(items.length)
      places?.push(this.#scanner.getTokenOffset())
      items.push(this.#value())
      this.#path.pop()
      this.#separator(CLOSE_BRACKET, ']')
    }
    this.#next()
    return items
  }

  #object(): JsonObject {
    const object: JsonObject = {}
    const places: Map<string, number> | null = this.#places === null ? null : new Map()
    if (places !== null) this.#places?.set(object, places)
    this.#next()
    while (this.#token !== CLOSE_BRACE) {
      this.#expect(STRING, "a key in double quotes, or '}', is expected here")
      const at = this.#scanner.getTokenOffset()
      this.#path.push(this.#scanner.getTokenValue())
      const key = this.#string(at)
      if (Object.hasOwn(object, key)) this.#report('duplicate_key', [...this.#path], `the key '${shorten(key)}' stands here twice`, at)
      this.#next()
      this.#expect(COLON, "':' is expected here")
      this.#next()
      places?.set(key, at)
      setMember(object, key, this.#value())
      this.#path.pop()
      this.#separator(CLOSE_BRACE, '}')
    }
    this.#next()
    return object
  }

  #separator(close: number, closing: string): void {
    if (this.#token === close) return
    this.#expect(COMMA, `',' or '${closing}' is expected here`)
    const at = this.#scanner.getTokenOffset()
    this.#next()
    if (this.#token === close) this.#report('trailing_comma', [...this.#path], `a comma stands before '${closing}'`, at)
  }
}

function setMember(object: JsonObject, key: string, value: Json): void {
  // A plain assignment to `__proto__` would set the prototype and lose the member.
  if (key === '__proto__') Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}

/** Where a path's place begins: at the key for a member, at the value for an item; its nearest existing ancestor where it does not exist. */
export function offsetOf({ value: root, at: start, places }: Document, path: Path): number {
  let value: Json | undefined = root
  let at = start
  for (const segment of path) {
    const known = typeof value === 'object' && value !== null ? places.get(value) : undefined
    const next = known instanceof Map ? known.get(String(segment)) : /^\d+$/.test(String(segment)) ? known?.[Number(segment)] : undefined
    if (next === undefined) return at
    at = next
    value = Array.isArray(value) ? value[Number(segment)] : member(value as JsonObject, String(segment))
  }
  return at
}

/** Lines and columns of offsets into one text, counted from 1. The text is walked once, whatever the number of offsets. */
export function positionsAt(text: string, offsets: readonly number[]): { line: number; column: number }[] {
  const starts = [0]
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit === 10 || (unit === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1)
  }
  return offsets.map((offset) => {
    let [low, high] = [0, starts.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 }
  })
}
