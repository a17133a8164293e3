import { createServer, type Server } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { runChild } from '@/db/child'
import { startReceiver } from './testing/receiver'

const TRACE = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
const ends = (endpoint: string) =>
  runChild(process.execPath, ['--import', 'tsx', 'server/observability/testing/ends.ts', endpoint, TRACE], { cwd: process.cwd() })

it('sends the spans of a process that is ended right after, and ends it with the code that it had', async () => {
  const receiver = await startReceiver()
  try {
    expect(await ends(receiver.endpoint)).toEqual({ code: 143, output: '' })
    expect(receiver.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['workflow.suite.step.ask', 'b'.repeat(16)]])
  } finally {
    await receiver.close()
  }
})

it('does not wait for ever for somebody who takes spans and never answers', async () => {
  const silent = await new Promise<Server>((resolve) => {
    const server = createServer(() => {}).listen(0, '127.0.0.1', () => resolve(server))
  })
  const since = Date.now()
  expect(await ends(`http://127.0.0.1:${(silent.address() as AddressInfo).port}`)).toMatchObject({ code: 143 })
  expect(Date.now() - since).toBeLessThan(3_000)
  silent.close()
})
