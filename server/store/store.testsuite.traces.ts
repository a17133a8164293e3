import { expect, it } from 'vitest'
import type { StoreRoom } from './store.testsuite.room'

/** The contract's part about what is kept for traces. */
export function traceCases({ harness, seeded }: StoreRoom): void {
  it('keeps the trace context that a run began with, and when it began', async () => {
    const { store, newId } = harness()
    const run = { ...seeded(), title: null, input: {} }
    const state = { status: 'queued' as const, seq: 0, steps: new Map() }
    const [traced, plain] = [newId(), newId()]
    const trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await store.insertRun({ ...run, id: traced, trace }, state, 1)
    await store.insertRun({ ...run, id: plain }, state, 1)
    expect(await store.transact(plain, async (tx) => tx.run.trace)).toBeNull()
    const kept = await store.transact(traced, async (tx) => ({ trace: tx.run.trace, age: tx.now.getTime() - tx.run.createdAt.getTime() }))
    expect(kept?.trace).toBe(trace)
    expect(kept?.age).toBeGreaterThanOrEqual(0)
    expect(kept?.age).toBeLessThan(60_000)
  })
}
