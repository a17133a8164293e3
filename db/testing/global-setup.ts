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

/** Starts one PostgreSQL for all database suites, with a migrated template that each of them clones, and ends it after the last. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-test-'))
  // As root without user namespaces PostgreSQL runs as somebody else, who has to reach his folder in it.
  fs.chmodSync(folder, 0o711)
  const server = await startEmbedded(path.join(folder, 'pg'), { fsync: 'off' })
  const teardown = async () => {
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
    await teardown()
    throw error
  }
  project.provide('templateUrl', server.url)
  project.provide('superuserUrl', server.superuserUrl)
  return teardown
}
