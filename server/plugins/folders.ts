import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { Problem } from '@/db/problem'

/**
 * The folders of plugins, in the order of ids.
 * @throws {Problem} the folder that holds them cannot be read
 */
export async function pluginFolders(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      `The plugins folder ${path.resolve(dir)} cannot be read (${error.code}): make it, or set CLEW_PLUGINS_DIR to where it is.`,
    )
  })
  const folders = names.filter((name) => !/^[._]/.test(name) && name !== 'node_modules').map((name) => path.resolve(dir, name))
  const are = await Promise.all(folders.map(async (folder) => (await stat(folder).catch(() => null))?.isDirectory()))
  return folders.filter((_, index) => are[index]).sort()
}
