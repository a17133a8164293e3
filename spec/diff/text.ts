import { branchWords } from '../describe/branches'
import { capital, oneLine, plain, Speech } from '../describe/speech'
import { isObject, type Json } from '../json'
import type { Step } from '../kinds'
import { segments } from '../problems'
import type { ApprovalChange, Weakening } from './approvals'
import type { NewEffect } from './effects'
import type { Diff, FieldChange } from './index'
import { MESSAGES } from './messages'
import type { Case, Turn, Unasked } from './unasked'

/** A difference in words, as indented text: first what approvals no longer hold back, then what is new, then every change. */
export function diffText(diff: Diff, locale = 'en'): string {
  return new Teller(diff, locale).text()
}

class Teller {
  readonly #diff: Diff
  readonly #language: Speech
  readonly #words: NonNullable<(typeof MESSAGES)[string]>
  /** How many steps have each title. */
  readonly #titled = new Map<string, number>()

  constructor(diff: Diff, locale: string) {
    this.#diff = diff
    // Nothing but the titles is left of the steps.
    const steps = Object.entries(diff.titles).map(([id, title]): Step => ({ id, uses: 'wait', after: [], seconds: 0, title }))
    this.#language = new Speech({ spec: 1, slug: '', title: '', steps }, {}, locale)
    for (const title of Object.values(diff.titles)) this.#titled.set(oneLine(title), (this.#titled.get(oneLine(title)) ?? 0) + 1)
    const words = MESSAGES[this.#language.messages.lang]
    if (words === undefined) throw new Error(`no words for '${this.#language.messages.lang}'`)
    this.#words = words
  }

  text(): string {
    const { input, output, settings } = this.#diff
    const parts = {
      approvals: this.#approvals(),
      effects: this.#diff.effects.map((effect) => this.#effect(effect)),
      steps: this.#steps(),
      order: this.#order(),
      input: this.#named(input),
      output: this.#named(output),
      settings: this.#fields(settings),
    }
    const told = Object.entries(parts).filter(([, lines]) => lines.length > 0)
    if (told.length === 0) return `${this.#words.nothing}\n`
    return told
      .map(([name, lines]) => `${[this.#words.headings[name as keyof typeof parts], ...lines.map((line) => `  ${line}`)].join('\n')}\n`)
      .join('\n')
  }

  #quote(text: string): string {
    return this.#language.messages.quote(oneLine(text))
  }

  #step(id: string): string {
    const title = Object.hasOwn(this.#diff.titles, id) ? oneLine(this.#diff.titles[id] ?? '') : ''
    // A step that got another id under its old title would read as gone and new at once.
    const isShared = title !== '' && (this.#titled.get(title) ?? 0) > 1
    return isShared ? `${this.#quote(title)} (${id})` : this.#quote(title || plain(id))
  }

  #approvals(): string[] {
    return this.#diff.approvals.map((change) => this.#approval(change))
  }

  #approval(change: ApprovalChange): string {
    const { approvalRemoved, weakened } = this.#words
    const step = this.#step(change.step)
    switch (change.kind) {
      case 'removed':
        return approvalRemoved(step)
      case 'weakened':
        return weakened(step, change.why.map((why) => this.#why(why)).join('; '))
      case 'unasked':
        return this.#unasked(step, change)
      case 'threshold': {
        const [from, to] = [change.from, change.to].map((value) => (value === undefined ? this.#words.noDefault : this.#value(value)))
        return this.#words.threshold(step, this.#quote(plain(change.input)), from ?? '', to ?? '')
      }
    }
  }

  #unasked(step: string, { uses, from, to }: Unasked): string {
    const { unasked, unaskedElsewhere } = this.#words
    const things = this.#language.some(uses.map((one) => this.#thing(one)))
    const [now, before] = [this.#cases(to), this.#cases(from)]
    return now === null || now === before ? unaskedElsewhere(step, things) : unasked(step, things, now, before)
  }

  /** Empty: always, or never; null: more than can be told. */
  #cases(cases: readonly Case[] | null): string | null {
    if (cases === null) return null
    return this.#language.some(
      cases.map((turns) => this.#language.some(turns.map((turn) => this.#turn(turn)))),
      'disjunction',
    )
  }

  #turn({ step, port, unless, when }: Turn): string {
    if (unless === undefined) {
      const { portTaken } = this.#language.messages
      return portTaken[port as keyof typeof portTaken](this.#step(step))
    }
    const branches = [...unless.map((before, i) => ({ name: `${i}`, when: before })), { name: port, when }]
    return branchWords({ id: step, uses: 'choice', after: [], branches }, port, this.#language)
  }

  #why(why: Weakening): string {
    const words = this.#words.why[why.code]
    switch (why.code) {
      case 'role_changed':
        return words(this.#quote(why.from), this.#quote(why.to))
      case 'fewer_approvals':
        return words(this.#language.number(why.from), this.#language.number(why.to))
      case 'more_channels':
        return words('', this.#language.some(why.channels))
      case 'shows_less':
        return words(this.#language.some(why.names.map((name) => this.#quote(plain(name)))), '')
      case 'acts_on_unseen':
        return words(this.#step(why.step), this.#language.some(why.references.map((reference) => oneLine(reference))))
      case 'can_be_skipped':
        return words('', this.#language.some(why.steps.map((id) => this.#step(id))))
      default:
        return words('', '')
    }
  }

  #effect({ step, uses, effect, by, first }: NewEffect): string {
    const { effects, by: sentences, first: never } = this.#words
    const does = effects[effect ?? 'unknown']
    return `${sentences[by](this.#step(step), this.#thing(uses))} (${first ? `${does}; ${never}` : does})`
  }

  #thing(uses: string): string {
    const { kinds } = this.#words
    const colon = uses.indexOf(':')
    return kinds[uses.slice(0, colon) as keyof typeof kinds](this.#quote(uses.slice(colon + 1)))
  }

  #steps(): string[] {
    const { added, removed, changed, reordered } = this.#diff.steps
    return [
      ...removed.map(({ step, uses }) => `- ${this.#words.removed(`${this.#step(step)} (${uses})`)}`),
      ...added.map(({ step, uses }) => `+ ${this.#words.added(`${this.#step(step)} (${uses})`)}`),
      ...changed.flatMap(({ step, fields }) => this.#changed(this.#step(step), fields)),
      ...(reordered ? [this.#words.reordered] : []),
    ]
  }

  #order(): string[] {
    const { added, removed, moved } = this.#diff.edges
    return [
      ...removed.map(({ step, entry }) => `- ${this.#words.waitsLess(this.#step(step), this.#quote(entry))}`),
      ...added.map(({ step, entry }) => `+ ${this.#words.waitsMore(this.#step(step), this.#quote(entry))}`),
      ...moved.map(({ step, from, to }) => `~ ${this.#words.waitsElse(this.#step(step), this.#quote(from), this.#quote(to))}`),
    ]
  }

  #named({ added, removed, changed, reordered }: Diff['input']): string[] {
    return [
      ...removed.map((name) => `- ${this.#words.removed(this.#quote(name))}`),
      ...added.map((name) => `+ ${this.#words.added(this.#quote(name))}`),
      ...changed.flatMap(({ name, fields }) => this.#changed(this.#quote(name), fields)),
      ...(reordered ? [this.#words.reordered] : []),
    ]
  }

  #changed(thing: string, fields: readonly FieldChange[]): string[] {
    return [`~ ${this.#words.changed(thing)}`].concat(this.#fields(fields).map((line) => `    ${line}`))
  }

  #fields(fields: readonly FieldChange[]): string[] {
    const { set, unset, replaced, changed } = this.#words
    return fields.map(({ path, from, to }) => {
      const place = oneLine(segments(path).join(' › ')) || capital(this.#words.headings.output)
      if (from === undefined) return set(place, this.#value(to ?? null))
      if (to === undefined) return unset(place, this.#value(from))
      const [was, is] = [this.#value(from), this.#value(to)]
      return was === is ? changed(place) : replaced(place, was, is)
    })
  }

  /** A value; of an object only the names of its members, of a list of such their own names. */
  #value(value: Json): string {
    if (typeof value === 'string') return this.#quote(value)
    if (typeof value === 'number') return this.#language.number(value)
    if (typeof value !== 'object' || value === null) return this.#language.value(value)
    if (!Array.isArray(value)) {
      if (typeof value.uses === 'string') return this.#quote(value.uses)
      const names = Object.keys(value).map((name) => this.#quote(plain(name)))
      return names.length === 0 ? this.#language.messages.nothing : this.#language.some(names)
    }
    const names = value.map((item) => (isObject(item) ? item.name : item))
    if (value.length > 0 && names.every((name) => typeof name !== 'object' && name !== undefined))
      return this.#language.some(names.map((name) => this.#value(name as Json)))
    return value.length === 0
      ? this.#language.messages.emptyList
      : this.#language.messages.listOf(this.#language.number(value.length), value.length === 1)
  }
}
