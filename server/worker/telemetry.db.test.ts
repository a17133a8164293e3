import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { createTelemetry } from '@/server/observability/telemetry'
import { attributeOf, startReceiver } from '@/server/observability/testing/receiver'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { openHarness } from '@/server/store/postgres/testing/harness'
import { killWorker, startWorker } from './testing/worker'

const CANARY = 'canary-93b1'

const specOf = (folder: string) => ({
  spec: 1,
  slug: 'suite',
  title: 'Suite',
  steps: [
    {
      id: 'hold',
      uses: 'tool:probe.hold',
      after: [],
      with: { calls: path.join(folder, 'calls'), until: path.join(folder, 'go') },
      retry: { base_seconds: 0.01 },
    },
    { id: 'ask', uses: 'approve', after: ['hold'], role: 'manager', message: CANARY },
    { id: 'fail', uses: 'tool:probe.fail', after: ['ask.approved'], with: { text: CANARY } },
  ],
})

it('makes one trace of a run that a lost worker and a gate interrupted, and keeps data out of it and out of the logs', async () => {
  const h = await openHarness()
  const receiver = await startReceiver()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), `clew-${CANARY}-`))
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint }
  const worker = () => startWorker(h.url, undefined, env)
  const web = createTelemetry({ LOG_LEVEL: 'silent', CLEW_ERROR_MESSAGES: false, ...env }, 'web')
  const engine = testEngine(h, undefined, web.ports)
  const workers = [await worker()]
  try {
    const { definition, principal, managerId } = await h.seed(JSON.stringify(specOf(folder)))
    await h.pool.query(`INSERT INTO memberships (team_id, user_id, level) VALUES ($1, $2, 'member')`, [principal.teamId, principal.userId])
    const runId = await engine.start({ definition, principal, input: {} })
    const calls = () => fs.readFile(path.join(folder, 'calls'), 'utf8').catch(() => '')
    await eventually(async () => ((await calls()) === '' ? undefined : true), 30, 'the handler is called')
    await killWorker(workers[0]!)
    workers.push(await worker())
    await fs.writeFile(path.join(folder, 'go'), '')
    const gate = await eventually(
      async () => (await h.pool.query<{ id: string }>('SELECT id FROM gates WHERE run_id = $1', [runId])).rows[0],
      60,
      'the gate is open',
    )
    const decided = await engine.decideGate(gate.id, { userId: managerId, decision: 'approve', comment: CANARY, channel: 'web' })
    expect(decided).toMatchObject({ ok: true })
    await eventually(async () => receiver.spans.find((span) => span.name === 'workflow.suite'), 30, 'the run has ended')
    await workers[1]!.stop()
    await web.close()

    const spans = receiver.spans.filter((span) => attributeOf(span, 'run_id') === runId)
    const run = spans.find((span) => span.name === 'workflow.suite')
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(1)
    const children = spans.filter((span) => span.parentSpanId === run?.spanId)
    const told = children.map((span) => `${span.name.split('.').at(-1)} ${attributeOf(span, 'attempt') ?? attributeOf(span, 'port')}`)
    expect(told.toSorted()).toEqual(['ask approved', 'fail 1', 'hold 2'])
    expect(spans).toHaveLength(children.length + 1)

    const said = workers.map((one) => one.said()).join('')
    expect(said).toContain('a promise was rejected and nobody looked')
    for (const text of [said, receiver.received()]) expect(text).not.toContain(CANARY)
  } finally {
    await Promise.all(workers.map((one) => one.stop()))
    await receiver.close()
    await h.close()
    await fs.rm(folder, { recursive: true })
  }
}, 180_000)
