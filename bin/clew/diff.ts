import { diff as compare, diffText } from '@/spec'
import { knownThings } from './catalogue'
import { readValid } from './document'
import type { Command } from './command'

export const diff: Command = async ([before = '', after = ''], { json, locale, plugins }, terminal) => {
  const a = readValid(before, terminal)
  const b = readValid(after, terminal)
  if (a === null || b === null) return 1
  const difference = compare(a.spec, b.spec, await knownThings(plugins, terminal))
  terminal.print(json ? JSON.stringify(difference, null, 2) : diffText(difference, locale).trimEnd())
  return 0
}
