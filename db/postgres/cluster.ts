import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { runChild } from '../child'
import { Problem } from '../problem'
import type { Runner } from './binaries'

/** The major version of the PostgreSQL that comes with Clew, which must be the data's too. */
const MAJOR = '18'

/**
 * Makes sure that `folder` holds a database cluster (`data/`) and its administrator's password (`password`, mode 0600); returns the password.
 * A new cluster is built beside its place and moved there whole: an interrupted first start leaves nothing half-made. An existing one is only looked at.
 * @throws {Problem} when what is there is not a cluster of this version
 */
export async function ensureCluster(folder: string, runner: Runner): Promise<string> {
  if (!fs.existsSync(folder)) await createCluster(folder, runner)
  const version = read(path.join(folder, 'data', 'PG_VERSION'))
  const password = read(path.join(folder, 'password'))
  if (version === undefined || password === undefined)
    throw damaged(folder, `${version === undefined ? 'data/PG_VERSION' : 'password'} is missing`)
  if (version !== MAJOR) {
    throw new Problem(
      `The database in ${folder} was made by PostgreSQL ${version}, this Clew brings PostgreSQL ${MAJOR}: export it with the Clew that made it. Nothing was changed.`,
    )
  }
  return password
}

/** The sentence for data that cannot be used. Clew never deletes or repairs it: that is a person's decision. */
export function damaged(folder: string, detail: string): Problem {
  return new Problem(
    `The database folder ${folder} is damaged (${detail}): restore it from a backup, or move it away to start with an empty one. Nothing was changed.`,
  )
}

/** The sentence for data that belongs to another user. */
export function notOurs(folder: string, cause?: unknown): Problem {
  return new Problem(
    `Your user may not use ${folder}: start Clew as the user who owns it, or give it to yours with "chown -R". Nothing was changed.`,
    { cause },
  )
}

function read(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    if (code === 'EACCES' || code === 'EPERM') throw notOurs(file, error)
    throw error
  }
}

async function createCluster(folder: string, runner: Runner): Promise<void> {
  fs.mkdirSync(path.dirname(folder), { recursive: true })
  clearLeftovers(folder)
  const draft = `${folder}.new-${process.pid}`
  try {
    fs.mkdirSync(draft, { mode: 0o700 })
    const passwordFile = path.join(draft, 'password')
    fs.writeFileSync(passwordFile, randomBytes(32).toString('hex'), { mode: 0o600 })
    if (runner.user) for (const file of [draft, passwordFile]) fs.chownSync(file, runner.user.uid, runner.user.gid)
    // PostgreSQL's own C.UTF-8 instead of the system's: it sorts the same on every machine.
    const { command, args } = runner.command('initdb', [
      `--pgdata=${path.join(draft, 'data')}`,
      '--username=postgres',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ])
    const { code, output } = await runChild(command, args, { ...runner.user, cwd: '/', env: { ...process.env, LC_ALL: 'C' } })
    if (code !== 0) throw initProblem(folder, output)
    fs.renameSync(draft, folder)
  } catch (error) {
    fs.rmSync(draft, { recursive: true, force: true })
    // Another Clew made it at the same moment: then there is one, and who may use it is decided at the start.
    if (['ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return
    throw error
  }
}

function initProblem(folder: string, output: string): Problem {
  if (/No space left/i.test(output)) return new Problem(`The disk that holds ${folder} is full: free at least 200 MB and start again.`)
  if (/Permission denied/i.test(output))
    return new Problem(`PostgreSQL may not write to ${folder}: give your user the folder, or set CLEW_DATA_DIR to one it owns.`)
  const said = output.split('\n').findLast((line) => /error|fatal/i.test(line)) ?? output.trim().slice(-300)
  return new Problem(
    `PostgreSQL could not create its data in ${folder} ("${said.trim()}"): set CLEW_DATA_DIR to another folder, or DATABASE_URL to a server.`,
  )
}

/** Removes drafts whose maker was killed. */
function clearLeftovers(folder: string): void {
  const prefix = `${path.basename(folder)}.new-`
  for (const name of fs.readdirSync(path.dirname(folder))) {
    if (!name.startsWith(prefix) || isAlive(Number(name.slice(prefix.length)))) continue
    fs.rmSync(path.join(path.dirname(folder), name), { recursive: true, force: true })
  }
}

/** Whether a process of this number exists (whoever owns it). */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
