import { createScanner, type JSONScanner } from 'jsonc-parser'
import type { Json, JsonObject } from './json'
import { isExact } from './numbers'
import { type Path, type ProblemCode, shorten } from './problems'

/** A parsed value that knows where it stands. Offsets count UTF-16 units. */
export interface Node {
  at: number
  value: Json
  items?: Node[]
  /** Members by key; of duplicates the last. `at` is the key's place. */
  members?: Map<string, { at: number; node: Node }>
}

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
const MAX_DEPTH = 128

/** Thrown after a problem that leaves nothing to go on with. Never leaves this file. */
class Unreadable extends Error {}

/**
 * Parses strict JSON, keeping positions. What a lenient parser would change or drop silently (comments, trailing commas,
 * duplicate keys, inexact numbers …) is reported and read on; after a syntax error there is nothing to read, and the result is null.
 */
export function readText(text: string, report: ReportAt): Node | null {
  try {
    return new Reader(text, report).document()
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

class Reader {
  readonly #text: string
  readonly #report: ReportAt
  readonly #scanner: JSONScanner
  readonly #path: (string | number)[] = []
  #token = 0

  constructor(text: string, report: ReportAt) {
    this.#text = text
    this.#report = report
    this.#scanner = createScanner(text)
  }

  document(): Node {
    if (this.#text.startsWith('\uFEFF')) {
      this.#report('byte_order_mark', [], 'a byte-order mark stands before the document', 0)
      this.#scanner.setPosition(1)
    }
    this.#next()
    const node = this.#value()
    this.#expect(EOF, 'the document ends here, but more text follows')
    return node
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

  #value(): Node {
    const at = this.#scanner.getTokenOffset()
    if (this.#token === OPEN_BRACE || this.#token === OPEN_BRACKET) {
      if (this.#path.length >= MAX_DEPTH) {
        this.#report('too_deep', [...this.#path], `nested deeper than ${MAX_DEPTH} levels; the rest was not read`, at)
        throw new Unreadable('too deep')
      }
      return this.#token === OPEN_BRACE ? this.#object(at) : this.#array(at)
    }
    const value = this.#scalar(at)
    this.#next()
    return { at, value }
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

  #array(at: number): Node {
    const items: Node[] = []
    this.#next()
    while (this.#token !== CLOSE_BRACKET) {
      this.#path.push(items.length)
      items.push(this.#value())
      this.#path.pop()
      this.#separator(CLOSE_BRACKET, ']')
    }
    this.#next()
    return { at, value: items.map((item) => item.value), items }
  }

  #object(at: number): Node {
    const members: NonNullable<Node['members']> = new Map()
    this.#next()
    while (this.#token !== CLOSE_BRACE) {
      this.#expect(STRING, "a key in double quotes, or '}', is expected here")
      const keyAt = this.#scanner.getTokenOffset()
      this.#path.push(this.#scanner.getTokenValue())
      const key = this.#string(keyAt)
      if (members.has(key)) this.#report('duplicate_key', [...this.#path], `the key '${shorten(key)}' stands here twice`, keyAt)
      this.#next()
      this.#expect(COLON, "':' is expected here")
      this.#next()
      members.set(key, { at: keyAt, node: this.#value() })
      this.#path.pop()
      this.#separator(CLOSE_BRACE, '}')
    }
    this.#next()
    return { at, value: objectOf(members), members }
  }

  #separator(close: number, closing: string): void {
    if (this.#token === close) return
    this.#expect(COMMA, `',' or '${closing}' is expected here`)
    const at = this.#scanner.getTokenOffset()
    this.#next()
    if (this.#token === close) this.#report('trailing_comma', [...this.#path], `a comma stands before '${closing}'`, at)
  }
}

function objectOf(members: NonNullable<Node['members']>): JsonObject {
  const object: JsonObject = {}
  for (const [key, { node }] of members) {
    // A plain assignment to `__proto__` would set the prototype and lose the member.
    if (key === '__proto__') Object.defineProperty(object, key, { value: node.value, enumerable: true, configurable: true, writable: true })
    else object[key] = node.value
  }
  return object
}

/** Where a path's place begins: at the key for a member, at the value for an item; its nearest existing ancestor where it does not exist. */
export function offsetOf(root: Node, path: Path): number {
  let node = root
  let at = root.at
  for (const segment of path) {
    const member = node.members?.get(String(segment))
    const next = member?.node ?? (/^\d+$/.test(String(segment)) ? node.items?.[Number(segment)] : undefined)
    if (next === undefined) return at
    at = member?.at ?? next.at
    node = next
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
