import type { z } from 'zod'
import { DOCUMENT } from './document'
import { checkFieldRules } from './field-rules'
import { depthOf, isObject, type Json, type JsonObject, member } from './json'
import { KINDS, kindNamed } from './kinds'
import { ENOUGH_PROBLEMS, nearest, type Path, type Report, reportDuplicates, shorten } from './problems'
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
  walker.walk(shapeOf(DOCUMENT), document, [])
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
  #problems = 0

  constructor(report: Report) {
    this.#report = (...problem) => {
      this.#problems++
      report(...problem)
    }
  }

  /** `fieldDepth` counts the fields that stand around this one. */
  walk(shape: Shape, value: Json, path: Path, fieldDepth = 0): void {
    if (this.#problems >= ENOUGH_PROBLEMS) return
    switch (shape.type) {
      case 'value':
        if (this.#depth(value, path)) this.positions.push({ path, value })
        return
      case 'data':
        this.#depth(value, path)
        return
      case 'leaf':
        return this.#leaf(shape.schema, value, path)
      case 'list':
        return this.#list(shape, value, path)
      case 'map':
        return this.#map(shape, value, path, fieldDepth)
      case 'byUses':
        return this.#byUses(shape, value, path)
      case 'object':
        return shape.isField ? this.#field(shape, value, path, fieldDepth + 1) : this.#object(shape, value, path, fieldDepth)
    }
  }

  #depth(value: Json, path: Path): boolean {
    if (depthOf(value, LIMITS.valueDepth) <= LIMITS.valueDepth) return true
    this.#report('too_deep', path, `a value is nested at most ${LIMITS.valueDepth} levels deep`)
    return false
  }

  #leaf(schema: z.ZodType, value: Json, path: Path): void {
    const result = schema.safeParse(value)
    const issue = result.error?.issues[0]
    if (issue === undefined) return
    if (path.length === 1 && path[0] === 'spec') {
      this.#report('unsupported_spec', path, `this is not a version of the format that is known here`, 'write "spec": 1')
    } else if (issue.code === 'invalid_type') {
      this.#report('wrong_type', path, `must be ${typeWords(issue.expected)}`)
    } else if (issue.code === 'invalid_value') {
      const values = issue.values.map(String)
      const message = `must be ${values.length > 1 ? 'one of ' : ''}${values.map((known) => `'${known}'`).join(', ')}`
      this.#report('invalid_value', path, message, () => (typeof value === 'string' ? nearest(value, values) : undefined))
    } else {
      this.#report('invalid_value', path, boundWords(issue))
    }
  }

  #list(shape: Shape & { type: 'list' }, value: Json, path: Path): void {
    if (!Array.isArray(value)) return this.#report('wrong_type', path, 'must be an array')
    if (value.length < shape.least) this.#report('invalid_value', path, 'must not be empty')
    if (value.length > shape.most) this.#report('too_many', path, `must have at most ${shape.most} items, not ${value.length}`)
    value.slice(0, shape.most).forEach((item, i) => this.walk(shape.of, item, [...path, i]))
  }

  #map(shape: Shape & { type: 'map' }, value: Json, path: Path, fieldDepth: number): void {
    if (!isObject(value)) return this.#report('wrong_type', path, 'must be an object')
    for (const key of Object.keys(value)) {
      const at = [...path, key]
      if (!shape.name.safeParse(key).success) {
        this.#report('invalid_name', at, `'${shorten(key)}' is not a name: it must match ^[a-z][a-z0-9_]{0,62}$`)
        continue
      }
      if (key.includes('${')) this.#report('reference_in_key', at, "a key must not contain '${'")
      this.walk(shape.of, value[key] ?? null, at, fieldDepth)
    }
  }

  #byUses(shape: Shape & { type: 'byUses' }, value: Json, path: Path): void {
    if (!isObject(value)) return this.#report('wrong_type', path, 'must be an object')
    const uses = member(value, 'uses')
    const name = typeof uses === 'string' ? (uses.split(':', 1)[0] ?? '') : ''
    const option = shape.options.get(name)
    if (typeof uses === 'string' && option === undefined) {
      const known = [...shape.options.keys()]
      const message = `unknown kind '${shorten(uses)}'; ${shape.known} ${known.join(', ')}`
      this.#report('unknown_kind', [...path, 'uses'], message, () => nearest(name, known))
    }
    this.#object(option ?? shape.base, value, path, 0, option !== undefined)
  }

  #object(shape: ObjectShape, value: Json, path: Path, fieldDepth: number, strict = true): void {
    if (!isObject(value)) return this.#report('wrong_type', path, 'must be an object')
    for (const [name, field] of shape.fields) {
      const given = member(value, name)
      if (given !== undefined) this.walk(field.shape, given, [...path, name], fieldDepth)
      else if (field.required) this.#report('missing_field', [...path, name], `'${name}' is missing`)
    }
    if (!strict) return
    for (const key of Object.keys(value)) {
      if (shape.fields.has(key) || (path.length === 0 && key === '$schema')) continue
      this.#report('unknown_field', [...path, key], `unknown field '${shorten(key)}'`, () => {
        return nearest(key, shape.fields.keys()) ?? `the fields here are ${[...shape.fields.keys()].join(', ')}`
      })
    }
  }

  #field(shape: ObjectShape, value: Json, path: Path, depth: number): void {
    if (depth > LIMITS.fieldDepth) return this.#report('too_deep', path, `fields stand at most ${LIMITS.fieldDepth} levels deep in fields`)
    const before = this.#problems
    this.#object(shape, value, path, depth)
    // Its rules read the field as valid, so they wait until it is.
    if (this.#problems === before && isObject(value)) checkFieldRules(value, path, this.#report)
  }
}

function typeWords(expected: string): string {
  return /^[aeiou]/.test(expected) ? `an ${expected === 'int' ? 'integer' : expected}` : `a ${expected}`
}

function boundWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small') return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`
  if (issue.code === 'too_big') return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`
  return issue.message
}
