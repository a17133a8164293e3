import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type DocsPage, readPage } from '@/components/docs/page'

const read = new Map<string, DocsPage>()

/** A page of `docs/reference`. Its file is read once, from the folder that Clew is started in. */
export async function referencePage(name: 'spec'): Promise<DocsPage> {
  const page = read.get(name) ?? readPage(await readFile(path.join(process.cwd(), 'docs', 'reference', `${name}.md`), 'utf8'))
  read.set(name, page)
  return page
}
