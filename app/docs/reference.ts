import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { marked, type MarkedToken } from 'marked'

const read = new Map<string, readonly MarkedToken[]>()

/** A page of `docs/reference`, parsed. Its file is read once, from the folder that Clew is started in. */
export async function referencePage(name: 'spec'): Promise<readonly MarkedToken[]> {
  const tokens =
    read.get(name) ?? (marked.lexer(await readFile(path.join(process.cwd(), 'docs', 'reference', `${name}.md`), 'utf8')) as MarkedToken[])
  read.set(name, tokens)
  return tokens
}
