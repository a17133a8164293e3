import { parseArgs } from 'node:util'
import { terminal, type Terminal, Unreadable, Usage } from './terminal'
import { canonical } from './canonical'
import type { Command } from './command'
import { describe } from './describe'
import { diff } from './diff'
import { schema } from './schema'
import { validate } from './validate'

const USAGE = `Reads, checks and compares workflow documents. Needs no database.

  clew validate FILE… [--json]          every problem and warning, as file:line:column
  clew describe FILE                    what the workflow does, in plain words
  clew diff A B [--json]                what changed from A to B, in plain words or as data
  clew canonical FILE                   the document's canonical form, as it is stored and hashed
  clew schema                           the JSON Schema of a document

  --plugins DIR   take tools and jobs of these plugins into account (runs their code)
  --locale TAG    the language of descriptions: en (default) or es
  --json          answer as JSON

A FILE of "-" is the standard input. Ends with 0, with 1 when a document has problems, with 2 when it was not asked rightly.`

const COMMANDS: Record<string, { files: [least: number, most: number]; run: Command }> = {
  validate: { files: [1, Infinity], run: validate },
  describe: { files: [1, 1], run: describe },
  diff: { files: [2, 2], run: diff },
  canonical: { files: [1, 1], run: canonical },
  schema: { files: [0, 0], run: schema },
}

/** Runs the program with these arguments; resolves to its exit code. */
export async function main(args: string[], io: Terminal = terminal): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        locale: { type: 'string', default: 'en' },
        plugins: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    })
    const [name = '', ...files] = positionals
    if (values.help || name === 'help') {
      io.print(USAGE)
      return 0
    }
    if (!Object.hasOwn(COMMANDS, name)) throw new Usage(name === '' ? 'Say what to do.' : `There is no command '${name}'.`)
    const command = COMMANDS[name]
    if (!command) throw new Usage('Say what to do.')
    const [least, most] = command.files
    if (files.length < least || files.length > most) throw new Usage(`'clew ${name}' takes ${counted(least, most)}, not ${files.length}.`)
    if (files.indexOf('-') !== files.lastIndexOf('-')) throw new Usage("The standard input can be read once: '-' stands there twice.")
    return await command.run(files, { json: values.json, locale: values.locale, plugins: values.plugins }, io)
  } catch (error) {
    if (error instanceof Unreadable) {
      io.complain(error.message)
      return 2
    }
    const isUsage = error instanceof Usage || (error as { code?: string } | null)?.code?.startsWith('ERR_PARSE_ARGS')
    if (!isUsage) throw error
    io.complain(`${(error as Error).message}\n\n${USAGE}`)
    return 2
  }
}

const counted = (least: number, most: number) => (least === most ? ['no file', 'one file', 'two files'][least] : 'at least one file')
