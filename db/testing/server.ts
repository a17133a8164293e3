import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { type Embedded, startEmbedded } from '../embedded'
import { migrate } from '../migrate'

/** A migrated PostgreSQL of the caller's own, to be treated badly: a commit that it has confirmed survives `kill`. */
export async function ownServer() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-own-'))
  fs.chmodSync(folder, 0o711)
  const place = path.join(folder, 'pg')
  let server: Embedded = await startEmbedded(place)
  const { url, port, superuserUrl } = server
  await migrate(url)
  const asAdministrator = async (...statements: string[]) => {
    const client = new Client({ connectionString: superuserUrl })
    client.on('error', () => {})
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  return {
    url,
    asAdministrator,
    /** `kill -9`, and gone. */
    async kill(): Promise<void> {
      process.kill(server.pid, 'SIGKILL')
      await server.exited
    },
    /** Again on the same data and port. */
    async start(): Promise<void> {
      server = await startEmbedded(place, { port })
    },
    /** Ends every connection of the application, also those that listen. */
    cut: () => asAdministrator(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'clew'`),
    async remove(): Promise<void> {
      await server.stop()
      fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}
