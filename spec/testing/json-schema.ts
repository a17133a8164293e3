import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020'
import type { Json, JsonObject } from '../json'

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true, ownProperties: true, logger: false })
const compiled = new WeakMap<object, ValidateFunction>()

/** The places of a value that do not satisfy a JSON Schema (2020-12), each with the keyword that says so; [] when it is valid. */
export function violations(schema: JsonObject, value: Json): string[] {
  const validate = compiled.get(schema) ?? ajv.compile(schema)
  compiled.set(schema, validate)
  if (validate(value)) return []
  return [...new Set((validate.errors ?? []).filter(({ keyword }) => !CHOOSING.has(keyword)).map(said))]
}

/** Keywords that only say that what they chose says no. */
const CHOOSING = new Set(['if', 'anyOf', 'oneOf', 'allOf'])

function said({ instancePath, keyword, params }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `${instancePath}/${String(params.additionalProperty)} false`
  return `${instancePath} ${keyword === 'false schema' ? 'false' : keyword}`
}
