import type { Json } from './json'
import type { Fields } from './schema'

/** JSON Schema 2020-12 of what a run is started with, for the run form. */
export function fieldsToJsonSchema(fields: Fields): Record<string, Json> {
  throw new Error(`being built: ${Object.keys(fields).length}`)
}

/** JSON Schema 2020-12 of a workflow document. */
export function workflowJsonSchema(): Record<string, Json> {
  throw new Error('being built')
}
