import { z } from 'zod'
import { DOCUMENT } from './document'
import type { Json, JsonObject } from './json'
import { KIND_NAMES, type StepKind } from './kinds'
import { LIMITS } from './schema'
import { type ObjectShape, type Shape, shapeOf } from './shape'
import {
  bodyRules,
  FIELD_RULES,
  ID,
  KIND_RULES,
  NO_TEXT_IN_KEY,
  REFERENCE_OR_LITERAL,
  RULE_DEFS,
  STEP_RULES,
  when,
} from './workflow-schema-rules'

/**
 * JSON Schema 2020-12 of a workflow document, generated from the schemas that validate it: fields, types, limits, and the rules
 * between the fields of one step or one field. The graph, what a reference leads to, and whether a default satisfies its own field,
 * are the validator's.
 */
export function workflowJsonSchema(): JsonObject {
  const defs = new Map<string, JsonObject>()
  const root = new Writer(defs).object(shapeOf(DOCUMENT) as ObjectShape)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Workflow, spec 1',
    ...root,
    properties: { $schema: { type: 'string' }, ...(root.properties as JsonObject) },
    $defs: { ...Object.fromEntries(defs), ...RULE_DEFS, ...nestedDefs() },
  }
}

/** Values and data nested as deep as the limit allows: each level a definition of its own, as a schema cannot count. */
function nestedDefs(): JsonObject {
  const levels = Array.from({ length: LIMITS.valueDepth + 1 }, (_, depth) => depth)
  return Object.fromEntries([
    ...levels.map((depth): [string, Json] => [`data-${depth}`, containers('data', depth)]),
    ...levels.map((depth): [string, Json] => [`value-${depth}`, valueOf(depth)]),
  ])
}

function containers(name: string, depth: number): JsonObject {
  if (depth === 0) return { type: ['string', 'number', 'boolean', 'null'] }
  const inner = { $ref: `#/$defs/${name}-${depth - 1}` }
  return { items: inner, additionalProperties: inner }
}

function valueOf(depth: number): JsonObject {
  return { ...containers('value', depth), ...REFERENCE_OR_LITERAL, ...(depth === 0 ? {} : { propertyNames: NO_TEXT_IN_KEY }) }
}

class Writer {
  readonly #defs: Map<string, JsonObject>

  constructor(defs: Map<string, JsonObject>) {
    this.#defs = defs
  }

  object(shape: ObjectShape): JsonObject {
    const fields = [...shape.fields]
    return {
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, { shape: inner, default: usual }]) => [name, this.#member(name, inner, usual)])),
      required: fields.flatMap(([name, field]) => (field.required ? [name] : [])),
      additionalProperties: false,
    }
  }

  #member(name: string, shape: Shape, usual: Json | undefined): JsonObject {
    const schema = { ...this.#schema(shape), ...(usual === undefined ? {} : { default: usual }) }
    if (name === 'input') return { ...schema, maxProperties: LIMITS.inputFields }
    return UNIQUE.has(name) ? { ...schema, uniqueItems: true } : schema
  }

  #schema(shape: Shape): JsonObject {
    switch (shape.type) {
      case 'value':
        return { $ref: `#/$defs/value-${LIMITS.valueDepth}` }
      case 'data':
        return { $ref: `#/$defs/data-${LIMITS.valueDepth}` }
      case 'leaf':
        return leaf(shape.schema)
      case 'list':
        return {
          type: 'array',
          items: this.#schema(shape.of),
          ...(shape.least > 0 ? { minItems: shape.least } : {}),
          ...(Number.isFinite(shape.most) ? { maxItems: shape.most } : {}),
        }
      case 'map':
        return { type: 'object', propertyNames: shape.sorted ? NO_TEXT_IN_KEY : ID, additionalProperties: this.#schema(shape.of) }
      case 'byUses':
        return this.#byUses(shape)
      case 'object':
        return shape.isField ? this.#field(shape) : this.object(shape)
    }
  }

  #field(shape: ObjectShape): JsonObject {
    if (!this.#defs.has('field')) {
      this.#defs.set('field', {})
      this.#defs.set('field', { ...this.object(shape), ...FIELD_RULES })
    }
    return { $ref: '#/$defs/field' }
  }

  /** By the part of `uses` before the colon, each kind in an `if` of its own, so that a problem is reported where it stands and for that kind alone. */
  #byUses(shape: Shape & { type: 'byUses' }): JsonObject {
    const steps = shape.base.fields.has('after')
    const kinds = KIND_NAMES.filter((kind) => shape.options.has(kind))
    return {
      ...this.object(shape.base),
      additionalProperties: true,
      properties: {
        ...(this.object(shape.base).properties as JsonObject),
        uses: { type: 'string', pattern: `^(${kinds.join('|')})(:|$)` },
      },
      allOf: kinds.map((kind) =>
        when(
          { properties: { uses: { type: 'string', pattern: `^${kind}(:|$)` } }, required: ['uses'] },
          { $ref: `#/$defs/${this.#kind(kind, shape.options.get(kind), steps)}` },
        ),
      ),
    }
  }

  #kind(kind: StepKind, shape: ObjectShape | undefined, step: boolean): string {
    const name = `${step ? 'step' : 'do'}-${kind}`
    if (shape !== undefined && !this.#defs.has(name)) {
      const written = this.object(shape)
      const properties = { ...(written.properties as JsonObject), ...bodyRules(kind, written.properties as JsonObject) }
      const rules = [...(step ? STEP_RULES : []), ...KIND_RULES[kind]]
      this.#defs.set(name, { ...written, properties, ...(rules.length === 0 ? {} : { allOf: rules }) })
    }
    return name
  }
}

const UNIQUE = new Set(['channels', 'tools', 'compensate_on', 'after'])

function leaf(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as JsonObject
  return rest
}
