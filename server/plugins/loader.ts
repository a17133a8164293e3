import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { Problem } from '@/db/problem'
import { readManifest } from './manifest'
import { type MigrationFile, migratePlugin, readMigrations } from './migrations'
import { type LoadedPlugin, type LoadedWorkflow, type LoadResult, type Manifest, PluginProblem, type PluginTables } from './model'
import { importPlugin, type PluginModule, within } from './module'
import { isTransient } from './transient'
import { loadWorkflows } from './workflows'

export type LoadOptions = {
  /** The folder whose subfolders are plugins; those whose names begin with `_` or `.` are not. */
  dir: string
  /** Where plugins have their tables. Should be a pool of their own: see `teamDb`. Without it, a plugin with migrations fails. */
  pool?: pg.Pool
  /** How long a plugin's `index.ts`, and its `init`, may take, in milliseconds. */
  timeoutMs?: number
}

type Candidate = Manifest & { module: PluginModule; workflows: LoadedWorkflow[]; migrations: MigrationFile[] }
type Read = { manifest: Manifest; candidate: Candidate } | { manifest: Manifest; error: string }

/**
 * Loads every plugin of a folder: manifest, module, workflows, tables. A bad one is reported with its reason and takes no other down.
 * @throws {Problem} the folder cannot be read
 * @throws when the database cannot be reached: that says nothing about a plugin
 */
export async function loadPlugins({ dir, pool, timeoutMs = 10_000 }: LoadOptions): Promise<LoadResult> {
  const reads = await Promise.all((await pluginFolders(dir)).map((folder) => read(folder, timeoutMs)))
  const result: LoadResult = { loaded: [], failed: [] }
  // One after the other, in the order of ids: who comes first keeps a name that two of them claim.
  for (const { manifest, ...read } of reads) {
    try {
      if ('error' in read) throw new PluginProblem(read.error)
      result.loaded.push(await admit(read.candidate, result.loaded, pool, timeoutMs))
    } catch (error) {
      if (!(error instanceof PluginProblem) && isTransient(error)) throw error
      result.failed.push({ ...manifest, error: reason(error, path.resolve(dir)) })
    }
  }
  return result
}

async function pluginFolders(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    throw new Problem(
      `The plugins folder ${path.resolve(dir)} cannot be read (${error.code}): make it, or set CLEW_PLUGINS_DIR to where it is.`,
    )
  })
  const folders = names.filter((name) => !/^[._]/.test(name) && name !== 'node_modules').map((name) => path.resolve(dir, name))
  const are = await Promise.all(folders.map(async (folder) => (await stat(folder).catch(() => null))?.isDirectory()))
  return folders.filter((_, index) => are[index]).sort()
}

/** Everything that needs no other plugin and no database. */
async function read(folder: string, timeoutMs: number): Promise<Read> {
  const id = path.basename(folder)
  let manifest: Manifest = { id, title: id, version: '', description: '' }
  try {
    manifest = await readManifest(folder)
    const module = await importPlugin(folder, timeoutMs)
    const [workflows, migrations] = await Promise.all([loadWorkflows(folder, module.workflows), readMigrations(folder)])
    return { manifest, candidate: { ...manifest, module, workflows, migrations } }
  } catch (error) {
    return { manifest, error: reason(error, path.dirname(folder)) }
  }
}

async function admit(candidate: Candidate, loaded: LoadedPlugin[], pool: pg.Pool | undefined, timeoutMs: number): Promise<LoadedPlugin> {
  const { module, workflows, migrations, ...manifest } = candidate
  const problems = [
    ...clashes(
      'tool',
      module.tools.map(({ tool }) => tool.name),
      (plugin) => plugin.tools.map(({ tool }) => tool.name),
      loaded,
    ),
    ...clashes(
      'workflow',
      workflows.map(({ slug }) => slug),
      (plugin) => plugin.workflows.map(({ slug }) => slug),
      loaded,
    ),
  ]
  if (problems.length > 0) throw new PluginProblem(problems.join('\n'))
  let tables: PluginTables | null = null
  if (migrations.length > 0) {
    if (!pool) throw new PluginProblem('it has tables, and there is no database to make them in')
    tables = await migratePlugin(pool, manifest.id, migrations)
  }
  if (module.init) await within(timeoutMs, 'init did not end', Promise.resolve(module.init()))
  return { ...manifest, tools: module.tools, workflows, tables }
}

function clashes(what: string, names: string[], namesOf: (plugin: LoadedPlugin) => string[], loaded: LoadedPlugin[]): string[] {
  return names.flatMap((name, index) => {
    if (names.indexOf(name) < index) return [`the ${what} '${name}' is there twice`]
    const owner = loaded.find((plugin) => namesOf(plugin).includes(name))
    return owner ? [`the ${what} '${name}' is already brought by the plugin '${owner.id}'`] : []
  })
}

/** The message without the folders of this machine, which are nobody's business on a page. */
function reason(error: unknown, dir: string): string {
  const message = error instanceof Error ? error.message || error.name : String(error)
  return message.replaceAll(dir + path.sep, '')
}
