import { expect, it } from 'vitest'
import type { RunState, StepRef } from '@/server/engine/model'
import type { ChildRowEnd, ChildStart, Kin, NewSignal, RunTx } from '@/server/engine/ports'
import type { StoreRoom } from './store.testsuite.room'

const at = (stepId: string, item = -1): StepRef => ({ stepId, item, call: '', epoch: 1 })
const pins = { child: 'a definition', constructor: 'another' }
const fresh = (): RunState => ({ status: 'queued', seq: 0, steps: new Map([['a', { at: 'pending' }]]) })
const waiting = (): RunState => ({
  ...fresh(),
  status: 'running',
  steps: new Map([['sub', { at: 'waiting', epoch: 1, on: 'child', child: 'busy' }]]),
})
const ended: ChildRowEnd = { kind: 'succeeded', seq: 1, result: { output: { n: 1 } }, undoable: true }

/** The contract's part about child runs. */
export function childCases({ harness, seeded, newRun, within, claimed, fetchOf }: StoreRoom): void {
  const childOf = (runId: string, ref: StepRef): ChildStart => {
    const { definition, principal } = seeded()
    const kin: Kin = { parent: { runId, ...ref }, rootId: runId, depth: 1, pins }
    return { run: { id: harness().newId(), definition, principal, title: 'A child', input: { x: 1 }, kin }, state: fresh(), stepsTotal: 1 }
  }
  async function started(runId: string, ref: StepRef): Promise<string> {
    const { job, attempt } = await claimed(runId, ref)
    const child = childOf(runId, ref)
    await within(runId, async (tx) => {
      expect(await tx.endAttempt(ref, attempt, job.id, { kind: 'child', runId: child.run.id })).toBe(true)
      expect(await tx.insertChild(child)).toBe(true)
    })
    await harness().queue.complete([job.id])
    return child.run.id
  }
  const status = (runId: string, state: Partial<RunState>) =>
    harness().store.transact(runId, (tx) => tx.save({ ...fresh(), ...state }, { output: { n: 1 }, error: null }))

  it('stores a child in the transaction of its parent, and the row waits for it', async () => {
    const runId = await newRun()
    const childId = await started(runId, at('sub'))
    expect((await harness().inspect(runId)).rows).toMatchObject([{ stepId: 'sub', status: 'waiting', jobId: null }])
    const kin = await within(childId, async (tx) => tx.run.kin, fresh())
    expect(kin).toEqual({ parent: { runId, ...at('sub') }, rootId: runId, depth: 1, pins })
    expect(await within(runId, (tx) => tx.childOf(at('sub')))).toEqual({
      runId: childId,
      was: 'busy',
      face: 'busy',
      output: null,
      error: null,
    })
    expect(await within(runId, async (tx) => tx.run.kin)).toEqual({ parent: null, rootId: runId, depth: 0, pins: {} })
  })

  it('keeps no child of a transaction that throws, and does not count it', async () => {
    const runId = await newRun()
    const child = childOf(runId, at('sub'))
    const failing = within(runId, async (tx) => {
      await tx.insertChild(child)
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await harness().store.transact(child.run.id, async () => 1)).toBeNull()
    await started(runId, at('sub'))
    expect(await harness().descendants(runId)).toBe(1)
  })

  it('stores no child below a root that has 10,000 descendants', async () => {
    const runId = await newRun()
    await harness().setDescendants(runId, 9_999)
    const child = childOf(runId, at('b'))
    await within(runId, async (tx) => {
      expect(await tx.insertChild(childOf(runId, at('a')))).toBe(true)
      expect(await tx.insertChild(child)).toBe(false)
    })
    expect(await harness().store.transact(child.run.id, async () => 1)).toBeNull()
    expect(await harness().descendants(runId)).toBe(10_000)
  })

  it('shows what a child has come to, keeps what the row was told, and finds whoever was told something else', async () => {
    const runId = await newRun()
    const childId = await started(runId, at('m', 3))
    await within(runId, async () => {}, waiting())
    expect(await within(runId, (tx) => tx.children(), waiting())).toEqual([{ ref: at('m', 3), runId: childId, was: 'busy', face: 'busy' }])
    await status(childId, { status: 'awaiting_approval' })
    await within(runId, async () => {}, waiting())
    expect(await harness().store.stalledRuns(1_000, null)).toContain(runId)
    expect(await within(runId, (tx) => tx.children(), waiting())).toMatchObject([{ was: 'busy', face: 'asking' }])
    await within(runId, (tx) => tx.noteChild(at('m', 3), 'asking'), waiting())
    expect(await harness().store.stalledRuns(1_000, null)).not.toContain(runId)
    await status(childId, { status: 'succeeded' })
    expect(await within(runId, (tx) => tx.childOf(at('m', 3)), waiting())).toMatchObject({
      was: 'asking',
      face: 'succeeded',
      output: { n: 1 },
    })
  })

  it('ends a row that waits for its child once, and then it waits for none', async () => {
    const runId = await newRun()
    await started(runId, at('sub'))
    await within(runId, (tx) => tx.endChild(at('sub'), ended))
    expect((await harness().inspect(runId)).rows).toMatchObject([{ status: 'succeeded', seq: 1, output: { n: 1 } }])
    expect(await within(runId, (tx) => tx.nextUndo())).toMatchObject({ stepId: 'sub' })
    expect(await within(runId, (tx) => tx.childOf(at('sub')))).toBeNull()
    for (const again of [(tx: RunTx) => tx.endChild(at('sub'), { kind: 'cancelled' }), (tx: RunTx) => tx.noteChild(at('sub'), 'idle')]) {
      await expect(within(runId, again)).rejects.toThrow('waits for no child')
    }
  })

  it('lists the children that have not ended, and finds the run whose children are to stop', async () => {
    const runId = await newRun()
    const [one, other] = [await started(runId, at('m', 0)), await started(runId, at('m', 1))]
    await status(other, { status: 'cancelled' })
    await within(runId, (tx) => tx.endChild(at('m', 1), { kind: 'cancelled' }))
    expect((await within(runId, (tx) => tx.children())).map((child) => child.runId)).toEqual([one])
    const left: RunState = {
      ...fresh(),
      status: 'cancelled',
      steps: new Map([['m', { at: 'waiting', epoch: 1, on: 'child', child: 'busy' }]]),
    }
    await within(runId, async () => {}, left)
    expect(await harness().store.stalledRuns(1_000, null)).toContain(runId)
  })

  it('delivers a signal once its transaction is committed, and a signal has no row to claim', async () => {
    const [runId, other] = [await newRun(), await newRun()]
    const { teamId } = seeded().definition
    const signal: NewSignal = { id: harness().newId(), data: { runId: other, ...at('sub'), call: 'child' }, teamId }
    const failing = within(runId, async (tx) => {
      await tx.signal([{ ...signal, id: harness().newId() }])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    await within(runId, (tx) => tx.signal([signal]))
    const fetched = await fetchOf(other)
    expect(fetched).toEqual([{ id: signal.id, data: signal.data, redelivered: false }])
    expect(await harness().store.claim(fetched[0]!)).toBeNull()
  })

  it('finds a workflow by its slug, the version that is named or the current one', async () => {
    const { definition } = seeded()
    const { store } = harness()
    expect(await store.findDefinition(definition.teamId, definition.slug, null)).toEqual(definition)
    expect(await store.findDefinition(definition.teamId, definition.slug, definition.version)).toEqual(definition)
    expect(await store.findDefinition(definition.teamId, definition.slug, 99)).toBeNull()
    expect(await store.findDefinition(harness().newId(), definition.slug, null)).toBeNull()
  })
}
