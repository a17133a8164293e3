import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'

/** A folder of plugins for one test, inside the project so that `@/sdk` resolves. Keys are paths such as `notes/plugin.json`. */
export async function pluginsFolder(files: Record<string, string | object>): Promise<{ dir: string; remove(): Promise<void> }> {
  await mkdir('.tmp', { recursive: true })
  const dir = await mkdtemp(path.resolve('.tmp', 'plugins-'))
  await Promise.all(Object.entries(files).map(([name, content]) => writePlugin(dir, name, content)))
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}

export async function writePlugin(dir: string, name: string, content: string | object): Promise<void> {
  const file = path.join(dir, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content))
}

export const manifest = (id: string) => ({ id, title: `The ${id} plugin`, version: '1.0.0', description: 'For a test.' })

/** The source of an `index.ts` with these tools, which do nothing. */
export const toolsSource = (...names: string[]) => `
import { defineTool, z } from '@/sdk'
const tool = (name: string) => defineTool({
  name, title: 'T', description: 'D', effect: 'read', input: z.object({ n: z.number() }), output: z.object({ n: z.number() }),
  run: (_ctx, input) => input,
})
export const tools = [${names.map((name) => `tool('${name}')`).join(', ')}]
`

/** The source of jobs of these kinds, for the end of an `index.ts`. */
export const jobsSource = (...kinds: string[]) => `
import { defineJob, z as zod } from '@/sdk'
const job = (kind: string) => defineJob({
  kind, title: 'J', description: 'D', input: zod.object({ n: zod.number() }), output: zod.object({ n: zod.number() }), run: (_ctx, input) => input,
})
export const jobs = [${kinds.map((kind) => `job('${kind}')`).join(', ')}]
`

export const workflow = (slug: string, title = slug) => ({ spec: 1, slug, title, steps: [{ id: 'a', uses: 'tool:time.now', after: [] }] })
