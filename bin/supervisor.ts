import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedded, startEmbedded } from '@/db/embedded'
import { damaged } from '@/db/postgres/cluster'
import { HEARTBEAT_FD } from '@/db/heartbeat'
import { Problem } from '@/db/problem'
import { build, builtFrom, isBuilt, next } from './build'
import { complain, errorCodes, onEnd, say, sayWhile, warn } from './console'
import { checkDatabase } from './external'
import { checkPort } from './ports'
import { keepRunning, type Service } from './service'
import { readSettings, type Settings } from './settings'
import { stopAll } from './stop'

/** A worker whose event loop is blocked for so long is killed: a handler that never yields would hold up every other step it has. */
const WORKER_SILENCE_MS = 30_000

/** A worker waits no longer than this for the first page. */
const PAGE_FIRST_MS = 4_000

/** What runs now, in the order of its start; it is stopped in the opposite order. */
interface Running {
  database: Embedded | null
  services: Service[]
  stopping: boolean
}

/** Runs Clew until a signal: database, web and worker, each started again when it dies. Ends this process: 0 after a signal, 1 after a failure. */
export async function supervise({ dev }: { dev: boolean }): Promise<void> {
  const running: Running = { database: null, services: [], stopping: false }
  const end = async (code: number) => {
    if (running.stopping) return
    running.stopping = true
    await stopAll(running.services, () => running.database)
    process.exit(code)
  }
  onEnd(() => {
    say('\nStopping Clew …')
    void end(0)
  })
  try {
    await start(readSettings(process.env), dev, running)
  } catch (error) {
    if (running.stopping) return // the failure is our own stopping
    complain(error)
    await end(1)
  }
}

async function start(settings: Settings, dev: boolean, running: Running): Promise<void> {
  await checkPort(settings.port, settings.host)
  const databaseUrl = await startDatabase(settings, running)
  if (!dev && !isBuilt()) await sayWhile('Building the pages (once per version, about half a minute) …', build)
  if (running.stopping) return
  const services = servicesOf(settings, databaseUrl, dev, running)
  // This very version brought this database up to date before, and nobody else's machine can reach it: people need not wait until that is seen again.
  const isKnown = !dev && settings.loopback && !settings.databaseUrl && preparedBy(settings) === builtFrom()
  if (isKnown) services.startWeb()
  const { prepare } = await import('@/db/prepare')
  // Late, because the demo's passwords are known only now: little can still go wrong before they are shown.
  say('Bringing the database up to date …')
  const prepared = await prepare({
    databaseUrl,
    demo: isDemo(settings),
    secret: settings.secret,
    pluginsDir: process.env.CLEW_PLUGINS_DIR || undefined,
  }).catch((error: Error) => {
    // SQLSTATE XX…: PostgreSQL cannot read its own files.
    const broken = !settings.databaseUrl && errorCodes(error).some((code) => code.startsWith('XX'))
    throw broken ? damaged(databaseFolder(settings), `PostgreSQL says: ${error.message}`) : error
  })
  refusePublicDemo(settings, prepared.demoPresent)
  if (running.stopping) return
  if (!prepared.pluginsListed)
    warn(
      'The plugins could not be loaded ahead of the worker, perhaps because one of them ends or holds up its process; the worker tries again.',
    )
  if (!isKnown) services.startWeb()
  if (!isKnown && !dev && !settings.databaseUrl) rememberPrepared(settings)
  const page = firstPage(settings, running)
  // The worker loads as much as the web server does: both at once would keep people waiting for the first page.
  await Promise.race([page, sleep(PAGE_FIRST_MS, null, { ref: false })])
  if (running.stopping) return
  services.startWorker()
  await page
  if (running.stopping) return
  say(`\nClew is running: ${settings.publicUrl}`)
  if (prepared.setupToken)
    say(`\nSet up your organisation (this link works once):\n  ${settings.publicUrl}/setup?token=${prepared.setupToken}`)
  sayAccounts(prepared.demoAccounts)
  say('\nCtrl-C stops it.')
}

/** Says which build last brought the embedded database up to date. */
const preparedFile = (settings: Settings) => path.join(databaseFolder(settings), 'prepared-by')
const preparedBy = (settings: Settings): string =>
  fs.existsSync(preparedFile(settings)) ? fs.readFileSync(preparedFile(settings), 'utf8') : ''

/** Forgotten, it costs the next start a second: no reason to end this one. */
function rememberPrepared(settings: Settings): void {
  try {
    fs.writeFileSync(preparedFile(settings), builtFrom() ?? '')
  } catch (error) {
    complain(error)
  }
}

const databaseFolder = (settings: Settings) => path.join(settings.dataDir, 'pg')

/** Demo accounts exist on an embedded database that only this machine can reach, and nowhere else. */
const isDemo = (settings: Settings) => !settings.databaseUrl && settings.loopback

/** Anybody could sign in with the demo accounts: they must stay on this machine. */
function refusePublicDemo(settings: Settings, demoPresent: boolean): void {
  if (settings.loopback || !demoPresent) return
  throw new Problem(
    'This database holds the demo accounts, which must not be reachable from other machines: leave CLEW_HOST and CLEW_PUBLIC_URL out, or start with an empty data folder (CLEW_DATA_DIR) or a database of your own (DATABASE_URL).',
  )
}

async function startDatabase(settings: Settings, running: Running): Promise<string> {
  if (settings.databaseUrl) {
    say('Connecting to the PostgreSQL at DATABASE_URL …')
    await checkDatabase(settings.databaseUrl)
    return settings.databaseUrl
  }
  const folder = databaseFolder(settings)
  say(fs.existsSync(folder) ? 'Starting the database …' : 'Making a database (PostgreSQL, in the data folder) …')
  running.database = await startEmbedded(folder)
  void keepDatabase(folder, running)
  return running.database.url
}

/** Starts the embedded database again, on the same port, whenever it ends without being asked to. */
async function keepDatabase(folder: string, running: Running): Promise<void> {
  while (running.database) {
    const { exited, port } = running.database
    const log = await exited
    if (running.stopping) return
    warn(`The database ended; starting it again. Its last words:\n${log.trim().slice(-600)}`)
    try {
      running.database = await startEmbedded(folder, { port })
      if (running.stopping) await running.database.stop()
    } catch (error) {
      complain(error)
      await sleep(2_000)
    }
  }
}

/** The web server and the worker, each to be started once, in this order. */
function servicesOf(settings: Settings, databaseUrl: string, dev: boolean, running: Running) {
  const env = {
    ...process.env,
    DATABASE_URL: databaseUrl,
    CLEW_SECRET: settings.secret,
    CLEW_PUBLIC_URL: settings.publicUrl,
    CLEW_HOST: settings.host,
    PORT: String(settings.port),
    CLEW_DEMO: isDemo(settings) ? '1' : '0',
    NEXTAUTH_URL: settings.publicUrl,
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
  }
  const record = () => recordProcesses(settings, running)
  const web = [next, dev ? 'dev' : 'start', '-H', settings.host, '-p', String(settings.port)]
  const worker = dev
    ? ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'server/worker/main.ts']
    : ['--import', 'tsx', 'server/worker/main.ts']
  // With reload, the worker is a child of what we start.
  const watched = dev ? {} : { silenceMs: WORKER_SILENCE_MS }
  const workerEnv = dev ? env : { ...env, CLEW_HEARTBEAT_FD: String(HEARTBEAT_FD) }
  return {
    startWeb: () => {
      say(dev ? 'Starting the web server and the worker, with reload …' : 'Starting the web server and the worker …')
      running.services.push(keepRunning('web server', web, env, { onStart: record }))
    },
    startWorker: () => {
      running.services.push(keepRunning('worker', worker, workerEnv, { onStart: record, ...watched }))
      record()
    },
  }
}

/** Writes down which processes run, for people and tests that want to look at or kill one of them. */
function recordProcesses(settings: Settings, running: Running): void {
  if (running.services.length < 2 || settings.databaseUrl) return
  const [web, worker] = running.services.map((service) => service.pid())
  const facts = { url: settings.publicUrl, supervisor: process.pid, database: running.database?.pid ?? null, web, worker }
  try {
    fs.writeFileSync(path.join(settings.dataDir, 'processes.json'), JSON.stringify(facts))
  } catch (error) {
    complain(error) // a full disk, perhaps; what runs goes on running
  }
}

/** Waits until the first page really answers. */
async function firstPage(settings: Settings, running: Running): Promise<void> {
  const host =
    settings.host === '0.0.0.0'
      ? '127.0.0.1'
      : settings.host === '::'
        ? '[::1]'
        : settings.host.includes(':')
          ? `[${settings.host}]`
          : settings.host
  const complaint = setTimeout(
    () => warn('The web server still does not answer: its messages above may say why. Clew keeps trying.'),
    60_000,
  )
  while (!running.stopping) {
    const status = await fetch(`http://${host}:${settings.port}/`, { redirect: settings.loopback ? 'follow' : 'manual' }).then(
      (response) => response.status,
      () => 0,
    )
    if (status > 0 && status < 500) break
    await sleep(100)
  }
  clearTimeout(complaint)
}

function sayAccounts(accounts: { email: string; name: string; role: string; password: string | null }[]): void {
  if (accounts.length === 0) return
  const fresh = accounts.some((account) => account.password)
  say(
    fresh
      ? '\nDemo accounts (the passwords are shown this once; on the sign-in page one click is enough):'
      : '\nDemo accounts (one click on the sign-in page is enough):',
  )
  const width = (key: 'name' | 'email' | 'role') => Math.max(...accounts.map((account) => account[key].length))
  for (const { name, email, role, password } of accounts) {
    say(`  ${name.padEnd(width('name'))}  ${email.padEnd(width('email'))}  ${role.padEnd(width('role'))}  ${password ?? ''}`.trimEnd())
  }
}
