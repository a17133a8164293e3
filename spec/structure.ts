import type { z } from 'zod'
import { DOCUMENT } from './document'
import { checkFieldRules } from './field-rules'
import { depthOf, isObject, type Json, type JsonObject, member } from './json'
import { KINDS, kindNamed } from './kinds'
import { fieldHint, operatorHint } from './hints'
import { ENOUGH_PROBLEMS, type Hint, nearest, type Path, type ProblemCode, type Report, reportDuplicates, shorten } from './problems'
import { reservedField, reservedKind, reservedValue } from './revisions'
import { LIMITS } from './schema'
import { type ObjectShape, type Shape, shapeOf } from './shape'

/** A place where references are looked for. */
export interface ValuePosition {
  path: Path
  value: Json
}

/**
 * Checks what can be said of each part of a document by itself: fields, types, names, limits, the rules of each kind.
 * Goes on after every problem, and returns the value positions it met.
 */
export function checkStructure(document: Json, report: Report): ValuePosition[] {
  const walker = new Walker(report)
  if (!isObject(document)) {
    report('wrong_type', [], 'a workflow is a JSON object')
    return []
  }
  walker.walk(shapeOf(DOCUMENT), document)
  reportDuplicates(document.compensate_on, ['compensate_on'], report)
  if (isObject(document.input) && Object.keys(document.input).length > LIMITS.inputFields) {
    report('too_many', ['input'], `a workflow has at most ${LIMITS.inputFields} inputs`)
  }
  if (Array.isArray(document.steps)) {
    document.steps.slice(0, LIMITS.steps).forEach((step, i) => isObject(step) && checkStepRules(step, ['steps', i], report))
  }
  return walker.positions
}

function checkStepRules(step: JsonObject, path: Path, report: Report): void {
  const kind = typeof step.uses === 'string' ? kindNamed(step.uses) : null
  if (kind !== null) KINDS[kind].check(step, path, report)
  if (step.join === 'any' && Array.isArray(step.after) && step.after.length === 0) {
    report('field_not_allowed', [...path, 'join'], "'any' needs something to wait for, and 'after' is empty")
  }
}

class Walker {
  readonly positions: ValuePosition[] = []
  readonly #report: Report
  /** Where the walk stands. One list for all: a list for each place would cost more than all else here. */
  readonly #path: (string | number)[] = []
  #problems = 0

  constructor(report: Report) {
    this.#report = (...problem) => {
      this.#problems++
      report(...problem)
    }
  }

  /** `fieldDepth` counts the fields that stand around this one. */
  walk(shape: Shape, value: Json, fieldDepth = 0): void {
    if (this.#problems >= ENOUGH_PROBLEMS) return
    switch (shape.type) {
      case 'value':
        if (this.#depth(value)) this.positions.push({ path: [...this.#path], value })
        return
      case 'data':
        this.#depth(value)
        return
      case 'leaf':
        return this.#leaf(shape.schema, value)
      case 'list':
        return this.#list(shape, value)
      case 'map':
        return this.#map(shape, value, fieldDepth)
      case 'byUses':
        return this.#byUses(shape, value)
      case 'object':
        return shape.isField ? this.#field(shape, value, fieldDepth + 1) : this.#object(shape, value, fieldDepth)
    }
  }

  #step(segment: string | number, shape: Shape, value: Json, fieldDepth: number): void {
    this.#path.push(segment)
    this.walk(shape, value, fieldDepth)
    this.#path.pop()
  }

  #say(code: ProblemCode, message: string, hint?: Hint): void {
    this.#report(code, [...this.#path], message, hint)
  }

  #sayAt(segment: string, code: ProblemCode, message: string, hint?: Hint): void {
    this.#report(code, [...this.#path, segment], message, hint)
  }

  #depth(value: Json): boolean {
    if (depthOf(value, LIMITS.valueDepth) <= LIMITS.valueDepth) return true
    this.#say('too_deep', `a value is nested at most ${LIMITS.valueDepth} levels deep`)
    return false
  }

  #leaf(schema: z.ZodType, value: Json): void {
    const result = schema.safeParse(value)
    const issue = result.error?.issues[0]
    if (issue === undefined) return
    if (this.#path.length === 1 && this.#path[0] === 'spec') {
      this.#say('unsupported_spec', `this is not a version of the format that is known here`, 'write "spec": 1')
    } else if (issue.code === 'invalid_type') {
      this.#say('wrong_type', `must be ${typeWords(issue.expected)}`, this.#reserved(value))
    } else if (issue.code === 'invalid_value') {
      const values = issue.values.map(String)
      const message = `must be ${values.length > 1 ? 'one of ' : ''}${values.map((known) => `'${known}'`).join(', ')}`
      const hint = this.#path.at(-1) === 'op' ? operatorHint : nearest
      this.#say('invalid_value', message, this.#reserved(value) ?? (() => (typeof value === 'string' ? hint(value, values) : undefined)))
    } else {
      this.#say('invalid_value', boundWords(issue), this.#reserved(value))
    }
  }

  #reserved(value: Json): string | undefined {
    return reservedValue(this.#path, value)
  }

  #list(shape: Shape & { type: 'list' }, value: Json): void {
    if (!Array.isArray(value)) return this.#say('wrong_type', 'must be an array')
    if (value.length < shape.least) this.#say('invalid_value', 'must not be empty')
    if (value.length > shape.most) this.#say('too_many', `must have at most ${shape.most} items, not ${value.length}`)
    const read = Math.min(value.length, shape.most)
    for (let i = 0; i < read; i++) this.#step(i, shape.of, value[i] ?? null, 0)
  }

  #map(shape: Shape & { type: 'map' }, value: Json, fieldDepth: number): void {
    if (!isObject(value)) return this.#say('wrong_type', 'must be an object')
    for (const key of Object.keys(value)) {
      if (!shape.name.safeParse(key).success) {
        this.#sayAt(key, 'invalid_name', `'${shorten(key)}' is not a name: it must match ^[a-z][a-z0-9_]{0,62}$`)
        continue
      }
      if (key.includes('${')) this.#sayAt(key, 'reference_in_key', "a key must not contain '${'")
      this.#step(key, shape.of, value[key] ?? null, fieldDepth)
    }
  }

  #byUses(shape: Shape & { type: 'byUses' }, value: Json): void {
    if (!isObject(value)) return this.#say('wrong_type', 'must be an object')
    const uses = member(value, 'uses')
    const name = typeof uses === 'string' ? (uses.split(':', 1)[0] ?? '') : ''
    const option = shape.options.get(name)
    if (typeof uses === 'string' && option === undefined) this.#sayAt('uses', 'unknown_kind', ...kindWords(shape, uses, name))
    this.#object(option ?? shape.base, value, 0, option !== undefined)
  }

  #object(shape: ObjectShape, value: Json, fieldDepth: number, strict = true): void {
    if (!isObject(value)) return this.#say('wrong_type', 'must be an object')
    let known = 0
    for (const [name, field] of shape.fields) {
      const given = member(value, name)
      if (given !== undefined) {
        known++
        this.#step(name, field.shape, given, fieldDepth)
      } else if (field.required) this.#sayAt(name, 'missing_field', `'${name}' is missing`)
    }
    if (!strict) return
    const keys = Object.keys(value)
    if (keys.length === known) return
    for (const key of keys) {
      if (shape.fields.has(key)) continue
      if (this.#path.length === 0 && key === '$schema') {
        if (typeof value[key] !== 'string') this.#sayAt(key, 'wrong_type', 'must be a string')
        continue
      }
      this.#sayAt(key, 'unknown_field', `unknown field '${shorten(key)}'${reservedField(String(this.#path.at(-1) ?? ''), key)}`, () => {
        const names = [...shape.fields.keys()]
        return fieldHint(key, names) ?? `the fields here are ${names.join(', ')}`
      })
    }
  }

  #field(shape: ObjectShape, value: Json, depth: number): void {
    if (depth > LIMITS.fieldDepth) return this.#say('too_deep', `fields stand at most ${LIMITS.fieldDepth} levels deep in fields`)
    const before = this.#problems
    this.#object(shape, value, depth)
    // Its rules read the field as valid, so they wait until it is.
    if (this.#problems === before && isObject(value)) checkFieldRules(value, [...this.#path], this.#report)
  }
}

function kindWords(shape: Shape & { type: 'byUses' }, uses: string, name: string): [string, Hint] {
  const known = [...shape.options.keys()]
  const misplaced = Object.hasOwn(KINDS, name)
  const reserved = misplaced ? '' : reservedKind(name)
  const message = `${misplaced ? '' : 'unknown kind '}'${shorten(uses)}'${misplaced ? ' cannot stand here' : reserved}`
  return [`${message}; ${shape.known} ${known.join(', ')}`, () => (reserved === '' ? nearest(name, known) : undefined)]
}

function typeWords(expected: string): string {
  return /^[aeiou]/.test(expected) ? `an ${expected === 'int' ? 'integer' : expected}` : `a ${expected}`
}

function boundWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
  if (issue.code === 'too_big') return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
  return issue.message
}
