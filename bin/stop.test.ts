import { afterEach, expect, test, vi } from 'vitest'
import { startChild } from '@/db/child'
import { stopAll } from './stop'

afterEach(() => vi.useRealTimers())

/** Takes so much of the time that it is given. */
const taking = (share: number) => {
  const given: number[] = []
  const stop = async (graceMs: number) => {
    given.push(graceMs)
    await new Promise((resolve) => setTimeout(resolve, graceMs * share))
  }
  return { given, stop }
}

test('everything is gone within 5 s, also where nothing of it ends when it is asked', async () => {
  vi.useFakeTimers()
  const [asked, database] = [Date.now(), taking(1)]
  const stopped = stopAll([taking(1), taking(1)], () => database).then(() => Date.now() - asked)
  await vi.runAllTimersAsync()
  expect(await stopped).toBeLessThan(5_000)
  expect(database.given[0]).toBeGreaterThanOrEqual(1_000)
})

test('the database has all the time that the services did not need', async () => {
  const database = taking(0)
  await stopAll([taking(0), taking(0)], () => database)
  expect(database.given[0]).toBeGreaterThan(4_000)
})

test('a process that does not end when it is asked is killed at the end of its time', async () => {
  const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1_000); console.log('ready')`
  const child = startChild(process.execPath, ['-e', stubborn], { output: 'pipe' })
  await new Promise((resolve) => child.process.stdout?.once('data', resolve))
  await child.stop(100)
  expect(child.process.signalCode).toBe('SIGKILL')
})
