import { expect, it } from 'vitest'
import { ref, type StoreRoom } from './store.testsuite.room'

/** The contract's part about rows whose job is gone. */
export function lostCases({ harness, newRun, within, enqueued, claimed, row }: StoreRoom): void {
  it('finds rows whose job is gone, and their runs, and none that merely wait their turn', async () => {
    const healthy = await newRun()
    await enqueued(healthy, ref('a'), new Date(4_000_000_000_000))
    const lost = await newRun()
    const c = await claimed(lost, ref('a'))
    const queued = await enqueued(lost, ref('b'))
    const starting = await newRun()
    expect(await harness().store.stalledRuns(1_000, null)).toEqual(expect.arrayContaining([starting]))
    await harness().dropJobs([c.job.id, queued.id])
    const stalled = await harness().store.stalledRuns(1_000, null)
    expect(stalled).toEqual([...stalled].sort())
    expect(stalled).toEqual(expect.arrayContaining([lost, starting]))
    expect(stalled).not.toContain(healthy)
    expect(await harness().store.stalledRuns(1_000, stalled.at(-1)!)).toEqual([])
    const rows = await within(lost, (tx) => tx.lostRows())
    expect(rows.map((r) => [r.stepId, r.status]).sort()).toEqual([
      ['a', 'running'],
      ['b', 'queued'],
    ])
    expect(await within(healthy, (tx) => tx.lostRows())).toEqual([])
  })

  it('gives a lost row a new job under the attempt it had', async () => {
    const runId = await newRun()
    const first = await enqueued(runId, ref('a'))
    await harness().dropJobs([first.id])
    const second = await enqueued(runId, ref('a'))
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: second.id })
  })
}
