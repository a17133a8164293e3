import type { z } from 'zod'

/**
 * Declares a part of a tool's input secret: `z.object({ key: secret(z.string()) })`. Only there may a workflow's secret inputs go, and what is
 * given there is neither stored with the step nor shown; where the tool's output, errors or log lines hold it, it is taken out.
 * In JSON Schema it is `writeOnly`.
 */
export function secret<Schema extends z.ZodType>(schema: Schema): Schema {
  return schema.meta({ writeOnly: true })
}
