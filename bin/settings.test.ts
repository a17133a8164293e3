import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readSettings as read } from './settings'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-settings-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))
const at = (name: string) => path.join(folder, name)
const readSettings = (variables: Record<string, string>) => read(variables as NodeJS.ProcessEnv)
const LONG = 'x'.repeat(32)

it('makes the data folder and a secret that only its owner reads, and finds the same again', () => {
  const made = readSettings({ CLEW_DATA_DIR: at('a/b') })
  expect(fs.statSync(at('a/b/secret')).mode & 0o777).toBe(0o600)
  expect(readSettings({ CLEW_DATA_DIR: at('a/b') })).toEqual(made)
})

it('binds to this machine alone unless told otherwise', () => {
  expect(readSettings({ CLEW_DATA_DIR: at('c') })).toMatchObject({ host: '127.0.0.1', loopback: true })
  expect(readSettings({ CLEW_DATA_DIR: at('c'), CLEW_HOST: '0.0.0.0' }).loopback).toBe(false)
  expect(readSettings({ CLEW_DATA_DIR: at('c'), CLEW_PUBLIC_URL: 'https://clew.example.com' }).loopback).toBe(false)
})

it.each<[string, Record<string, string>, RegExp]>([
  ['a port that is none', { PORT: 'abc' }, /PORT is not a port number/],
  ['a port out of range', { PORT: '70000' }, /PORT is not a port number/],
  ['a public address that is none', { CLEW_PUBLIC_URL: 'clew' }, /CLEW_PUBLIC_URL is not an address/],
  ['an external database without a secret', { DATABASE_URL: 'postgres://x@127.0.0.1/x' }, /CLEW_SECRET is not/],
  ['a short secret', { DATABASE_URL: 'postgres://x@127.0.0.1/x', CLEW_SECRET: 'short' }, /CLEW_SECRET is too short/],
  ['a data folder that is a file', { CLEW_DATA_DIR: '/etc/hosts' }, /is not a folder/],
])('refuses %s with one sentence', (_what, variables, sentence) => {
  expect(() => readSettings({ CLEW_DATA_DIR: at('d'), ...variables })).toThrow(sentence)
})

// Node's own recursive mkdir never returns here; a test of it would hang, not fail, without the fix.
it.runIf(process.platform === 'linux')('refuses a data folder that the system will not have, at once', () => {
  expect(() => readSettings({ CLEW_DATA_DIR: '/proc/clew/data' })).toThrow(/cannot be made/)
})

it('takes an external database with a secret, and makes no folder for it', () => {
  const settings = readSettings({
    DATABASE_URL: 'postgres://x@127.0.0.1/x',
    CLEW_SECRET: LONG,
    CLEW_DATA_DIR: at('e'),
  })
  expect(settings).toMatchObject({ databaseUrl: 'postgres://x@127.0.0.1/x', secret: LONG })
  expect(fs.existsSync(at('e'))).toBe(false)
})
