import { expect, it } from 'vitest'
import type { Json } from '@/spec'
import { boom, ref, type StoreRoom } from './store.testsuite.room'

/** The contract's part about what references see. */
export function outputCases({ harness, newRun, job, within, claimed, succeed }: StoreRoom): void {
  it('shows outputs as references see them', async () => {
    const runId = await newRun()
    await succeed(runId, ref('ok'), 1, { n: 1 })
    const c = await claimed(runId, ref('bad'))
    await within(runId, (tx) => tx.endAttempt(ref('bad'), c.attempt, c.job.id, { kind: 'failed', error: boom, ambiguous: false }))
    await within(runId, async (tx) => {
      await tx.settleStep(ref('picked'), 'succeeded', { output: { branch: 'x' } })
      await tx.settleStep(ref('gone'), 'skipped', {})
      await tx.enqueue([job(runId, ref('later'))])
    })
    const ids = ['ok', 'bad', 'picked', 'gone', 'later', 'never']
    const expected = new Map<string, Json>([
      ['ok', { n: 1 }],
      ['bad', { error: boom }],
      ['picked', { branch: 'x' }],
    ])
    expect(await harness().store.outputs(runId, ids)).toEqual(expected)
    expect(await within(runId, (tx) => tx.outputs(ids))).toEqual(expected)
  })

  it('keeps the order of keys in an output, and the difference between null and nothing', async () => {
    const runId = await newRun()
    await succeed(runId, ref('a'), 1, { z: 1, a: '\u0000' })
    await succeed(runId, ref('b'), 2, null)
    const outputs = await harness().store.outputs(runId, ['a', 'b', 'c'])
    expect(JSON.stringify(outputs.get('a'))).toBe('{"z":1,"a":"\\u0000"}')
    expect([outputs.get('b'), outputs.has('c')]).toEqual([null, false])
  })
}
