import type { Json, Problem, ProblemCode } from '@/spec'
import { entryOf } from './entry'
import { placeOf, referenceText } from './reference'

export type Path = readonly (string | number)[]
export type Members = Record<string, Json>

const DEEPEST = 100
const SEGMENT = /^[^.{}$\s]+$/

/** Turns what a builder was given into a document, and keeps what is wrong with it that the document no longer shows. */
export class Draft {
  readonly problems: Problem[] = []
  /** Whom every reference and every step of this workflow belongs to. */
  readonly owner = {}

  report(code: ProblemCode, path: Path, message: string): void {
    const pointer = path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    this.problems.push({ code, path: pointer, message })
  }

  /** A value, with its references as the format writes them. `scopes`: the maps whose items may be referred to here. */
  value(value: unknown, path: Path, scopes: readonly object[] = []): Json {
    return this.#walk(value, path, { scopes, text: (text, at) => this.#literal(text, at) })
  }

  /** Options as the format names them: those that it does not know too, so that the validator can say so. */
  options(options: object, path: Path): Members {
    const members = Object.entries(options).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ])
    return this.#walk(Object.fromEntries(members), path, { scopes: null, text: (text) => text }) as Members
  }

  /** What stands in `after`. */
  entry(entry: unknown, path: Path): Json {
    if (typeof entry !== 'object' || entry === null) return entry as Json
    const found = entryOf(entry)
    if (!found) return this.#refuse('unknown_step', path, 'not a step, nor a port of one')
    if (found.owner !== this.owner) return this.#refuse('unknown_step', path, `'${found.text}' is a step of another workflow`)
    if (found.bare) return this.#refuse('port_required', path, `'${found.text}' is a choice: name one of its branches`)
    return found.text
  }

  #walk(value: unknown, path: Path, how: How): Json {
    if (typeof value === 'string') return how.text(value, path)
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) return value as Json
    if (typeof value !== 'object') return this.#refuse('not_json', path, `${String(value)} (${typeof value}) is not a JSON value`)
    if (placeOf(value)) return this.#reference(value, path, how.scopes)
    if (path.length > DEEPEST) return this.#refuse('too_deep', path, 'nested too deep, or within itself')
    if (Array.isArray(value)) return value.map((item, i) => this.#walk(item, [...path, i], how))
    if (entryOf(value)) return this.#refuse('not_json', path, 'a step is not a value: refer to its output')
    if (!isPlain(value)) return this.#refuse('not_json', path, 'an instance of a class is not a JSON value')
    // A member that is undefined is absent, as in an object built with optional fields.
    const members = Object.entries(value).filter(([, inner]) => inner !== undefined)
    return Object.fromEntries(members.map(([key, inner]) => [key, this.#walk(inner, [...path, key], how)]))
  }

  /** Data must never turn into a reference, so that only references are written as such. */
  #literal(text: string, path: Path): Json {
    if (!text.includes('${')) return text
    const message = "a text with '${' is no value: give a reference such as w.input.amount, or call a tool that writes the text"
    return this.#refuse('invalid_reference', path, message)
  }

  #reference(reference: object, path: Path, scopes: readonly object[] | null): Json {
    const place = placeOf(reference)
    if (!place) return null
    const text = referenceText(place)
    if (scopes === null)
      return this.#refuse('reference_not_allowed', path, `a reference (${text}) cannot stand here, only what it refers to`)
    if (place.owner !== this.owner) return this.#refuse('reference_not_allowed', path, `${text} is a reference of another workflow`)
    if (place.scope && !scopes.includes(place.scope)) {
      return this.#refuse('reference_not_allowed', path, `this ${text} belongs to a map, and means something only in its 'do'`)
    }
    const strange = place.path.find((segment) => !SEGMENT.test(segment))
    if (strange === undefined) return text
    const message = `the member ${JSON.stringify(strange)} cannot be referred to: names in references are not empty and have none of . { } $ and no space`
    return this.#refuse('invalid_reference', path, message)
  }

  #refuse(...problem: [ProblemCode, Path, string]): Json {
    this.report(...problem)
    return null
  }
}

/** `scopes`: null where no reference may stand. */
interface How {
  scopes: readonly object[] | null
  text: (text: string, path: Path) => Json
}

/** Not an instance of a class, of whatever realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
