import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from '@/bin/testing/environment'
import { startChild } from '@/db/child'
import { freePort, runningUrl } from '@/db/embedded'

/** A whole Clew as an operator would start it: supervisor, embedded PostgreSQL, web in production mode, worker. */
export interface Stack {
  readonly url: string
  readonly dataDir: string
  /** The numbers of the processes as they are now; the web server's and the worker's change when they are started again. */
  processes(): { supervisor: number; database: number; web: number; worker: number }
  /** The application's connection to its database, as it is now. */
  databaseUrl(): string
  /** Everything that Clew wrote to its terminal so far. */
  output(): string
  /** Ends it as Ctrl-C does and removes its data. */
  stop(): Promise<void>
}

/**
 * Starts a Clew of its own on free ports and an empty data folder, and waits until its first page answers.
 * @throws {Error} with everything it wrote, when it ends before or takes longer than 120 s (it builds the pages where that was not done)
 */
export async function startStack(settings: Record<string, string> = {}): Promise<Stack> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-e2e-'))
  fs.chmodSync(dataDir, 0o711)
  const port = await freePort()
  const env = { ...cleanEnvironment(), CLEW_DATA_DIR: dataDir, PORT: String(port), ...settings }
  const child = startChild(process.execPath, ['--import', 'tsx', 'bin/start.ts'], {
    cwd: path.resolve(import.meta.dirname, '../..'),
    env,
    output: 'pipe',
  })
  let output = ''
  for (const stream of [child.process.stdout, child.process.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')))
  const stop = async () => {
    child.process.kill('SIGTERM')
    await Promise.race([child.exited, sleep(10_000, null, { ref: false })])
    await child.stop()
    fs.rmSync(dataDir, { recursive: true, force: true })
  }
  const ended = child.exited.then(() => true)
  for (const deadline = performance.now() + 120_000; !output.includes('Clew is running');) {
    const over = await Promise.race([ended, sleep(50, false)])
    if (!over && performance.now() < deadline) continue
    await stop()
    throw new Error(`Clew did not start:\n${output}`)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    dataDir,
    processes: () => JSON.parse(fs.readFileSync(path.join(dataDir, 'processes.json'), 'utf8')) as ReturnType<Stack['processes']>,
    databaseUrl: () => runningUrl(path.join(dataDir, 'pg')),
    output: () => output,
    stop,
  }
}
