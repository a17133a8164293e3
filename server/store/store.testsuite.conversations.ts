import { expect, it } from 'vitest'
import type { StepRef } from '@/server/engine/model'
import type { StoreRoom } from './store.testsuite.room'

/** The contract's part about the conversations of agents. */
export function conversationCases({ harness, newRun, within }: StoreRoom): void {
  const agent: StepRef = { stepId: 'a', item: -1, call: '', epoch: 1 }
  const of = (call: StepRef['call'], item = -1): StepRef => ({ ...agent, call, item })

  /** A run whose agent is on a worker. */
  async function underWay() {
    const runId = await newRun()
    const id = harness().newId()
    await within(runId, (tx) => tx.enqueue([{ id, data: { runId, ...agent }, queue: 'flow.agent', teamId: runId }]))
    const jobs = await harness().queue.fetch(100, 'flow.agent')
    const claimed = await harness().store.claim(jobs.find((job) => job.id === id)!)
    return { runId, jobId: id, attempt: claimed!.row.attempt }
  }

  it('knows whether a row is still on the worker that asks', async () => {
    const { runId, jobId, attempt } = await underWay()
    const holds = (row: StepRef, n: number, job: string) => within(runId, (tx) => tx.holds(row, n, job))
    expect(await holds(agent, attempt, jobId)).toBe(true)
    expect(await holds(agent, attempt + 1, jobId)).toBe(false)
    expect(await holds(agent, attempt, harness().newId())).toBe(false)
    await harness().loseWorker([jobId])
    const again = (await harness().queue.fetch(100, 'flow.agent')).find((job) => job.id === jobId)
    await harness().store.claim(again!)
    expect(await holds(agent, attempt, jobId)).toBe(false)
    expect(await holds(agent, attempt + 1, jobId)).toBe(true)
  })

  it('keeps replies and calls, and shows those of one agent and key', async () => {
    const { runId, jobId } = await underWay()
    const call = { attempt: 1, jobId, input: { b: 1, a: '\u0000' }, plugin: 'p 1' }
    await within(runId, async (tx) => {
      await tx.settleStep(of('t1'), 'succeeded', { output: { text: '', calls: [] } })
      await tx.startCall(of('t1.1'), call)
      await tx.startCall(of('t1.1', 4), call)
      await tx.startCall({ ...of('t1.1'), epoch: 2 }, call)
    })
    const error = { code: 'failed' as const, message: 'no' }
    await within(runId, (tx) => tx.endAttempt(of('t1.1'), 1, jobId, { kind: 'failed', error, ambiguous: false }))
    const rows = (await harness().store.conversation(runId, agent)).sort((a, b) => a.call.length - b.call.length)
    expect(rows.map(({ call: name, status, attempt }) => [name, status, attempt])).toEqual([
      ['t1', 'succeeded', 1],
      ['t1.1', 'failed', 1],
    ])
    expect(rows[0]).toMatchObject({ output: { text: '', calls: [] }, error: null })
    expect(rows[1]).toMatchObject({ error })
    expect(await harness().store.conversation(runId, { ...agent, item: 4 })).toMatchObject([{ call: 't1.1', status: 'running', jobId }])
    expect(await harness().store.conversation(runId, { ...agent, epoch: 2 })).toMatchObject([{ call: 't1.1', keyEpoch: 2 }])
  })

  it('starts a call again with the attempt that it is given, and never one that has succeeded', async () => {
    const { runId, jobId } = await underWay()
    const call = { attempt: 1, jobId, input: 1, plugin: null }
    await within(runId, (tx) => tx.startCall(of('t1.1'), call))
    await within(runId, (tx) => tx.endAttempt(of('t1.1'), 1, jobId, { kind: 'interrupted', ambiguous: true }))
    expect(await within(runId, (tx) => tx.row(of('t1.1')))).toMatchObject({ status: 'pending', jobId: null })
    await within(runId, (tx) => tx.startCall(of('t1.1'), { ...call, attempt: 2 }))
    const result = { kind: 'succeeded' as const, seq: null, result: { output: 1 }, undoable: false }
    expect(await within(runId, (tx) => tx.endAttempt(of('t1.1'), 1, jobId, result))).toBe(false)
    expect(await within(runId, (tx) => tx.endAttempt(of('t1.1'), 2, jobId, result))).toBe(true)
    await expect(within(runId, (tx) => tx.startCall(of('t1.1'), { ...call, attempt: 3 }))).rejects.toThrow('has succeeded')
  })

  it('leaves the calls of a lost agent to the agent', async () => {
    const { runId, jobId } = await underWay()
    await within(runId, (tx) => tx.startCall(of('t1.1'), { attempt: 1, jobId, input: null, plugin: null }))
    expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
    await harness().dropJobs([jobId])
    expect(await within(runId, (tx) => tx.lostRows())).toMatchObject([{ call: '' }])
    expect(await harness().store.stalledRuns(1_000, null)).toContain(runId)
    await within(runId, (tx) => tx.endAttempt(agent, 1, jobId, { kind: 'interrupted', ambiguous: true }))
    expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
    expect(await harness().store.stalledRuns(1_000, null)).not.toContain(runId)
  })
}
