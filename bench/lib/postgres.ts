import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { startEmbedded } from '@/db/embedded'

/** A PostgreSQL of the benchmark's own, as an operator has it: `fsync` and `synchronous_commit` are on. */
export async function startPostgres() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-bench-'))
  fs.chmodSync(folder, 0o711)
  const first = await startEmbedded(path.join(folder, 'pg'))
  // The statements are counted by an extension that is loaded at the start.
  await asAdmin(first.superuserUrl, "ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
  await first.stop()
  const server = await startEmbedded(path.join(folder, 'pg'))
  await asAdmin(server.superuserUrl, 'CREATE EXTENSION pg_stat_statements')
  return {
    adminUrl: server.superuserUrl,
    version: (await asAdmin(server.superuserUrl, 'SHOW server_version'))[0]?.server_version as string,
    /** An empty database, owned by the application's role. */
    database: async (name: string) => {
      await asAdmin(server.superuserUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await asAdmin(server.superuserUrl, `CREATE DATABASE ${name} OWNER clew`)
      await asAdmin(server.superuserUrl, 'CHECKPOINT')
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return { url: url.href, drop: () => asAdmin(server.superuserUrl, `DROP DATABASE ${name} WITH (FORCE)`) }
    },
    stop: async () => {
      await server.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function asAdmin(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}
