import { expect, it } from 'vitest'
import { done, ref, type StoreRoom } from './store.testsuite.room'

/** The contract's part about what is undone. */
export function undoCases({ harness, newRun, within, enqueued, fetchOf, succeed, row }: StoreRoom): void {
  it('chooses what to undo from the latest success backwards, once each, and never what failed or cannot be undone', async () => {
    const runId = await newRun()
    await succeed(runId, ref('first'), 1, null, true)
    await succeed(runId, ref('plain'), 2, null, false)
    await within(runId, (tx) => tx.openMap(ref('m'), ['x']))
    await succeed(runId, ref('m', 0), 3, 'made', true)
    const next = () => within(runId, (tx) => tx.nextUndo())
    expect(await next()).toEqual({ stepId: 'm', item: 0, epoch: 1 })
    expect(await next()).toEqual({ stepId: 'm', item: 0, epoch: 1 })
    await enqueued(runId, ref('m', 0, 'undo'))
    const [fetched] = await fetchOf(runId)
    const undo = await harness().store.claim(fetched!)
    expect(undo!.undoes).toMatchObject({ stepId: 'm', item: 0, call: '', output: 'made', itemValue: 'x' })
    await within(runId, async (tx) => {
      expect(await tx.endAttempt(ref('m', 0, 'undo'), 1, fetched!.id, done(null))).toBe(true)
      await tx.settleStep(ref('m', 0), 'compensated', {})
    })
    expect(await row(runId, ref('m', 0))).toMatchObject({ status: 'compensated', output: 'made', seq: 3 })
    expect(await next()).toEqual({ stepId: 'first', item: -1, epoch: 1 })
    await enqueued(runId, ref('first', -1, 'undo'))
    expect(await next()).toBeNull()
  })
}
