import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Child, startChild } from './child'
import { findRunner, type Runner } from './postgres/binaries'
import { damaged, ensureCluster, isAlive, notOurs } from './postgres/cluster'
import { applicationUrl, claim, ensureRole, superuserUrl } from './postgres/roles'
import { Problem } from './problem'

export interface EmbeddedOptions {
  /** Only for data that may be lost, such as a test's: do not wait for the disk. */
  fsync?: 'on' | 'off'
  /** The port to use again after a crash, so that open connection strings stay true; else a free one is taken. */
  port?: number
}

export interface Embedded {
  /** Connects to the database `clew` as the role `clew`, which owns it and is bound by row-level security. */
  readonly url: string
  /** Connects to the database `postgres` as administrator. Not for the application. */
  readonly superuserUrl: string
  readonly port: number
  readonly pid: number
  /** Settles when the server has ended, with the last lines it wrote. */
  readonly exited: Promise<string>
  /** Ends it in order; one that takes longer than this is killed, and repairs itself when it is started again. */
  stop(graceMs?: number): Promise<void>
}

/**
 * Starts the PostgreSQL that comes with Clew on the data in `folder` (made when missing), on 127.0.0.1, with a password, as root or not.
 * The server ends with this process. One that an earlier process left behind is stopped and started anew; one that is in use is refused.
 * @throws {Problem} one sentence that says what to do; the data is never deleted
 */
export async function startEmbedded(folder: string, options: EmbeddedOptions = {}): Promise<Embedded> {
  const place = path.resolve(folder)
  const runner = findRunner(place)
  const password = await ensureCluster(place, runner)
  await takeOver(place, password)
  const deadline = Date.now() + 15_000
  for (;;) {
    const port = options.port ?? (await freePort())
    const { child, ready, log } = await launch(place, runner, port, options)
    if (ready) return await open(place, child, password, port, log)
    const said = log()
    if (/lock file .* already exists/.test(said)) await takeOver(place, password)
    // The last backends of a killed server are still leaving, or somebody took the port: again, for a while.
    else if (!/shared memory block|could not bind|Address already in use/i.test(said)) throw startProblem(place, said)
    if (Date.now() > deadline) throw startProblem(place, said)
    await sleep(100)
  }
}

/** The application's connection string of the embedded server that runs on `folder` now, for tools and tests beside a running Clew. */
export function runningUrl(folder: string): string {
  const password = fs.readFileSync(path.join(folder, 'password'), 'utf8').trim()
  const port = Number(fs.readFileSync(path.join(folder, 'data', 'postmaster.pid'), 'utf8').split('\n')[3])
  return applicationUrl(password, port)
}

async function open(folder: string, child: Child, password: string, port: number, log: () => string): Promise<Embedded> {
  let owner: Client | null = null
  try {
    owner = await claim(password, port)
    if (!owner) throw inUse(folder)
    await ensureRole(owner, password)
  } catch (error) {
    await child.stop()
    if (error instanceof Problem) throw error
    throw damaged(folder, (error as Error).message)
  }
  return {
    url: applicationUrl(password, port),
    superuserUrl: superuserUrl(password, port),
    port,
    pid: child.pid,
    exited: child.exited.then(log),
    stop: async (graceMs) => {
      // Not waited for: a server that does not answer would hold up its own end.
      void owner?.end().catch(() => {})
      await child.stop(graceMs)
    },
  }
}

/** Starts the server and waits until it is ready or has ended. `log` gives the last lines that it wrote. */
async function launch(folder: string, runner: Runner, port: number, { fsync = 'on' }: EmbeddedOptions) {
  const settings: Record<string, string | number> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 100,
    password_encryption: 'scram-sha-256',
    lc_messages: 'C',
    // Statements and rows may hold people's data: the log names the error only.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...(fsync === 'off' ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args } = runner.command('postgres', ['-D', path.join(folder, 'data'), '-p', String(port), ...flags])
  // SIGINT is PostgreSQL's "fast" end: open transactions are rolled back, everything is written.
  const child = startChild(command, args, {
    ...runner.user,
    cwd: '/',
    env: { ...process.env, LC_ALL: 'C', PGDATA: '' },
    output: 'pipe',
    stopSignal: 'SIGINT',
  })
  let tail = ''
  const ready = await new Promise<boolean>((resolve) => {
    const listen = (chunk: Buffer) => {
      tail = (tail + chunk.toString('utf8')).slice(-8_000)
      if (/database system is ready to accept connections/.test(tail)) resolve(true)
    }
    child.process.stdout?.on('data', listen)
    child.process.stderr?.on('data', listen)
    child.process.once('close', () => resolve(false))
    child.process.once('error', () => resolve(false))
  })
  return { child, ready, log: () => tail }
}

/** Ends a server that still runs on this data although nobody owns it, and makes a stale `postmaster.pid` harmless. */
async function takeOver(folder: string, password: string): Promise<void> {
  const file = path.join(folder, 'data', 'postmaster.pid')
  for (const deadline = Date.now() + 15_000; Date.now() < deadline; await sleep(100)) {
    if (!fs.existsSync(file)) return
    const lines = fs.readFileSync(file, 'utf8').split('\n')
    const [pid, port] = [Number(lines[0]), Number(lines[3])]
    if (!isAlive(pid)) return
    if (!isPostgres(pid)) {
      // After a reboot the number may belong to anything. Naming a process that cannot exist keeps the rest of PostgreSQL's own check.
      fs.writeFileSync(file, ['2147483646', ...lines.slice(1)].join('\n'))
      return
    }
    const owner = await claim(password, port).catch(() => undefined)
    if (owner === null) throw inUse(folder)
    if (owner === undefined) continue // starting, or on its way out
    await owner.end().catch(() => {})
    process.kill(pid, 'SIGINT')
  }
  throw new Problem(
    `A PostgreSQL server that does not answer runs on ${folder}: end process ${fs.readFileSync(file, 'utf8').split('\n')[0]} and start again.`,
  )
}

const inUse = (folder: string) =>
  new Problem(
    `Another Clew is already running on the data folder ${path.dirname(folder)}: stop it first, or set CLEW_DATA_DIR to another folder.`,
  )

function isPostgres(pid: number): boolean {
  try {
    const command =
      process.platform === 'linux'
        ? fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
        : execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' })
    return /postgres/.test(command)
  } catch {
    return false
  }
}

function startProblem(folder: string, log: string): Problem {
  if (/No space left/i.test(log))
    return new Problem(`The disk that holds ${folder} is full: free at least 200 MB and start again. Nothing was lost.`)
  if (/wrong ownership|Permission denied|invalid permissions/i.test(log)) return notOurs(folder)
  const said =
    log.split('\n').findLast((line) => /FATAL|PANIC|could not|error/.test(line)) ?? (log.trim().slice(-300) || 'it ended without a word')
  return damaged(folder, `PostgreSQL says: ${said.replace(/^.*?(FATAL|PANIC|LOG):\s*/, '').trim()}`)
}

/** A TCP port of 127.0.0.1 that nobody uses now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo
      server.close(() => resolve(port))
    })
  })
}
