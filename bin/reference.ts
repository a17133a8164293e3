import { z } from 'zod'
import { PROBLEM_MEANINGS, REVISIONS, RUN_CODES, WARNING_MEANINGS, type StepKind } from '@/spec'
import { DOCUMENT } from '@/spec/document'
import { KINDS } from '@/spec/kinds'
import { PORTS } from '@/spec/kinds/ports'
import { COMPENSATE, FIELD, LIMITS, STEP_FIELDS } from '@/spec/schema'
import { type ObjectShape, type Shape, shapeOf } from '@/spec/shape'

/*
 * The generated parts of docs/reference/spec.md: what the format's own schemas say is read from them, so that the page cannot say
 * something else. The second column of a table of fields, what a field means, is written by hand and kept.
 */

export const REFERENCE = 'docs/reference/spec.md'

const BLOCK = /<!-- generated:([\w:-]+) -->\n([\s\S]*?)<!-- \/generated -->/g

/** The page with every generated part made anew. @throws {Error} when a part is not known, or a field has no meaning yet */
export function regenerate(page: string): string {
  return page.replace(BLOCK, (_all, name: string, old: string) => {
    return `<!-- generated:${name} -->\n\n${partOf(name, meaningsIn(old))}\n\n<!-- /generated -->`
  })
}

function partOf(name: string, meanings: Meanings): string {
  const [what = '', which = ''] = name.split(':')
  const make = Object.hasOwn(PARTS, what) ? PARTS[what] : undefined
  if (make === undefined) throw new Error(`${REFERENCE}: nothing is called 'generated:${name}'`)
  return make(which, meanings)
}

type Meanings = ReadonlyMap<string, string>

const PARTS: Record<string, (which: string, meanings: Meanings) => string> = {
  fields: fieldsTable,
  ports: () => table(['a step of kind', 'has the ports', 'a plain `id` means'], portRows()),
  limits: () => table(['of a document', 'at most', 'code beyond it'], limitRows()),
  codes: (which) => table(['code', 'what it means'], codesOf(which)),
  revisions: () => table(['revision', 'what it added'], REVISIONS.map(revisionRow)),
}

/** A table as prettier lays it out: asking it would take seconds. */
function table(head: string[], body: string[][]): string {
  const widths = head.map((title, i) => Math.max(3, title.length, ...body.map((row) => row[i]?.length ?? 0)))
  const rows = [head, widths.map((width) => '-'.repeat(width)), ...body]
  return rows.map((row) => `| ${row.map((text, i) => text.padEnd(widths[i] ?? 0)).join(' | ')} |`).join('\n')
}

const code = (text: string) => `\`${text}\``
const cell = (text: string) => text.replaceAll(/(?<!\\)\|/g, '\\|')
const number = (value: number) => value.toLocaleString('en')

/** The hand-written column of a table, by the field it is about. */
function meaningsIn(old: string): Meanings {
  const rows = old.split('\n').map((line) => line.split(/(?<!\\)\|/).map((text) => text.trim()))
  return new Map(rows.flatMap((cells) => (/^`\w+`$/.test(cells[1] ?? '') ? [[(cells[1] ?? '').slice(1, -1), cells[2] ?? '']] : [])))
}

function fieldsTable(which: string, meanings: Meanings): string {
  const rows = [...shapeNamed(which).fields].map(([name, field]) => {
    const meaning = meanings.get(name)
    if (!meaning) throw new Error(`${REFERENCE}: say what '${name}' means in the second column of 'generated:fields:${which}'`)
    // An object whose fields all have their defaults is written as an empty one.
    const usual = field.default === undefined ? '' : code(field.shape.type === 'object' ? '{}' : JSON.stringify(field.default))
    const type = typeOf(name, field.shape).filter(Boolean).join(', ')
    return [code(name), meaning, cell(type), field.required ? '**required**' : usual]
  })
  return table(['field', 'meaning', 'type and limits', 'default'], rows)
}

const inside = (kind: StepKind, ...path: string[]) =>
  path.reduce((at, name) => objectAt(at.fields.get(name)?.shape), objectAt(shapeOf(KINDS[kind].schema)))

/** The object that a table of fields is about. Of a kind: what it has beyond the fields of every step. */
function shapeNamed(which: string): ObjectShape {
  if (Object.hasOwn(KINDS, which)) {
    const { fields } = objectAt(shapeOf(KINDS[which as StepKind].schema))
    return objectOf([...fields].filter(([name]) => !(name in STEP_FIELDS)))
  }
  switch (which) {
    case 'document':
      return objectAt(shapeOf(DOCUMENT))
    case 'field':
      return objectAt(shapeOf(FIELD))
    case 'step':
      return objectAt(shapeOf(z.strictObject(STEP_FIELDS)))
    case 'retry':
      return inside('tool', 'retry')
    case 'compensate':
      return objectAt(shapeOf(COMPENSATE))
    case 'branch':
      return inside('choice', 'branches')
    case 'predicate':
      return inside('choice', 'branches', 'when')
    default:
      throw new Error(`${REFERENCE}: there are no fields of '${which}'`)
  }
}

const objectOf = (fields: [string, ObjectShape['fields'] extends Map<string, infer F> ? F : never][]): ObjectShape => ({
  type: 'object',
  isField: false,
  fields: new Map(fields),
})

/** An object, or what a list holds of them. */
function objectAt(shape: Shape | undefined): ObjectShape {
  if (shape?.type === 'list') return objectAt(shape.of)
  if (shape?.type !== 'object') throw new Error('no object stands there')
  return shape
}

/** What stands under a field, and what bounds it. */
function typeOf(name: string, shape: Shape): [type: string, limits: string] {
  switch (shape.type) {
    case 'value':
      return ['value', '']
    case 'data':
      return ['JSON', '']
    case 'byUses':
      return [name === 'do' ? 'what is done' : 'step', '']
    case 'object':
      return [shape.isField ? 'field' : (OBJECTS[name] ?? 'object'), '']
    case 'map':
      return [`map: name → ${typeOf(name, shape.of)[0]}`, '']
    case 'list': {
      const [of, limits] = typeOf(name, shape.of)
      return [`array of ${of}`, [size(shape), limits && `each ${limits}`].filter(Boolean).join(', ')]
    }
    case 'leaf':
      return leafType(z.toJSONSchema(shape.schema, { io: 'input' }) as Leaf)
  }
}

const OBJECTS: Record<string, string> = { retry: 'retry', compensate: 'compensation', branches: 'branch', when: 'predicate' }

function size({ least, most }: { least: number; most: number }): string {
  if (Number.isFinite(most)) return `${number(least)} to ${number(most)}`
  return least > 0 ? `at least ${number(least)}` : ''
}

interface Leaf {
  type?: string
  const?: unknown
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
}

const isBound = (bound: number | undefined) => bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER

function leafType(schema: Leaf): [string, string] {
  const { type = '', const: only, enum: words, pattern, minimum, maximum, exclusiveMinimum } = schema
  if (only !== undefined) return [code(JSON.stringify(only)), '']
  if (words !== undefined) return [type, `one of ${words.map((word) => code(String(word))).join(' ')}`]
  if (pattern !== undefined) {
    const prefix = /^\^(\w+):/.exec(pattern)?.[1]
    if (prefix !== undefined) return [code(`${prefix}:NAME`), '']
    return [type, pattern.includes('(?') ? 'a dotted id' : code(pattern)]
  }
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum
  const bounds = [
    isBound(least) && `${exclusiveMinimum === undefined ? 'at least' : 'above'} ${number(least ?? 0)}`,
    isBound(maximum) && `at most ${number(maximum ?? 0)}`,
  ]
  return [type, bounds.filter(Boolean).join(', ')]
}

function portRows(): string[][] {
  return Object.entries(KINDS).map(([kind, { defaultPort }]) => {
    const ports = Object.hasOwn(PORTS, kind) ? PORTS[kind as keyof typeof PORTS].map(code).join(' ') : 'the names of its branches'
    return [code(kind), ports, defaultPort === null ? 'nothing: a port must be named' : code(defaultPort)]
  })
}

/** A limit without words here does not compile. */
const LIMIT_WORDS: Record<keyof typeof LIMITS, [what: string, unit: string, beyond: string]> = {
  textLength: ['text that is read at all, before it is made canonical', 'UTF-16 units', 'document_too_large'],
  documentBytes: ['canonical text', 'bytes of UTF-8', 'document_too_large'],
  steps: ['`steps`', 'steps', 'too_many'],
  inputFields: ['members of `input` (not of their `properties`)', 'fields', 'too_many'],
  valueDepth: ['containers within each other in a value, a `default`, a member of an `enum`', 'levels', 'too_deep'],
  fieldDepth: ['fields within fields', 'levels', 'too_deep'],
  branches: ['`branches` of a choice', 'branches', 'too_many'],
  mapItems: ['a literal `over` of a map', 'items', 'too_many'],
}

function limitRows(): string[][] {
  return Object.entries(LIMIT_WORDS).map(([name, [what, unit, beyond]]) => [
    what,
    `${number(LIMITS[name as keyof typeof LIMITS])} ${unit}`,
    code(beyond),
  ])
}

function codesOf(which: string): string[][] {
  const meanings = { problems: PROBLEM_MEANINGS, warnings: WARNING_MEANINGS, runs: RUN_CODES }[which]
  if (meanings === undefined) throw new Error(`${REFERENCE}: there are no codes of '${which}'`)
  return Object.entries(meanings).map(([name, meaning]) => [code(name), cell(meaning)])
}

function revisionRow({ date, kinds, fields }: (typeof REVISIONS)[number], i: number): string[] {
  const added = [...kinds.map((kind) => `the kind ${code(kind)}`), ...fields.map(code)]
  return [date, i === 0 ? 'the format itself' : added.join(', ')]
}
