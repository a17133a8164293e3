import { expect, it } from 'vitest'
import type { NewJob } from '@/server/engine/ports'
import type { StoreRoom } from './store.testsuite.room'

/** The contract's part about work that has a queue of its own. */
export function queueCases({ harness, newRun, within }: StoreRoom): void {
  const jobOf = (runId: string, stepId: string): NewJob => ({
    id: harness().newId(),
    data: { runId, stepId, item: -1, call: '', epoch: 1 },
    queue: 'job.suite',
    teamId: runId,
  })
  async function fetchOf(runId: string) {
    return (await harness().queue.fetch(100, 'job.suite')).filter(({ data }) => data.runId === runId)
  }

  it('knows that a job in another queue lives, and when it is gone', async () => {
    const runId = await newRun()
    const job = jobOf(runId, 'a')
    await within(runId, (tx) => tx.enqueue([job]))
    expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
    await harness().dropJobs([job.id])
    expect(await within(runId, (tx) => tx.lostRows())).toMatchObject([{ stepId: 'a', jobId: job.id }])
    await within(runId, (tx) => tx.enqueue([jobOf(runId, 'a')]))
    expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
  })

  it('claims a job of another queue, tries it again there, and takes it back from there', async () => {
    const { store } = harness()
    const runId = await newRun()
    await within(runId, (tx) => tx.enqueue([jobOf(runId, 'a')]))
    const [fetched] = await fetchOf(runId)
    const claimed = await store.claim(fetched!)
    const again = { ...jobOf(runId, 'a'), startAfter: new Date(4_000_000_000_000) }
    const end = { kind: 'retry' as const, error: { code: 'transient' as const, message: 'm' }, ambiguous: true, job: again, attempt: 2 }
    expect(await within(runId, (tx) => tx.endAttempt(claimed!.row, claimed!.row.attempt, fetched!.id, end))).toBe(true)
    expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
    expect(await within(runId, (tx) => tx.recall())).toEqual([{ stepId: 'a', item: -1 }])
    await within(runId, (tx) => tx.enqueue([{ ...jobOf(runId, 'a'), id: again.id }])) // its id is free again
    expect(await fetchOf(runId)).toMatchObject([{ id: again.id }])
  })
}
