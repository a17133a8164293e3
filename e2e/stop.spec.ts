import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from '@/bin/testing/environment'
import { freePort } from '@/db/embedded'
import { expect, test } from '@playwright/test'

/** What a start says, in this order: Ctrl-C comes a moment after one of them. */
const lines = ['Making a database', 'Bringing the database up to date', 'Starting the web server and the worker', 'Clew is running']
const ROUNDS = Number(process.env.CLEW_CHAOS_ROUNDS ?? 1)

/** Ends a whole process group as Ctrl-C in a terminal does. */
const interrupt = (pid: number) => process.kill(-pid, 'SIGINT')

/** The processes that work for this data folder: told it by their environment, or standing in it, as PostgreSQL's do. */
function processesOf(folder: string): string[] {
  if (!fs.existsSync('/proc/self/environ')) {
    const all = execFileSync('ps', ['axeww', '-o', 'pid=,command='], { encoding: 'utf8', maxBuffer: 100_000_000 })
    return all.split('\n').filter((line) => line.includes(folder))
  }
  return fs.readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      return (
        fs.readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder) ||
        fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder) ||
        fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      )
    } catch {
      return false // gone meanwhile, or somebody else's
    }
  })
}

test.describe('Ctrl-C while Clew starts', () => {
  let folder: string

  test.beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-stop-'))
    fs.chmodSync(folder, 0o711)
  })
  test.afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

  test(`ends everything at any moment, and the next start goes on from there (${ROUNDS} × ${lines.length})`, async () => {
    test.setTimeout(ROUNDS * 300_000)
    const env = { ...cleanEnvironment(), CLEW_DATA_DIR: folder, PORT: String(await freePort()) } as unknown as NodeJS.ProcessEnv
    for (let round = 0; round < ROUNDS; round++)
      for (const line of lines.slice(round === 0 ? 0 : 1)) {
        const clew = spawn(process.execPath, ['bin/bootstrap.mjs', 'start'], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
        const ended = new Promise<number | null>((resolve) => clew.once('exit', resolve))
        let output = ''
        const said = new Promise<void>((resolve) => {
          const listen = (chunk: Buffer) => {
            output += chunk.toString('utf8')
            if (output.includes(line)) resolve()
          }
          clew.stdout.on('data', listen)
          clew.stderr.on('data', listen)
        })
        await Promise.race([said, ended])
        expect(output).toContain(line)
        await sleep(Math.random() * 700)

        interrupt(clew.pid as number)
        await ended
        // It takes 5 s at the most on a machine that does nothing else.
        await expect.poll(() => processesOf(folder), { message: `${line}\n${output}`, timeout: 20_000 }).toEqual([])
      }
  })
})
