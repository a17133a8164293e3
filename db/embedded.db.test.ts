import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded'
import { Problem } from './problem'

let home: string
let folder: string
let servers: Embedded[]
const start = async (options: EmbeddedOptions = {}) => {
  const server = await startEmbedded(folder, options)
  servers.push(server)
  return server
}

// One cluster, made once; each test starts from a copy of it.
beforeAll(async () => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-embedded-'))
  fs.chmodSync(home, 0o711)
  await (await startEmbedded(path.join(home, 'original'), { fsync: 'off' })).stop()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))
beforeEach(() => {
  servers = []
  folder = path.join(home, 'pg')
  execFileSync('cp', ['-a', path.join(home, 'original'), folder]) // keeps owners and modes, which PostgreSQL checks
})
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()))
  fs.rmSync(folder, { recursive: true, force: true })
})

async function run(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows as unknown[]
  } finally {
    await client.end()
  }
}

test('what was committed is there after kill -9 of the server', async () => {
  const first = await start()
  await run(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer')
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const second = await start()
  expect(await run(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
})

test('a wrong password is refused, also for the administrator', async () => {
  const { url, superuserUrl } = await start()
  for (const good of [url, superuserUrl]) {
    const bad = new URL(good)
    bad.password = 'wrong'
    await expect(run(bad.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/)
  }
  expect(fs.statSync(path.join(folder, 'password')).mode & 0o077).toBe(0)
})

test('a second owner of the same data is refused while the first is there', async () => {
  await start()
  await expect(start()).rejects.toThrow(/Another Clew is already running on the data folder/)
})

test('a stale postmaster.pid that names a living stranger does not keep it from starting', async () => {
  fs.writeFileSync(path.join(folder, 'data', 'postmaster.pid'), `${process.ppid}\n${folder}/data\n1\n5432\n\n127.0.0.1\n`)
  const server = await start()
  expect(await run(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
})

test.each([
  ['an emptied control file', (data: string) => fs.truncateSync(path.join(data, 'global/pg_control'))],
  ['a missing version file', (data: string) => fs.rmSync(path.join(data, 'PG_VERSION'))],
])('%s: it says so and changes nothing', async (_, damage) => {
  const files = () =>
    fs
      .readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => !file.endsWith('postmaster.pid'))
      .sort()
  damage(path.join(folder, 'data'))
  const before = files()
  const failure = await start().catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Problem)
  expect((failure as Problem).message).toMatch(/is damaged \(.+\): restore it from a backup/)
  expect(files()).toEqual(before)
})
