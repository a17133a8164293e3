import path from 'node:path'
import type pg from 'pg'
import { pluginFolders } from './folders'
import { readManifest } from './manifest'
import { type MigrationFile, migratePlugin, readMigrations } from './migrations'
import { type LoadedPlugin, type LoadedWorkflow, type LoadResult, type Manifest, PluginProblem, type PluginTables } from './model'
import { importPlugin, type PluginModule, within } from './module'
import { isTransient } from './transient'
import { loadWorkflows } from './workflows'

export type LoadOptions = {
  /** The folder whose subfolders are plugins; those whose names begin with `_` or `.` are not. */
  dir: string
  /**
   * Where plugins have their tables. Should be a pool of their own: see `teamDb`. Without it, a plugin with migrations fails;
   * null asks only what plugins define: no tables are made, and no `init` is called.
   */
  pool?: pg.Pool | null
  /** How long a plugin's `index.ts`, and its `init`, may take, in milliseconds. */
  timeoutMs?: number
}

type Candidate = Manifest & { folder: string; module: PluginModule; workflows: LoadedWorkflow[]; migrations: MigrationFile[] }
type Read = { manifest: Manifest; candidate: Candidate } | { manifest: Manifest; error: string }

/** The product's own plugin: nobody takes a name from it. */
const CORE = 'core'

/**
 * Loads every plugin of a folder: manifest, module, workflows, tables. A bad one is reported with its reason and takes no other down.
 * @throws {Problem} the folder cannot be read
 * @throws when the database cannot be reached: that says nothing about a plugin
 */
export async function loadPlugins({ dir, pool, timeoutMs = 10_000 }: LoadOptions): Promise<LoadResult> {
  const reads: Read[] = []
  // One after the other: a plugin that keeps the process busy uses up its own time, not that of the next.
  for (const folder of await pluginFolders(dir)) reads.push(await read(folder, timeoutMs))
  const candidates = reads.flatMap((read) => ('candidate' in read ? [read.candidate] : []))
  const result: LoadResult = { loaded: [], failed: [] }
  for (const { manifest, ...read } of reads) {
    try {
      if ('error' in read) throw new PluginProblem(read.error)
      result.loaded.push(await admit(read.candidate, candidates, pool, timeoutMs))
    } catch (error) {
      if (!(error instanceof PluginProblem) && isTransient(error)) throw error
      result.failed.push({ ...manifest, error: reason(error, path.resolve(dir)) })
    }
  }
  return result
}

/** Everything that needs no other plugin and no database. */
async function read(folder: string, timeoutMs: number): Promise<Read> {
  const id = path.basename(folder)
  let manifest: Manifest = { id, title: id, version: '', description: '' }
  try {
    manifest = await readManifest(folder)
    const module = await importPlugin(folder, timeoutMs)
    const [workflows, migrations] = await Promise.all([loadWorkflows(folder, module.workflows), readMigrations(folder)])
    return { manifest, candidate: { ...manifest, folder, module, workflows, migrations } }
  } catch (error) {
    return { manifest, error: reason(error, path.dirname(folder)) }
  }
}

async function admit(candidate: Candidate, all: Candidate[], pool: LoadOptions['pool'], timeoutMs: number): Promise<LoadedPlugin> {
  const { folder, module, workflows, migrations, ...manifest } = candidate
  const problems = (['tool', 'job', 'workflow'] as const).flatMap((what) => clashes(what, candidate, all))
  if (problems.length > 0) throw new PluginProblem(problems.join('\n'))
  const defined = { ...manifest, tools: module.tools, jobs: module.jobs, workflows }
  if (pool === null) return { ...defined, tables: null }
  let tables: PluginTables | null = null
  if (migrations.length > 0) {
    if (!pool) throw new PluginProblem('it has tables, and there is no database to make them in')
    tables = await migratePlugin(pool, manifest.id, migrations)
  }
  const { init } = module
  if (init)
    await within(timeoutMs, 'init did not end', async () => init()).catch((error: unknown) => {
      // Whatever it was, a lost connection too, it was the plugin's: it must not look like one of our own.
      throw new PluginProblem(reason(error, path.dirname(folder)))
    })
  return { ...defined, tables }
}

const namesOf = {
  tool: ({ module }: Candidate) => module.tools.map(({ tool }) => tool.name),
  job: ({ module }: Candidate) => module.jobs.map(({ job }) => job.kind),
  workflow: ({ workflows }: Candidate) => workflows.map(({ slug }) => slug),
}

/** Of two plugins that claim a name neither gets it: who comes first must not decide, or a new folder could take over an old one's tools and jobs. */
function clashes(what: keyof typeof namesOf, candidate: Candidate, all: Candidate[]): string[] {
  const names = namesOf[what](candidate)
  return names.flatMap((name, index) => {
    if (names.indexOf(name) < index) return [`the ${what} '${name}' is there twice`]
    if (candidate.id === CORE) return []
    const others = all.filter((other) => other !== candidate && namesOf[what](other).includes(name)).map(({ id }) => id)
    if (others.includes(CORE)) return [`the ${what} '${name}' belongs to the plugin '${CORE}': give it another name`]
    if (others.length === 0) return []
    return [`the ${what} '${name}' is also brought by ${others.map((id) => `'${id}'`).join(' and ')}: only one of them may have it`]
  })
}

/** The message without the folders of this machine, which are nobody's business on a page. Takes whatever can be thrown. */
function reason(error: unknown, dir: string): string {
  return messageOf(error).replaceAll(dir + path.sep, '')
}

function messageOf(error: unknown): string {
  try {
    const message = String(error instanceof Error ? error.message || error.name : error)
    return message || 'it failed without a reason'
  } catch {
    return 'it threw something that has no text'
  }
}
