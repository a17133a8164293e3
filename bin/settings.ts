import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { Problem } from '@/db/problem'

export interface Settings {
  port: number
  host: string
  publicUrl: string
  dataDir: string
  /** A server to use instead of the embedded one. */
  databaseUrl: string | undefined
  secret: string
  /** Whether both the address Clew listens on and the address people use are this machine's own. */
  loopback: boolean
}

/**
 * Reads and checks what the operator set, before anything is started.
 * @throws {Problem} one sentence that says what to do
 */
export function readSettings(variables: NodeJS.ProcessEnv): Settings {
  const port = readPort(variables.PORT || '3000')
  const host = variables.CLEW_HOST || '127.0.0.1'
  const publicUrl = readPublicUrl(variables.CLEW_PUBLIC_URL || `http://127.0.0.1:${port}`)
  const dataDir = path.resolve(variables.CLEW_DATA_DIR || '.data')
  const databaseUrl = variables.DATABASE_URL || undefined
  if (databaseUrl && !variables.CLEW_SECRET) {
    throw new Problem(
      'DATABASE_URL is set but CLEW_SECRET is not: set CLEW_SECRET to at least 32 random characters (for example from "openssl rand -hex 32") and keep it with the database.',
    )
  }
  if (!databaseUrl) prepareFolder(dataDir)
  const secret = variables.CLEW_SECRET || keptSecret(dataDir)
  if (secret.length < 32) throw new Problem('CLEW_SECRET is too short: it must have at least 32 characters.')
  return { port, host, publicUrl, dataDir, databaseUrl, secret, loopback: isLoopback(host) && isLoopback(new URL(publicUrl).hostname) }
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new Problem(`PORT is not a port number: set it to a number from 1 to 65535, such as PORT=3000.`)
  return port
}

function readPublicUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new Problem('CLEW_PUBLIC_URL is not an address: set it to the full address people use, such as https://clew.example.com.')
  }
  return text.replace(/\/+$/, '')
}

/** Whether a host name or address can only mean this machine. */
function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare === '::1' || (net.isIPv4(bare) && bare.startsWith('127.'))
}

/** Makes the data folder and checks that it can be written and has room. */
function prepareFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
    const probe = path.join(dataDir, `.probe-${process.pid}`)
    fs.writeFileSync(probe, '')
    fs.rmSync(probe)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw full(dataDir)
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      throw new Problem(
        `Clew may not write to its data folder ${dataDir}: give it to your user ("chown -R"), or set CLEW_DATA_DIR to a folder it owns.`,
      )
    }
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new Problem(`The data folder ${dataDir} is not a folder: move that file away, or set CLEW_DATA_DIR.`)
    throw new Problem(
      `The data folder ${dataDir} cannot be made (${code ?? String(error)}): set CLEW_DATA_DIR to a folder on an ordinary disk.`,
    )
  }
  const { bavail, bsize } = fs.statfsSync(dataDir)
  if (bavail * bsize < 200 * 1024 * 1024) throw full(dataDir)
}

/** One folder after the other: Node's own recursive way never ends where the system refuses folders, as below /proc. */
function makeFolder(folder: string): void {
  if (fs.existsSync(folder)) return
  makeFolder(path.dirname(folder))
  fs.mkdirSync(folder, { mode: 0o711 })
}

const full = (folder: string) =>
  new Problem(
    `The disk that holds ${folder} is full: free at least 200 MB and start again, or set CLEW_DATA_DIR to another disk. Nothing was lost.`,
  )

/** The embedded database's secret: made at the first start, kept beside the data, readable by its owner only. */
function keptSecret(dataDir: string): string {
  const file = path.join(dataDir, 'secret')
  try {
    fs.writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    const secret = fs.readFileSync(file, 'utf8').trim()
    if (secret.length >= 32) return secret
  } catch (error) {
    throw new Problem(`Clew may not read ${file}: start it as the user who owns the data folder.`, { cause: error })
  }
  throw new Problem(
    `The secret in ${file} is damaged: restore the file from a backup (without it, stored secrets cannot be read). Nothing was changed.`,
  )
}
