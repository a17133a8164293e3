import { checkValue } from './fields'
import { isObject, type Json, type JsonObject } from './json'
import type { Path, Report } from './problems'
import type { Field } from './schema'

/** Which types each constraint can apply to. */
export const APPLIES: Partial<Record<keyof Field, readonly Field['type'][]>> = {
  format: ['string'],
  min_length: ['string'],
  max_length: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  items: ['array'],
  properties: ['object'],
}

/** The rules of a structurally valid field that its schema cannot say. */
export function checkFieldRules(raw: JsonObject, path: Path, report: Report): void {
  const field = raw as unknown as Field
  for (const [name, types] of Object.entries(APPLIES)) {
    const given = raw[name]
    const isDefault = name === 'properties' && isObject(given) && Object.keys(given).length === 0
    if (given !== undefined && !isDefault && !types.includes(field.type)) {
      report('field_not_allowed', [...path, name], `'${name}' cannot apply to type '${field.type}'`)
    }
  }
  if (field.minimum !== undefined && field.maximum !== undefined && field.minimum > field.maximum) {
    report('range_empty', [...path, 'minimum'], "'minimum' is above 'maximum'")
  }
  if (field.min_length !== undefined && field.max_length !== undefined && field.min_length > field.max_length) {
    report('range_empty', [...path, 'min_length'], "'min_length' is above 'max_length'")
  }
  field.enum?.forEach((allowed, i) => {
    const message = firstComplaint({ ...field, enum: undefined }, allowed)
    if (message !== null) report('enum_invalid', [...path, 'enum', i], `does not satisfy its own field: ${message}`)
  })
  if (field.default === undefined) return
  const at = [...path, 'default']
  if (field.secret === true) report('field_not_allowed', at, 'a secret takes no default: it would stand in the document')
  const message = field.default === null ? 'null means absent' : firstComplaint(field, field.default)
  if (message !== null) report('default_invalid', at, `does not satisfy its own field: ${message}`)
}

function firstComplaint(field: Field, value: Json): string | null {
  let first: string | null = null
  checkValue(field, value, [], (_code, path, message) => {
    first ??= path.length === 0 ? message : `${path.join('.')} ${message}`
  })
  return first
}
