import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { says, startModelServer } from '@/server/agents/testing/model-server'
import { eventually } from '@/server/store/postgres/testing/eventually'
import { testEngine } from '@/server/store/postgres/testing/engine'
import { openHarness } from '@/server/store/postgres/testing/harness'
import { killWorker, startWorker } from './testing/worker'

it('after kill -9 in the middle of a turn no recorded reply is asked for again, and its call is made again under the same key', async () => {
  const h = await openHarness()
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'clew-agent-'))
  const files = { calls: path.join(folder, 'calls'), until: path.join(folder, 'go') }
  const calls = async () => (await fs.readFile(files.calls, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  const called = (times: number) => eventually(async () => ((await calls()).length === times ? true : undefined), 60, `${times} calls`)
  const server = await startModelServer((response, { body }) => {
    const answered = (body.messages as { role: string }[]).some(({ role }) => role === 'tool')
    says(response, answered ? { content: 'held' } : { calls: [{ name: 'probe-hold', arguments: JSON.stringify(files) }] })
  })
  const env = { CLEW_AI_BASE_URL: server.baseUrl, CLEW_AI_MODEL: 'm' }
  const start = () => startWorker(h.url, undefined, env)
  const workers = [await start()]
  try {
    const step = {
      id: 'ask',
      uses: 'agent',
      after: [],
      goal: 'Hold it',
      tools: ['probe.hold'],
      unattended: true,
      retry: { base_seconds: 0.01 },
    }
    const { definition, principal } = await h.seed(JSON.stringify({ spec: 1, slug: 'ask', title: 'Ask', steps: [step] }))
    await h.pool.query(`INSERT INTO memberships (team_id, user_id, level) VALUES ($1, $2, 'member')`, [principal.teamId, principal.userId])
    const runId = await testEngine(h).start({ definition, principal, input: {} })
    await called(1)
    await killWorker(workers[0]!)
    workers.push(await start())
    await called(2)
    await fs.writeFile(files.until, '')
    const rows = await eventually(
      async () => {
        const found = await h.pool.query<{ call: string; status: string; attempt: number; output: string; run: string }>(
          `SELECT s.call, s.status, s.attempt, s.output, r.status AS run FROM workflow_steps s JOIN workflow_runs r ON r.id = s.run_id WHERE r.id = $1 ORDER BY s.call`,
          [runId],
        )
        return found.rows[0]?.run === 'succeeded' ? found.rows : undefined
      },
      60,
      'the run succeeded',
    )
    expect(rows.map(({ call, status, attempt }) => [call, status, attempt])).toEqual([
      ['', 'succeeded', 2],
      ['t1', 'succeeded', 1],
      ['t1.1', 'succeeded', 2],
      ['t2', 'succeeded', 1],
    ])
    expect(rows[0]?.output).toBe('{"text":"held"}')
    expect(await calls()).toEqual([`${runId}:ask/t1.1 1`, `${runId}:ask/t1.1 2`])
    expect(server.asked).toHaveLength(2)
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()))
    await Promise.all([server.close(), h.close(), fs.rm(folder, { recursive: true })])
  }
}, 180_000)
