import { afterEach, beforeEach, expect, it } from 'vitest'
import { beforeExit } from './before-exit'
import { createTelemetry } from './telemetry'
import { startReceiver } from './testing/receiver'

const real = process.exit
let ended: Promise<unknown>
beforeEach(() => {
  ended = new Promise((resolve) => {
    process.exit = ((code: unknown) => resolve(code)) as typeof process.exit
  })
})
afterEach(() => {
  process.exit = real
})

it('sends the spans of a process that ends right after, and ends it with the code that it had', async () => {
  const receiver = await startReceiver()
  try {
    const { ports, close } = createTelemetry(
      { LOG_LEVEL: 'silent', CLEW_ERROR_MESSAGES: false, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint },
      'web',
    )
    beforeExit(close)
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    ports.log.event('gate_resolve', { step_id: 'ask' }, { of: 'step', slug: 'x', trace, startedAt: new Date(0), endedAt: new Date(1) })
    process.exit(143)
    expect(await ended).toBe(143)
    expect(receiver.spans.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['workflow.x.step.ask', 'b'.repeat(16)]])
  } finally {
    await receiver.close()
  }
})

it('ends nevertheless when that fails', async () => {
  beforeExit(() => Promise.reject(new Error('no')))
  process.exit(1)
  expect(await ended).toBe(1)
})

it('ends nevertheless when that never ends', async () => {
  beforeExit(() => new Promise(() => {}), 1)
  process.exit(0)
  expect(await ended).toBe(0)
})
