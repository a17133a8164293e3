import { readValid } from './document'
import type { Command } from './command'

/** Prints exactly the text that is stored and hashed, without a line end: `clew canonical FILE | sha256sum` is the stored hash. */
export const canonical: Command = ([file = ''], _options, terminal) => {
  const document = readValid(file, terminal)
  if (document === null) return 1
  terminal.write(document.canonical)
  return 0
}
