import type { Json, JsonObject } from './json'
import type { Field, Fields } from './schema'

/**
 * JSON Schema 2020-12 of what a run is started with, for the run form. A field with a default is not required of a person.
 * `multiline` is given as a format, so that a form can draw a larger box; a secret is `writeOnly`.
 * It names no dialect: its keywords mean the same since draft 7, and the form's validator refuses dialects it was not built for.
 */
export function fieldsToJsonSchema(fields: Fields): JsonObject {
  return { ...membersSchema(fields), additionalProperties: false }
}

function membersSchema(fields: Fields): JsonObject {
  const entries = Object.entries(fields)
  const required = entries.filter(([, field]) => (field.required ?? true) && field.default === undefined).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, fieldSchema(field)])),
    ...(required.length > 0 ? { required } : {}),
  }
}

function fieldSchema(field: Field): JsonObject {
  const schema: Record<string, Json | undefined> = {
    ...(field.type === 'object' ? membersSchema(field.properties ?? {}) : { type: field.type }),
    title: field.title,
    description: field.description,
    default: field.default,
    enum: field.enum,
    format: field.format,
    minimum: field.minimum,
    maximum: field.maximum,
    minLength: field.min_length,
    maxLength: field.max_length,
    items: field.items === undefined ? undefined : fieldSchema(field.items),
    writeOnly: field.secret === true ? true : undefined,
  }
  return Object.fromEntries(Object.entries(schema).filter((entry): entry is [string, Json] => entry[1] !== undefined))
}
