import { expect, it } from 'vitest'
import type { StoreRoom } from './store.testsuite.room'

const ref = (stepId: string) => ({ stepId, item: -1, call: '', epoch: 1 }) as const

/** The contract's part about timers. */
export function timerCases({ harness, newRun, within }: StoreRoom): void {
  const dueOf = async (runId: string) => (await harness().store.dueTimers(1_000)).due.filter((timer) => timer.runId === runId)

  it('lists the timers that are due, each until it has fired, and when the next one is', async () => {
    const runId = await newRun()
    await within(runId, async (tx) => {
      expect(await tx.setTimer({ stepId: 'x', epoch: 1, dueAt: new Date(1_000) })).toEqual(new Date(1_000))
      await tx.setTimer({ stepId: 'z', epoch: 2, dueAt: new Date(3_900_000_000_000) })
    })
    expect(await dueOf(runId)).toEqual([{ runId, stepId: 'x', epoch: 1 }])
    expect((await harness().store.dueTimers(1_000)).next!.getTime()).toBeLessThanOrEqual(3_900_000_000_000)
    await within(runId, (tx) => tx.fireTimer('x', 1))
    expect(await dueOf(runId)).toEqual([])
    expect(await within(runId, (tx) => tx.timer('x', 1))).toEqual({ stepId: 'x', epoch: 1, dueAt: new Date(1_000), status: 'fired' })
    await expect(within(runId, (tx) => tx.fireTimer('x', 1))).rejects.toThrow('not set')
    expect(await within(runId, (tx) => tx.timer('x', 2))).toBeNull()
  })

  it('drops the timers of a run that is recalled, and sets them again to the time they had', async () => {
    const runId = await newRun()
    await within(runId, (tx) => tx.setTimer({ stepId: 'x', epoch: 1, dueAt: new Date(1_000) }))
    await within(runId, (tx) => tx.recall('m'))
    expect(await dueOf(runId)).toHaveLength(1)
    await within(runId, (tx) => tx.recall())
    expect(await dueOf(runId)).toEqual([])
    expect(await within(runId, (tx) => tx.setTimer({ stepId: 'x', epoch: 1, dueAt: new Date(9_000) }))).toEqual(new Date(1_000))
    expect(await dueOf(runId)).toHaveLength(1)
  })

  it('says of a step that waits since when, and goes on saying so', async () => {
    const runId = await newRun()
    const row = (stepId: string) => within(runId, (tx) => tx.row(ref(stepId)))
    await within(runId, async (tx) => {
      await tx.settleStep(ref('x'), 'waiting', {})
      await tx.openMap(ref('m'), [1])
      await tx.settleStep(ref('s'), 'skipped', {})
    })
    const since = await Promise.all(['x', 'm', 's'].map(async (stepId) => (await row(stepId))?.startedAt))
    expect(since).toEqual([expect.any(Date), expect.any(Date), null])
    await within(runId, (tx) => tx.settleStep(ref('x'), 'succeeded', { output: null }))
    expect((await row('x'))?.startedAt).toEqual(since[0])
  })

  it('keeps no timer of a transaction that throws', async () => {
    const runId = await newRun()
    const failing = within(runId, async (tx) => {
      await tx.setTimer({ stepId: 'x', epoch: 1, dueAt: new Date(1_000) })
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await dueOf(runId)).toEqual([])
  })
}
