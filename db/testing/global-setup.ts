import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../embedded'
import { migrate } from '../migrate'

declare module 'vitest' {
  interface ProvidedContext {
    /** Connects to the migrated template database, as the application's role. */
    templateUrl: string
    /** Connects as administrator: for tests of what row-level security does not bind. */
    superuserUrl: string
  }
}

type Server = Awaited<ReturnType<typeof startTemplate>>
/** Each project of the suites sets up by itself, all in this one process: they share the server. */
const shared = globalThis as { clewTestServer?: { starting: Promise<Server>; users: number } }

/** Starts one PostgreSQL for all database suites, with a migrated template that each of them clones, and ends it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mine = (shared.clewTestServer ??= { starting: startTemplate(), users: 0 })
  mine.users++
  const server = await mine.starting
  project.provide('templateUrl', server.url)
  project.provide('superuserUrl', server.superuserUrl)
  return async () => {
    if (--mine.users > 0) return
    delete shared.clewTestServer
    await server.stop()
  }
}

async function startTemplate() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-test-'))
  // As root without user namespaces PostgreSQL runs as somebody else, who has to reach his folder in it.
  fs.chmodSync(folder, 0o711)
  const server = await startEmbedded(path.join(folder, 'pg'), { fsync: 'off' })
  const stop = async () => {
    await server.stop()
    fs.rmSync(folder, { recursive: true, force: true })
  }
  try {
    const administrator = new Client({ connectionString: server.superuserUrl })
    await administrator.connect()
    await administrator.query('ALTER ROLE clew CREATEDB')
    await administrator.end()
    await migrate(server.url)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: server.url, superuserUrl: server.superuserUrl, stop }
}
