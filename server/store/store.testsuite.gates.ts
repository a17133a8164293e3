import { expect, it } from 'vitest'
import { SPEC, type StoreRoom } from './store.testsuite.room'

const vote = (userId: string, ms: number) => ({
  userId,
  decision: 'approve' as const,
  comment: 'ok',
  form: null,
  channel: 'web' as const,
  at: new Date(ms),
})

/** The contract's part about gates and decisions. */
export function gateCases({ harness, seeded, newRun, within, gateOf }: StoreRoom): void {
  it('opens a gate, with what an approver sees in the order of its author', async () => {
    const runId = await newRun()
    const gate = gateOf({ message: { text: 'hm' } })
    await within(runId, (tx) => tx.openGate(gate))
    const read = await harness().store.gate(gate.id)
    expect(read).toMatchObject({ ...gate, runId, status: 'open' })
    expect(Object.keys(read!.show)).toEqual(['z', 'a'])
    expect(await within(runId, (tx) => tx.gate(gate.id))).toEqual(read)
    await within(runId, (tx) => tx.settleGate(gate.id, 'approved'))
    expect(await harness().store.gate(gate.id)).toMatchObject({ status: 'approved' })
  })

  it('takes one decision of a person, and lists them in the order of time', async () => {
    const runId = await newRun()
    const gate = gateOf()
    await within(runId, async (tx) => {
      await tx.openGate(gate)
      expect(await tx.insertDecision(gate.id, vote(seeded().managerId, 2_000))).toBe(true)
      expect(await tx.insertDecision(gate.id, vote(seeded().managerId, 3_000))).toBe(false)
      expect(await tx.insertDecision(gate.id, vote(seeded().principal.userId, 1_000))).toBe(true)
    })
    const decisions = await within(runId, (tx) => tx.decisions(gate.id))
    expect(decisions.map((d) => [d.userId, d.at.getTime()])).toEqual([
      [seeded().principal.userId, 1_000],
      [seeded().managerId, 2_000],
    ])
  })

  it('knows who holds a role in the team of the run', async () => {
    const runId = await newRun()
    const other = await harness().seed(SPEC)
    const held = await within(runId, async (tx) => [
      await tx.holdsRole(seeded().managerId, 'manager'),
      await tx.holdsRole(seeded().managerId, 'attorney'),
      await tx.holdsRole(seeded().principal.userId, 'manager'),
      await tx.holdsRole(other.managerId, 'manager'),
    ])
    expect(held).toEqual([true, false, false, false])
  })

  it('lists the open gates that are due, and when the next one is', async () => {
    const runId = await newRun()
    const due = gateOf({ stepId: 'x', expiresAt: new Date(1_000) })
    const settled = gateOf({ stepId: 'y', expiresAt: new Date(1_000) })
    await within(runId, async (tx) => {
      for (const gate of [due, settled, gateOf({ stepId: 'z', expiresAt: new Date(3_900_000_000_000) })]) await tx.openGate(gate)
      await tx.settleGate(settled.id, 'rejected')
    })
    const listed = await harness().store.dueGates(100)
    expect(listed.due.filter((g) => g.runId === runId)).toEqual([{ gateId: due.id, runId }])
    expect(listed.next!.getTime()).toBeLessThanOrEqual(3_900_000_000_000)
    await within(runId, (tx) => tx.settleGate(due.id, 'expired'))
    expect((await harness().store.dueGates(100)).due.filter((g) => g.runId === runId)).toEqual([])
  })
}
