import { expect, it } from 'vitest'
import type { Json } from '@/spec'
import { boom, ref, type StoreRoom } from './store.testsuite.room'

/** The contract's part about maps and their items. */
export function mapCases({ harness, newRun, within, enqueued, fetchOf, claimed, succeed, row }: StoreRoom): void {
  it('opens a map over its array and gives each item its own value, also null', async () => {
    const runId = await newRun()
    await within(runId, (tx) => tx.openMap(ref('m'), ['x', null, { n: 3 }]))
    const items = (await harness().inspect(runId)).rows.filter((r) => r.item >= 0).sort((p, q) => p.item - q.item)
    expect(items.map((r) => [r.status, r.itemValue])).toEqual([
      ['pending', 'x'],
      ['pending', null],
      ['pending', { n: 3 }],
    ])
    expect(await row(runId, ref('m'))).toMatchObject({ status: 'waiting' })
    const j = await enqueued(runId, ref('m', 2))
    const [fetched] = await fetchOf(runId)
    expect(fetched!.id).toBe(j.id)
    expect((await harness().store.claim(fetched!))!.row.itemValue).toEqual({ n: 3 })
  })

  it('collects a map: results in the order of its items, failures by index, what never started is skipped', async () => {
    const runId = await newRun()
    await within(runId, (tx) => tx.openMap(ref('m'), [0, 1, 2, 3]))
    await succeed(runId, ref('m', 2), 1, { two: 2 })
    await succeed(runId, ref('m', 0), 2, 'zero')
    const c = await claimed(runId, ref('m', 1))
    await within(runId, (tx) => tx.endAttempt(ref('m', 1), c.attempt, c.job.id, { kind: 'failed', error: boom, ambiguous: false }))
    await within(runId, (tx) => tx.collectMap(ref('m'), 'failed', { code: 'map_failed', message: 'too many' }))
    const output = { results: ['zero', null, { two: 2 }, null], failed: [{ index: 1, error: boom }] }
    expect(await row(runId, ref('m'))).toMatchObject({ status: 'failed', output, error: { code: 'map_failed' } })
    expect(await row(runId, ref('m', 3))).toMatchObject({ status: 'skipped' })
    expect((await harness().store.outputs(runId, ['m'])).get('m')).toEqual({
      ...output,
      error: { code: 'map_failed', message: 'too many' },
    })
  })

  it('collects an empty map', async () => {
    const runId = await newRun()
    await within(runId, async (tx) => {
      await tx.openMap(ref('m'), [])
      await tx.collectMap(ref('m'), 'succeeded', undefined)
    })
    expect(await row(runId, ref('m'))).toMatchObject({ status: 'succeeded', output: { results: [], failed: [] } })
  })

  it('stores no output of a map above 32 MiB, and says so', async () => {
    const runId = await newRun()
    const items = 33
    await within(runId, (tx) => tx.openMap(ref('m'), Array<Json>(items).fill(null)))
    for (let i = 0; i < items; i++) await succeed(runId, ref('m', i), i + 1, 'x'.repeat(1024 * 1024 - 2))
    await within(runId, (tx) => tx.collectMap(ref('m'), 'succeeded', undefined))
    expect(await row(runId, ref('m'))).toMatchObject({ status: 'succeeded', output: null, flag: 'output_truncated' })
  }, 120_000)
}
