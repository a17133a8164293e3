import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type Manifest, PluginProblem } from './model'

/** PostgreSQL's text cannot hold U+0000. */
const text = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((value) => !value.includes('\0'), 'must not hold the character U+0000')

const MANIFEST = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'must match ^[a-z][a-z0-9-]{0,39}$'),
  title: text(200),
  version: text(50),
  description: text(2_000),
})

/**
 * Reads `plugin.json` of a plugin's folder.
 * @throws {PluginProblem} it is not there, not JSON, or not what a manifest is
 */
export async function readManifest(folder: string): Promise<Manifest> {
  const name = path.basename(folder)
  const text = await readFile(path.join(folder, 'plugin.json'), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    throw new PluginProblem(cause.code === 'ENOENT' ? 'plugin.json is missing' : `plugin.json cannot be read: ${cause.code}`, { cause })
  })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PluginProblem(`plugin.json is not JSON: ${(cause as Error).message}`, { cause })
  }
  const manifest = MANIFEST.safeParse(value)
  if (!manifest.success) {
    const lines = manifest.error.issues.map((issue) => `plugin.json: ${[...issue.path, issue.message].join(' ')}`)
    throw new PluginProblem(lines.join('\n'))
  }
  if (manifest.data.id !== name)
    throw new PluginProblem(`plugin.json: the id '${manifest.data.id}' is not the name of its folder, '${name}'`)
  return manifest.data
}
