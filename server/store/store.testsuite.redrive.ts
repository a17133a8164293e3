import { expect, it } from 'vitest'
import type { EngineError, StepRef } from '@/server/engine/model'
import type { AttemptEnd } from '@/server/engine/ports'
import type { Json } from '@/spec'
import type { StoreRoom } from './store.testsuite.room'

const ref = (stepId: string, item = -1, epoch = 1): StepRef => ({ stepId, item, call: '', epoch })
const state = (status: 'parked' | 'running') => ({ status, seq: 0, steps: new Map() })
const at = (ms: number) => new Date(ms)
const boom: EngineError = { code: 'failed', message: 'it broke' }
const lost: EngineError = { code: 'outcome_unknown', message: 'nobody knows' }

/** The contract of a store for what comes after a park: re-drives and outcomes recorded by hand. */
export function redriveCases({ harness, newRun, within, claimed, succeed, fetchOf, job }: StoreRoom): void {
  async function fail(runId: string, r: StepRef, ambiguous: boolean, error = boom): Promise<void> {
    const c = await claimed(runId, r)
    const end: AttemptEnd = { kind: 'failed', error, ambiguous }
    expect(await within(runId, (tx) => tx.endAttempt(r, c.attempt, c.job.id, end))).toBe(true)
    await harness().queue.complete([c.job.id])
  }
  async function interrupt(runId: string, r: StepRef, ambiguous: boolean): Promise<void> {
    const c = await claimed(runId, r)
    await within(runId, (tx) => tx.endAttempt(r, c.attempt, c.job.id, { kind: 'interrupted', ambiguous }))
    await harness().queue.complete([c.job.id])
  }
  const rows = async (runId: string, epoch: number) => {
    const all = (await harness().inspect(runId)).rows.filter((row) => row.epoch === epoch && row.call === '')
    const sorted = all.sort((a, b) => (a.stepId < b.stepId ? -1 : a.stepId > b.stepId ? 1 : a.item - b.item))
    return sorted.map((row) => {
      const seen: Json[] = [row.stepId, row.item, row.status, row.keyEpoch]
      return row.item < 0 ? seen : seen.concat(row.itemValue ?? null)
    })
  }

  it('makes rows pending again: the key rises after a known end and stays where something may have happened', async () => {
    const runId = await newRun()
    await succeed(runId, ref('done'), 1)
    await fail(runId, ref('fatal'), false)
    await fail(runId, ref('timeout'), true)
    await interrupt(runId, ref('cut'), true)
    await interrupt(runId, ref('limited'), false)
    await within(runId, (tx) => tx.settleStep(ref('skip'), 'skipped', {}))
    await succeed(runId, ref('undone'), 2)
    await within(runId, (tx) => tx.settleStep(ref('undone'), 'compensated', {}))
    const all = ['done', 'fatal', 'timeout', 'cut', 'limited', 'skip', 'undone', 'never']
    await within(runId, (tx) => tx.reopen(all, 2))
    expect(await rows(runId, 2)).toEqual([
      ['cut', -1, 'pending', 1],
      ['done', -1, 'pending', 2],
      ['fatal', -1, 'pending', 2],
      ['limited', -1, 'pending', 1],
      ['skip', -1, 'pending', 1],
      ['timeout', -1, 'pending', 1],
      ['undone', -1, 'pending', 2],
    ])
    // What may have happened is remembered through a known failure, until there is a success.
    await fail(runId, ref('timeout', -1, 2), false)
    await within(runId, (tx) => tx.reopen(['timeout'], 3))
    expect(await rows(runId, 3)).toEqual([['timeout', -1, 'pending', 1]])
    await succeed(runId, ref('timeout', -1, 3), 3)
    await within(runId, (tx) => tx.reopen(['timeout'], 4))
    expect(await rows(runId, 4)).toEqual([['timeout', -1, 'pending', 2]])
  })

  it('remembers of a row that was taken over that its first owner may have done it', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    await harness().loseWorker([c.job.id])
    const [again] = await fetchOf(runId)
    await harness().store.claim(again!)
    await within(runId, (tx) => tx.endAttempt(ref('a'), 2, c.job.id, { kind: 'failed', error: boom, ambiguous: false }))
    await within(runId, (tx) => tx.reopen(['a'], 2))
    expect(await rows(runId, 2)).toEqual([['a', -1, 'pending', 1]])
  })

  it('starts a reopened row with its first attempt, and shows nothing of the epoch before once it is skipped', async () => {
    const runId = await newRun()
    await succeed(runId, ref('a'), 1, 'old')
    await within(runId, (tx) => tx.reopen(['a'], 2))
    const c = await claimed(runId, ref('a', -1, 2))
    expect(c.attempt).toBe(1)
    await within(runId, (tx) =>
      tx.endAttempt(ref('a', -1, 2), 1, c.job.id, { kind: 'succeeded', seq: 2, result: { output: 'new' }, undoable: false }),
    )
    expect(await harness().store.outputs(runId, ['a'])).toEqual(new Map([['a', 'new']]))
    await within(runId, async (tx) => {
      await tx.reopen(['a'], 3)
      await tx.settleStep(ref('a', -1, 3), 'skipped', {})
    })
    expect(await harness().store.outputs(runId, ['a'])).toEqual(new Map())
  })

  it('lays a map out again without the items that stand, and collects both', async () => {
    const runId = await newRun()
    await within(runId, (tx) => tx.openMap(ref('m'), ['x', 'y', 'z']))
    await succeed(runId, ref('m', 1), 1, 'done')
    await fail(runId, ref('m', 0), false)
    const laidOut = () => within(runId, (tx) => tx.laidOutMaps())
    expect(await laidOut()).toEqual([{ stepId: 'm', standing: true }])
    await within(runId, async (tx) => {
      await tx.settleStep(ref('m'), 'cancelled', {})
      await tx.reopen(['m'], 2)
      expect(await tx.reopenMap(ref('m', -1, 2))).toEqual({ total: 3, succeeded: 1 })
    })
    expect(await rows(runId, 2)).toEqual([
      ['m', -1, 'waiting', 1],
      ['m', 0, 'pending', 2, 'x'],
      ['m', 2, 'pending', 1, 'z'],
    ])
    const next = (from: number, limit: number) => within(runId, (tx) => tx.pendingItems(ref('m', -1, 2), from, limit))
    expect([await next(0, 1), await next(0, 9), await next(1, 9)]).toEqual([[0], [0, 2], [2]])
    await within(runId, (tx) => tx.enqueue([job(runId, ref('m', 2, 2))]))
    expect(await next(0, 9)).toEqual([0])
    await within(runId, (tx) => tx.recall())
    await succeed(runId, ref('m', 0, 2), 2, 'again')
    await fail(runId, ref('m', 2, 2), true)
    await within(runId, (tx) => tx.collectMap(ref('m', -1, 2), 'failed', boom))
    const output = { results: ['again', 'done', null], failed: [{ index: 2, error: boom }] }
    expect((await harness().store.outputs(runId, ['m'])).get('m')).toEqual({ ...output, error: boom })
  })

  it('opens a map anew over another list: no item of the old one is left in it, and the same value that may have happened keeps its key', async () => {
    const runId = await newRun()
    await within(runId, (tx) => tx.openMap(ref('m'), ['x', 'y', 'z', 'gone']))
    await fail(runId, ref('m', 0), true)
    await fail(runId, ref('m', 1), true)
    await succeed(runId, ref('m', 2), 1, 'old')
    await succeed(runId, ref('m', 3), 2, 'gone')
    await within(runId, (tx) => tx.openMap(ref('m', -1, 2), ['x', 'other', 'z']))
    expect(await rows(runId, 2)).toEqual([
      ['m', -1, 'waiting', 1],
      ['m', 0, 'pending', 1, 'x'],
      ['m', 1, 'pending', 2, 'other'],
      ['m', 2, 'pending', 2, 'z'],
    ])
    for (const item of [0, 1, 2]) await succeed(runId, ref('m', item, 2), 3 + item, item)
    await within(runId, (tx) => tx.collectMap(ref('m', -1, 2), 'succeeded', undefined))
    expect((await harness().store.outputs(runId, ['m'])).get('m')).toEqual({ results: [0, 1, 2], failed: [] })
    expect(await within(runId, (tx) => tx.laidOutMaps())).toEqual([{ stepId: 'm', standing: true }])
  })

  it('lists no map without items, and none that was never opened', async () => {
    const runId = await newRun()
    await within(runId, async (tx) => {
      await tx.openMap(ref('empty'), [])
      await tx.settleStep(ref('refused'), 'failed', { error: boom })
      await tx.openMap(ref('m'), [1])
    })
    expect(await within(runId, (tx) => tx.laidOutMaps())).toEqual([{ stepId: 'm', standing: false }])
  })

  it('records an outcome of which nobody knew, once, and undoes it like any other success', async () => {
    const runId = await newRun()
    await fail(runId, ref('a'), true, lost)
    await fail(runId, ref('b'), true, lost)
    await fail(runId, ref('c'), false)
    const record = (r: StepRef, happened: boolean) =>
      within(runId, (tx) =>
        tx.recordOutcome(r, happened ? { happened, output: { id: '\u0000' }, seq: 5, undoable: true } : { happened, error: boom }),
      )
    expect([await record(ref('a'), true), await record(ref('b'), false), await record(ref('c'), true)]).toEqual([true, true, false])
    expect([await record(ref('a'), true), await record(ref('b'), false)]).toEqual([false, false])
    const all = (await harness().inspect(runId)).rows
    expect(all.find((row) => row.stepId === 'a')).toMatchObject({
      status: 'succeeded',
      seq: 5,
      output: { id: '\u0000' },
      error: null,
      flag: 'recorded_by_hand',
    })
    expect(all.find((row) => row.stepId === 'b')).toMatchObject({ status: 'failed', error: boom, flag: 'recorded_by_hand' })
    expect(await within(runId, (tx) => tx.nextUndo())).toEqual({ stepId: 'a', item: -1, epoch: 1 })
  })

  it('keeps the deadlines of timers that were dropped for the next epoch, and no others', async () => {
    const runId = await newRun()
    await within(runId, async (tx) => {
      await tx.setTimer({ stepId: 'fired', epoch: 1, dueAt: at(1_000) })
      await tx.fireTimer('fired', 1)
      await tx.setTimer({ stepId: 'kept', epoch: 1, dueAt: at(2_000) })
      await tx.setTimer({ stepId: 'again', epoch: 1, dueAt: at(3_000) })
      await tx.recall()
      await tx.keepDeadlines(['fired', 'kept', 'never'], 2)
    })
    const set = (stepId: string, epoch: number) => within(runId, (tx) => tx.setTimer({ stepId, epoch, dueAt: at(9_000) }))
    expect([await set('fired', 2), await set('kept', 2), await set('again', 2)]).toEqual([at(9_000), at(2_000), at(9_000)])
    await within(runId, async (tx) => {
      await tx.recall()
      await tx.keepDeadlines(['kept'], 3)
    })
    expect(await set('kept', 3)).toEqual(at(2_000))
  })

  it('takes the end of a run back when it goes on', async () => {
    const runId = await newRun()
    await harness().store.transact(runId, (tx) => tx.save(state('parked'), { output: null, error: boom }))
    await harness().store.transact(runId, (tx) => tx.save(state('running'), { output: null, error: null }))
    expect(await harness().inspect(runId)).toMatchObject({ status: 'running', error: null })
  })
}
