import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { SPEC, boom, fresh, ref, running, type StoreRoom } from './store.testsuite.room'

/** The contract's part about what is kept of a run, and its transactions. */
export function runCases({ harness, seeded, newRun, job, within, enqueued, fetchOf }: StoreRoom): void {
  it('gives back a run as it was stored, key order and awkward strings included', async () => {
    const input = { z: 1, a: '\u0000 \u2028', '2': [0.1, { b: null }] }
    const runId = await newRun(input)
    const [read, given] = await within(runId, async (tx) => [tx.run, await tx.run.given()] as const, fresh())
    expect(JSON.stringify(given.input)).toBe(JSON.stringify(input))
    expect(read).toMatchObject({ id: runId, principal: seeded().principal, definition: { id: seeded().definition.id, spec: SPEC } })
    expect(read.state).toEqual(fresh())
    expect(await harness().store.definition(seeded().definition.id)).toEqual(seeded().definition)
  })

  it.each([
    ['that compresses well', () => '0'.repeat(256 * 1024)],
    ['that does not', () => randomBytes(96 * 1024).toString('base64')],
  ])('gives a large input %s within a transition, and to who claims a step', async (_, value) => {
    const input = { z: value(), a: 1 }
    const runId = await newRun(input)
    const given = await within(runId, (tx) => tx.run.given(), fresh())
    await enqueued(runId, ref('a'))
    const claim = await harness().store.claim((await fetchOf(runId))[0]!)
    for (const { input: one } of [given, await claim!.run.given()]) expect(one).toEqual(input)
  })

  it('answers null for a run, a definition and a gate that do not exist', async () => {
    expect(await harness().store.transact(harness().newId(), async () => 1)).toBeNull()
    expect(await harness().store.definition(harness().newId())).toBeNull()
    expect(await harness().store.gate(harness().newId())).toBeNull()
  })

  it('keeps nothing of a transaction whose work throws: no state, no row, no job', async () => {
    const runId = await newRun()
    const failing = harness().store.transact(runId, async (tx) => {
      await tx.enqueue([job(runId, ref('a'))])
      await tx.save(running())
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(await harness().inspect(runId)).toMatchObject({ status: 'queued', rows: [] })
    expect(await fetchOf(runId)).toEqual([])
  })

  it('lets one transaction at a time into a run, and each sees what the one before it wrote', async () => {
    const runId = await newRun()
    const raise = () =>
      harness().store.transact(runId, async (tx) => {
        await Promise.resolve()
        await tx.save({ ...tx.run.state, seq: tx.run.state.seq + 1 })
      })
    await Promise.all(Array.from({ length: 8 }, raise))
    expect(await within(runId, async (tx) => tx.run.state.seq)).toBe(8)
  })

  it('raises the version of a run with each transition', async () => {
    const runId = await newRun()
    const before = (await harness().inspect(runId)).version
    await within(runId, async () => undefined)
    expect((await harness().inspect(runId)).version).toBe(before + 1)
  })

  it('stores how a run finished', async () => {
    const runId = await newRun()
    await harness().store.transact(runId, (tx) => tx.save({ ...running(), status: 'succeeded' }, { output: { z: 1, a: 2 }, error: null }))
    expect(await harness().inspect(runId)).toMatchObject({ status: 'succeeded', output: { z: 1, a: 2 }, error: null })
    const parked = await newRun()
    await harness().store.transact(parked, (tx) =>
      tx.save({ ...running(), status: 'parked' }, { output: null, error: { ...boom, stepId: 'a' } }),
    )
    expect(await harness().inspect(parked)).toMatchObject({ status: 'parked', output: null, error: { ...boom, stepId: 'a' } })
  })
}
