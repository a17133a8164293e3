import { expect, test } from 'vitest'
import { portsOf } from './ports'

const { clock } = portsOf({} as Parameters<typeof portsOf>[0])
const soon = () => clock.sleep(20).then(() => 'soon')

test('a time limit of 90 days does not ring at once, and its sleep ends when it is no longer wanted', async () => {
  const wanted = new AbortController()
  const long = clock.sleep(90 * 24 * 3_600_000, wanted.signal).then(() => 'long')
  expect(await Promise.race([long, soon()])).toBe('soon')
  wanted.abort()
  expect(await Promise.race([long, clock.sleep(5_000).then(() => 'too late')])).toBe('long')
})
