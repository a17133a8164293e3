import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { keepRunning } from './service'

/** Beats; its first life then blocks its event loop for ever. */
const PROGRAM = `
const fs = require('node:fs')
const [first, second] = process.argv.slice(1)
setInterval(() => fs.write(4, '.', () => {}), 20)
if (fs.existsSync(first)) fs.writeFileSync(second, String(process.pid))
else setTimeout(() => { fs.writeFileSync(first, String(process.pid)); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0) }, 100)`

test('a program whose event loop is blocked is killed and started again', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-service-'))
  const at = (name: string) => path.join(folder, name)
  const lives = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let started = 0
  const service = keepRunning('test program', ['-e', PROGRAM, at('first'), at('second')], process.env, {
    onStart: () => lives[started++]?.resolve(),
    silenceMs: 3_000,
  })
  try {
    await lives[1]?.promise
    expect(fs.existsSync(at('first'))).toBe(true)
    await written(at('second'))
    expect(Number(fs.readFileSync(at('second'), 'utf8'))).toBe(service.pid())
    expect(started).toBe(2)
  } finally {
    await service.stop(4_000)
    fs.rmSync(folder, { recursive: true })
  }
})

async function written(file: string): Promise<void> {
  while (!fs.existsSync(file) || fs.readFileSync(file, 'utf8') === '') await new Promise((resolve) => setTimeout(resolve, 20))
}
