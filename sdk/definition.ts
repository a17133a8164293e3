import { z } from 'zod'

const ID = '[a-z][a-z0-9_]{0,62}'

/** For people, and for PostgreSQL, whose text cannot hold U+0000. */
const text = z
  .string()
  .trim()
  .min(1)
  .refine((value) => !value.includes('\0'), 'must not hold the character U+0000')

/** The name of a tool, the kind of a job. */
export const NAME = z
  .string()
  .max(128)
  .regex(new RegExp(`^${ID}(\\.${ID})*$`), 'must be dotted ids such as ledger.post')

/** What the definitions of tools and jobs have in common. */
export const DEFINITION = {
  title: text,
  description: text,
  effect: z.enum(['read', 'write', 'once']),
  input: z.custom((value) => zodType(value) === 'object', 'must be a z.object'),
  output: z.custom((value) => zodType(value) !== undefined, 'must be a zod schema'),
  run: z.custom((value) => typeof value === 'function', 'must be a function'),
}

const zodType = (value: unknown) => (value as Partial<z.ZodType> | null | undefined)?.def?.type

/**
 * Throws what is wrong with a definition.
 * @throws {Error}
 */
export function checkDefinition(what: string, name: unknown, schema: z.ZodType, definition: unknown): void {
  const checked = schema.safeParse(definition)
  if (!checked.success) throw new Error(`The ${what} '${String(name)}' is not valid:\n${z.prettifyError(checked.error)}`)
}

/** Refuses members that the schema does not declare, unless it says something about them itself. */
export function strict<Input extends z.ZodObject>(input: Input): Input {
  return input.def.catchall ? input : (input.strict() as unknown as Input)
}

/** Marks what a `define…` made, in a way that every copy of this module knows; not seen by whoever lists its members. */
export function mark<T extends object>(definition: T, symbol: symbol): T {
  return Object.defineProperty({ ...definition }, symbol, { value: true })
}

export const isMarked = (value: unknown, symbol: symbol) => typeof value === 'object' && value !== null && Object.hasOwn(value, symbol)
