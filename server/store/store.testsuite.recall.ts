import { expect, it } from 'vitest'
import { done, ref, type StoreRoom } from './store.testsuite.room'

/** The contract's part about what a run that stops takes back. */
export function recallCases({ harness, newRun, job, within, enqueued, fetchOf, claimed, row, gateOf }: StoreRoom): void {
  it('recalls what is queued and withdraws what is open, and leaves what is on a worker and what undoes', async () => {
    const runId = await newRun()
    const onWorker = await claimed(runId, ref('w'))
    await enqueued(runId, ref('q'))
    await enqueued(runId, ref('later'), new Date(4_000_000_000_000))
    await enqueued(runId, ref('w', -1, 'undo'), new Date(4_000_000_000_000))
    const gate = gateOf({ stepId: 'g' })
    const recalled = await within(runId, async (tx) => {
      await tx.openGate(gate)
      return tx.recall()
    })
    expect(recalled.map((r) => r.stepId).sort()).toEqual(['later', 'q'])
    expect(await row(runId, ref('q'))).toMatchObject({ status: 'pending' })
    expect(await row(runId, ref('w', -1, 'undo'))).toMatchObject({ status: 'queued' })
    expect(await harness().store.gate(gate.id)).toMatchObject({ status: 'withdrawn' })
    expect(await fetchOf(runId)).toEqual([])
    expect(await within(runId, (tx) => tx.endAttempt(ref('w'), onWorker.attempt, onWorker.job.id, done(1)))).toBe(true)
  })

  it('drops a recalled job that a worker had fetched already', async () => {
    const runId = await newRun()
    await enqueued(runId, ref('a'))
    const [fetched] = await fetchOf(runId)
    expect(await within(runId, (tx) => tx.recall())).toEqual([{ stepId: 'a', item: -1 }])
    expect(await harness().store.claim(fetched!)).toBeNull()
  })

  it('recalls the items of one map without touching its neighbours or a gate', async () => {
    const runId = await newRun()
    const gate = gateOf({ stepId: 'g' })
    await within(runId, async (tx) => {
      await tx.openMap(ref('m'), [1, 2])
      await tx.openGate(gate)
      await tx.enqueue([job(runId, ref('m', 1)), job(runId, ref('other'))])
    })
    expect(await within(runId, (tx) => tx.recall('m'))).toEqual([{ stepId: 'm', item: 1 }])
    expect(await row(runId, ref('other'))).toMatchObject({ status: 'queued' })
    expect(await harness().store.gate(gate.id)).toMatchObject({ status: 'open' })
  })
}
