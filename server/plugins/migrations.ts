import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type pg from 'pg'
import { PluginProblem, type PluginTables } from './model'
import { enter, openSchema, secureTables } from './tables'

const LOCK = 0x636c6570 // "clep": one process at a time migrates plugins, the others wait for it and then find nothing to do
/** A migration belongs to no team; no row has this one. */
const NO_TEAM = '00000000-0000-0000-0000-000000000000'

export type MigrationFile = { name: string; sql: string; checksum: string }

/**
 * The files of `migrations/`, in order; none where there is no such folder.
 * @throws {PluginProblem} a name that is not NNN_name.sql, or a number twice
 */
export async function readMigrations(folder: string): Promise<MigrationFile[]> {
  const all = await readdir(path.join(folder, 'migrations')).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const names = all.filter((name) => !name.startsWith('.')).sort()
  for (const [index, name] of names.entries()) {
    if (!/^\d{3}_[a-z0-9_]+\.sql$/.test(name)) throw new PluginProblem(`migrations/${name} must be named like 001_entries.sql`)
    const before = names[index - 1]
    if (before?.slice(0, 3) === name.slice(0, 3))
      throw new PluginProblem(`migrations/${before} and migrations/${name} have the same number`)
  }
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, 'migrations', name), 'utf8')
      // Line ends differ between checkouts, the migration does not.
      return { name, sql, checksum: createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex') }
    }),
  )
}

/**
 * Applies what is new among the migrations of a plugin and secures its tables, all or nothing. Safe from many processes at the same moment.
 * @throws {PluginProblem} names the file, or the table, and why
 */
export async function migratePlugin(pool: pg.Pool, pluginId: string, files: MigrationFile[]): Promise<PluginTables> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    const tables = await migrateLocked(client, pluginId, files)
    await client.query('COMMIT')
    return tables
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  } finally {
    // Ends the connection: what a migration may have left in the session must not reach its next user.
    client.release(true)
  }
}

async function migrateLocked(client: pg.PoolClient, pluginId: string, files: MigrationFile[]): Promise<PluginTables> {
  await client.query('CREATE SCHEMA IF NOT EXISTS clew_plugins')
  await client.query(`CREATE TABLE IF NOT EXISTS clew_plugins.migrations (
    plugin_id text NOT NULL, file text NOT NULL, checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (plugin_id, file))`)
  const applied = await client.query<{ file: string; checksum: string }>(
    'SELECT file, checksum FROM clew_plugins.migrations WHERE plugin_id = $1 ORDER BY file COLLATE "C"',
    [pluginId],
  )
  const pending = pendingAfter(applied.rows, files)
  const tables = await openSchema(client, pluginId)
  if (pending.length > 0)
    await client.query(`INSERT INTO clew_plugins.migrations (plugin_id, file, checksum) SELECT $1, * FROM unnest($2::text[], $3::text[])`, [
      pluginId,
      pending.map((file) => file.name),
      pending.map((file) => file.checksum),
    ])
  await enter(client, tables, NO_TEAM)
  for (const file of pending) await apply(client, file)
  if (pending.length > 0) await enter(client, tables, NO_TEAM)
  await secureTables(client, tables, pending.length > 0)
  return tables
}

/** What was applied must be the beginning of what there is, unchanged. */
function pendingAfter(applied: { file: string; checksum: string }[], files: MigrationFile[]): MigrationFile[] {
  for (const [index, { file, checksum }] of applied.entries()) {
    const now = files.find(({ name }) => name === file)
    if (!now) throw new PluginProblem(`migrations/${file} was applied to this database and is gone: put it back`)
    if (now.checksum !== checksum)
      throw new PluginProblem(`migrations/${file} was changed after it had been applied: put it back, and write the change as a new file`)
    const here = files[index]
    if (here && here.name !== file)
      throw new PluginProblem(`migrations/${here.name} is new but comes before ${file}, which was applied: give it a higher number`)
  }
  return files.slice(applied.length)
}

async function apply(client: pg.PoolClient, { name, sql }: MigrationFile): Promise<void> {
  const transaction = async () => (await client.query<{ id: string }>('SELECT pg_catalog.pg_current_xact_id()::text AS id')).rows[0]?.id
  const before = await transaction()
  try {
    await client.query(sql)
  } catch (cause) {
    const { message, position } = cause as pg.DatabaseError
    const line = position ? `:${sql.slice(0, Number(position)).split('\n').length}` : ''
    throw new PluginProblem(`migrations/${name}${line}: ${message}`, { cause })
  }
  if ((await transaction()) !== before)
    throw new PluginProblem(`migrations/${name} ends its transaction: leave out BEGIN, COMMIT and ROLLBACK`)
}
