import type { WorkflowSpec } from '../document'
import { isObject, type Json, member } from '../json'
import type { Step } from '../kinds'
import { shorten } from '../problems'
import { parseReference, type Reference, referencesIn } from '../references'
import type { Field } from '../schema'
import { en } from './messages/en'
import { es } from './messages/es'
import type { Effect, Messages } from './messages/messages'

/** What is known of the things a document names; what is absent is called by its name. */
export interface Names {
  tools?: ReadonlyMap<string, { title: string; effect?: Effect }> | undefined
  jobs?: ReadonlyMap<string, { title: string; effect?: Effect }> | undefined
  workflows?: ReadonlyMap<string, { title: string }> | undefined
}

const MESSAGES: Record<string, Messages> = { en, es }
const LISTED = 6

/** A text of the author's on one line, without what moves a cursor or turns the reading direction; empty where nothing in it can be seen. */
function plainLine(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ').trim()
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(line) ? line.toWellFormed() : ''
}

/** How it is quoted: not too long besides. */
export const oneLine = (text: string) => shorten(plainLine(text))

/** How it stands as a heading of its own. */
export const headline = (text: string) => shorten(plainLine(text), 200)

/** A name as people write it: `entry_id` is "entry id". */
export const plain = (name: string) => oneLine(name.replaceAll('_', ' '))

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Numbers, lists and durations of one language. */
class Language {
  readonly messages: Messages
  readonly #locale: string
  readonly #numbers = new Map<string, Intl.NumberFormat>()
  readonly #lists = new Map<string, Intl.ListFormat>()

  /** `locale`: a language tag. One whose language has no messages is answered in English, numbers included. */
  constructor(locale: string) {
    const messages = MESSAGES[locale.split('-', 1)[0]?.toLowerCase() ?? '']
    this.messages = messages ?? en
    this.#locale = messages === undefined || !isTag(locale) ? this.messages.lang : locale
  }

  number(value: number): string {
    return this.#written('number', { maximumFractionDigits: 20 }, value)
  }

  list(items: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction'): string {
    if (items.length < 2) return items[0] ?? ''
    const list = this.#lists.get(type) ?? new Intl.ListFormat(this.#locale, { type })
    this.#lists.set(type, list)
    return list.format(items)
  }

  /** At most so many items, then how many more there are. */
  some(items: readonly string[], type?: 'conjunction' | 'disjunction'): string {
    if (items.length <= LISTED) return this.list(items, type)
    return this.list([...items.slice(0, LISTED - 1), this.messages.more(this.number(items.length - LISTED + 1))], type)
  }

  /** In days, hours, minutes and seconds, as far as there are any. */
  duration(seconds: number): string {
    const units = [
      ['day', 86_400],
      ['hour', 3600],
      ['minute', 60],
      ['second', 1],
    ] as const
    const parts: string[] = []
    let left = seconds
    for (const [unit, size] of units) {
      const count = unit === 'second' ? left : Math.floor(left / size)
      if (count === 0) continue
      left -= count * size
      parts.push(this.#unit(count, unit))
    }
    return parts.length > 0 ? this.list(parts) : this.#unit(seconds, 'second')
  }

  /** An RFC 3339 instant, in UTC. */
  instant(text: string): string {
    // oxlint-disable-next-line no-restricted-globals -- it turns a text into an instant and reads no clock
    const at = Date.parse(text)
    if (Number.isNaN(at)) return oneLine(text)
    // One after the other: how a date and a time are joined differs from one version of the data to the next.
    const [date, time] = [{ dateStyle: 'long' } as const, { timeStyle: 'short' } as const].map((style) =>
      this.#spaces(new Intl.DateTimeFormat(this.#locale, { ...style, timeZone: 'UTC' }).format(at)),
    )
    return `${date}, ${time} UTC`
  }

  #unit(count: number, unit: string): string {
    return this.#written(unit, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 3 }, count)
  }

  /** Formats are dear to make, and kept. */
  #written(key: string, options: Intl.NumberFormatOptions, value: number): string {
    const format = this.#numbers.get(key) ?? new Intl.NumberFormat(this.#locale, options)
    this.#numbers.set(key, format)
    return this.#spaces(format.format(value))
  }

  /** Browsers and servers put different spaces into numbers. */
  #spaces(text: string): string {
    return text.replaceAll(/[\u00A0\u202F]/g, ' ')
  }
}

/** How the parts of one document are called in one language. */
export class Speech extends Language {
  readonly spec: WorkflowSpec
  readonly #names: Names
  readonly #steps: ReadonlyMap<string, Step>
  /** How many steps are called the same. */
  readonly #titled = new Map<string, number>()

  constructor(spec: WorkflowSpec, names: Names, locale: string) {
    super(locale)
    this.spec = spec
    this.#names = names
    this.#steps = new Map(spec.steps.map((step) => [step.id, step]))
    for (const { id } of spec.steps) this.#titled.set(this.title(id), (this.#titled.get(this.title(id)) ?? 0) + 1)
  }

  quoted(text: string): string {
    return this.messages.quote(oneLine(text))
  }

  /** A step's title, else its id. */
  title(id: string): string {
    return oneLine(this.#steps.get(id)?.title ?? '') || plain(id)
  }

  /** Quoted; with its id where another step is called the same. */
  step(id: string): string {
    const title = this.title(id)
    const isShared = (this.#titled.get(title) ?? 0) > 1
    return isShared ? `${this.messages.quote(title)} (${id})` : this.messages.quote(title)
  }

  tool(name: string): string {
    return this.quoted(this.titleOf('tools', name))
  }

  /** What a tool or job does to the world; null where nobody knows it; undefined where nobody was asked. */
  effect(what: 'tools' | 'jobs', name: string): Effect | null | undefined {
    const known = this.#names[what]
    if (known === undefined) return undefined
    const found = known.get(name)
    return found === undefined ? null : found.effect
  }

  /** The title of a tool, a job or a workflow, else its name. */
  titleOf(what: keyof Names, name: string): string {
    return oneLine(this.#names[what]?.get(name)?.title ?? '') || oneLine(name)
  }

  field(name: string, field: Field | undefined): string {
    return oneLine(field?.title ?? '') || plain(name)
  }

  /** A value of the document: literals as they are, references by what they refer to, never what a run fills in. */
  value(value: Json): string {
    const { messages } = this
    if (value === null) return messages.nothing
    if (typeof value === 'boolean') return value ? messages.yes : messages.no
    if (typeof value === 'number') return this.number(value)
    if (typeof value === 'string') {
      const reference = parseReference(value)
      return reference === null ? this.quoted(value) : this.#reference(reference)
    }
    const references = [...new Set(referencesIn(value).map((reference) => this.#reference(reference)))]
    if (references.length > 0) return this.some(references)
    if (!Array.isArray(value)) return messages.fixedData
    if (value.length === 0) return messages.emptyList
    const scalars = value.every((item) => typeof item !== 'object' || item === null)
    return scalars && value.length <= 3
      ? this.list(value.map((item) => this.value(item)))
      : messages.listOf(this.number(value.length), value.length === 1)
  }

  /** Values under their names; a name that only repeats its value's is left out. */
  named(values: Record<string, Json>): string {
    return this.some(
      Object.entries(values).map(([name, value]) => {
        const words = this.value(value)
        const last = typeof value === 'string' && parseReference(value) !== null ? value.slice(2, -1).split('.').at(-1) : undefined
        return last === name || words.toLowerCase() === plain(name).toLowerCase() ? words : this.messages.as(words, plain(name))
      }),
    )
  }

  #reference(reference: Reference): string {
    const { messages } = this
    switch (reference.root) {
      case 'input': {
        const field = member(this.spec.input ?? {}, reference.name) as Field | undefined
        return this.#path(this.field(reference.name, field), reference.path, field)
      }
      case 'steps':
        return this.#path(messages.resultOf(this.step(reference.step)), reference.path, undefined, this.step(reference.step))
      case 'item':
        return this.#path(messages.item, reference.path)
      case 'index':
        return messages.itemNumber
      case 'run':
        return messages.runId
      case 'principal':
        return messages.starter[reference.field]
    }
  }

  /** `whole` alone, or the part of it that a path names; `short` is the whole's name when a part is named before it. */
  #path(whole: string, path: readonly string[], field?: Field, short = whole): string {
    if (path.length === 0) return whole
    let at = field
    const { within, itemAt, partOf } = this.messages
    const parts = path.map((segment, i) => {
      const properties: unknown = at?.properties
      const isItem = at?.items !== undefined || (at === undefined && path[i - 1] === 'results') || path[i - 1] === 'failed'
      at = at?.items ?? (isObject(properties) ? (member(properties, segment) as Field | undefined) : undefined)
      return isItem && /^\d{1,9}$/.test(segment) ? itemAt(this.number(Number(segment) + 1)) : this.field(segment, at)
    })
    return partOf(shorten(parts.reduce((of, part) => within(part, of))), short)
  }
}

function isTag(locale: string): boolean {
  try {
    return Intl.getCanonicalLocales(locale).length === 1
  } catch {
    return false
  }
}
