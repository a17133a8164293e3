import { describe as inWords, describeText } from '@/spec'
import { knownThings } from './catalogue'
import { readValid } from './document'
import type { Command } from './command'

export const describe: Command = async ([file = ''], { json, locale, plugins }, terminal) => {
  const document = readValid(file, terminal)
  if (document === null) return 1
  const description = inWords(document.spec, await knownThings(plugins, terminal), locale)
  terminal.print(json ? JSON.stringify(description, null, 2) : describeText(description).trimEnd())
  return 0
}
