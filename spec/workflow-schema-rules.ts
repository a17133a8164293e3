import type { Json, JsonObject } from './json'
import type { StepKind } from './kinds'
import { WAIT_SECONDS_MAX } from './kinds/wait'
import { APPLIES } from './field-rules'
import { ID_PATTERN, LIMITS } from './schema'

/*
 * What the JSON Schema says beyond the shapes: the rules that each kind's `check` and the check of fields and references say in code.
 * A test holds both against each other on random documents.
 */

const SEGMENT = '[^.{}$\\s]+'
const PATH = `(\\.${SEGMENT})*`
const REFERENCE = [
  `input\\.${SEGMENT}${PATH}`,
  `steps\\.${SEGMENT}\\.output${PATH}`,
  'run\\.id',
  'principal\\.(team_id|user_id|locale)',
  `item${PATH}`,
  'index',
].join('|')
const ONE_REFERENCE = `^\\$\\{(${REFERENCE})\\}$`

/** A string in a value position. Patterns do not concern other types. */
export const REFERENCE_OR_LITERAL = { pattern: `^(?![\\s\\S]*\\$\\{)|${ONE_REFERENCE}` }
export const NO_TEXT_IN_KEY = { not: { pattern: '\\$\\{' } }
export const ID = { pattern: ID_PATTERN.source }

const CONDITIONAL = ['if', 'then', 'else']
/** A conditional rule. */
export function when(...parts: [condition: Json, then: Json, otherwise?: Json]): JsonObject {
  return Object.fromEntries(parts.map((schema, i) => [CONDITIONAL[i] ?? '', schema ?? true]))
}

const has = (name: string, schema: Json): JsonObject => ({ properties: { [name]: schema }, required: [name] })
const without = (...names: string[]): JsonObject => ({ properties: Object.fromEntries(names.map((name) => [name, false])) })

export const STEP_RULES: JsonObject[] = [when(has('join', { const: 'any' }), { properties: { after: { minItems: 1 } } })]

/** `properties: {}` is the default and says nothing. */
const NOT_APPLICABLE = (name: string): Json => (name === 'properties' ? { maxProperties: 0 } : false)

export const FIELD_RULES: JsonObject = {
  allOf: [
    ...Object.entries(APPLIES).map(([name, types]) =>
      when({ not: has('type', { enum: [...types] }) }, { properties: { [name]: NOT_APPLICABLE(name) } }),
    ),
    when(has('secret', { const: true }), without('default')),
    { properties: { default: { not: { type: 'null' } } } },
  ],
}

const NEVER_ANSWERED = { default: false, secret: { not: { const: true } } }
/** An agent's answer: fields without default and secret at any depth. */
const ANSWERS: JsonObject = { additionalProperties: { $ref: '#/$defs/answer' } }
const ANSWER: JsonObject = { properties: { ...NEVER_ANSWERED, items: { $ref: '#/$defs/answer' }, properties: ANSWERS } }

const OPERANDS = when(
  has('op', { enum: ['exists', 'empty'] }),
  without('right'),
  when(has('op', { type: 'string' }), { required: ['right'] }),
)

export const KIND_RULES: Record<StepKind, JsonObject[]> = {
  tool: [],
  job: [],
  workflow: [],
  map: [],
  agent: [{ properties: { output: ANSWERS } }],
  wait: [{ anyOf: [{ required: ['seconds'] }, { required: ['until'] }] }, { not: { required: ['seconds', 'until'] } }],
  approve: [
    when(has('approvals', { exclusiveMinimum: 1 }), {
      properties: { form: { maxProperties: 0 }, require_sign_in: { not: { const: false } } },
    }),
  ],
  choice: [{ properties: { branches: { items: { properties: { when: OPERANDS } } } } }],
}

/** Value positions that take less than any value. */
export function bodyRules(kind: StepKind, properties: JsonObject): JsonObject {
  const reference = { type: 'string', pattern: ONE_REFERENCE }
  const narrowed = (name: string, rule: JsonObject): JsonObject => ({ [name]: { allOf: [properties[name] ?? true, rule] } })
  switch (kind) {
    case 'map':
      return narrowed('over', { type: ['string', 'array'], pattern: ONE_REFERENCE, maxItems: LIMITS.mapItems })
    case 'wait':
      return {
        ...narrowed('seconds', { type: ['string', 'number'], pattern: ONE_REFERENCE, minimum: 0, maximum: WAIT_SECONDS_MAX }),
        ...narrowed('until', { type: 'string', pattern: `${ONE_REFERENCE}|${DATE_TIME}` }),
      }
    case 'choice':
      return narrowed('branches', { items: { properties: { when: { properties: { left: reference } } } } })
    default:
      return {}
  }
}

const DATE_TIME =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])[Tt]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d+)?([Zz]|[+-]([01]\\d|2[0-3]):[0-5]\\d)$'

export const RULE_DEFS: JsonObject = { answer: ANSWER }
