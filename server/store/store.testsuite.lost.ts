import { expect, it } from 'vitest'
import type { EngineError, StepRef } from '@/server/engine/model'
import type { AttemptEnd } from '@/server/engine/ports'
import { done, ref, type StoreRoom } from './store.testsuite.room'

const lost: EngineError = { code: 'worker_lost', message: 'the worker was lost' }
const late: EngineError = { code: 'timeout', message: 'it took too long' }
const limited: EngineError = { code: 'rate_limited', message: 'not now' }

/** The contract's part about rows whose job is gone. */
export function lostCases({ harness, newRun, within, job, enqueued, fetchOf, claimed, row }: StoreRoom): void {
  it('finds rows whose job is gone, and their runs, and none that merely wait their turn', async () => {
    const healthy = await newRun()
    await enqueued(healthy, ref('a'), new Date(4_000_000_000_000))
    const lost = await newRun()
    const c = await claimed(lost, ref('a'))
    const queued = await enqueued(lost, ref('b'))
    const starting = await newRun()
    expect(await harness().store.stalledRuns(1_000, null)).toEqual(expect.arrayContaining([starting]))
    await harness().dropJobs([c.job.id, queued.id])
    const stalled = await harness().store.stalledRuns(1_000, null)
    expect(stalled).toEqual([...stalled].sort())
    expect(stalled).toEqual(expect.arrayContaining([lost, starting]))
    expect(stalled).not.toContain(healthy)
    expect(await harness().store.stalledRuns(1_000, stalled.at(-1)!)).toEqual([])
    const rows = await within(lost, (tx) => tx.lostRows())
    expect(rows.map((r) => [r.stepId, r.status]).sort()).toEqual([
      ['a', 'running'],
      ['b', 'queued'],
    ])
    expect(await within(healthy, (tx) => tx.lostRows())).toEqual([])
  })

  it('gives a lost row a new job under the attempt it had', async () => {
    const runId = await newRun()
    const first = await enqueued(runId, ref('a'))
    await harness().dropJobs([first.id])
    const second = await enqueued(runId, ref('a'))
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: second.id })
  })

  /** The first attempt of a row is at work, and its end is recorded by somebody else: the second is queued. */
  async function givenUp(runId: string, r: StepRef, error = lost) {
    const first = await claimed(runId, r)
    await harness().dropJobs([first.job.id])
    const next = job(runId, r)
    const end: AttemptEnd = { kind: 'retry', error, ambiguous: true, job: next, attempt: 2 }
    expect(await within(runId, (tx) => tx.endAttempt(r, 1, first.job.id, end))).toBe(true)
    const says = (said: AttemptEnd, attempt = 1) => within(runId, (tx) => tx.endAttempt(r, attempt, first.job.id, said))
    return { first, next, says }
  }

  for (const [what, r] of [
    ['a step', ref('a')],
    ['an item', ref('m', 0)],
    ['an undo', ref('a', -1, 'undo')],
  ] as const)
    it(`takes the success of an attempt that was only thought lost, and takes back the next one: ${what}`, async () => {
      const runId = await newRun()
      const { next, says } = await givenUp(runId, r)
      const [fetched] = await fetchOf(runId)
      expect(fetched?.id).toBe(next.id)
      expect(await says(done(1, { n: 1 }, true))).toBe(true)
      expect(await row(runId, r)).toMatchObject({ status: 'succeeded', attempt: 1, seq: 1, output: { n: 1 }, error: null })
      expect(await harness().store.claim(fetched!)).toBeNull()
      expect(await says(done(2, { n: 2 }))).toBe(false)
      await harness().loseWorker([next.id])
      expect(await fetchOf(runId)).toEqual([])
      expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
    })

  it('takes it also where a quota puts the next attempt off', async () => {
    const runId = await newRun()
    const { says } = await givenUp(runId, ref('a'))
    const { teamId } = (await within(runId, async (tx) => tx.run)).principal
    await harness().setQuota(teamId, { stepsPerDay: null, concurrentSteps: 0 })
    try {
      const [fetched] = await fetchOf(runId)
      expect(await harness().store.claim(fetched!)).toBeNull()
      expect((await row(runId, ref('a')))?.deferred).not.toBeNull()
      expect(await says(done(1))).toBe(true)
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'succeeded', deferred: null })
    } finally {
      await harness().setQuota(teamId, null)
    }
    await harness().store.readmit(teamId)
    expect(await fetchOf(runId)).toEqual([])
  })

  it('refuses a late success once the next attempt is claimed, also where that waits once more', async () => {
    const runId = await newRun()
    const { next, says } = await givenUp(runId, ref('a'))
    const [fetched] = await fetchOf(runId)
    expect(await harness().store.claim(fetched!)).not.toBeNull()
    expect(await says(done(1))).toBe(false)
    const again: AttemptEnd = { kind: 'retry', error: limited, ambiguous: false, job: job(runId, ref('a')), attempt: 2 }
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), 2, next.id, again))).toBe(true)
    expect(await says(done(1))).toBe(false)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 2 })
  })

  it('refuses the late success of an attempt whose time was up, of an older one, and of one that was recalled', async () => {
    const timedOut = await givenUp(await newRun(), ref('a'), late)
    expect(await timedOut.says(done(1))).toBe(false)
    const runId = await newRun()
    const { says } = await givenUp(runId, ref('a'))
    expect(await says(done(1), 0)).toBe(false)
    await within(runId, (tx) => tx.recall())
    expect(await says(done(1))).toBe(false)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'pending' })
  })

  it('ignores whatever else an attempt says that was thought lost', async () => {
    const runId = await newRun()
    const { next, says } = await givenUp(runId, ref('a'))
    const ends: AttemptEnd[] = [
      { kind: 'failed', error: late, ambiguous: false },
      { kind: 'retry', error: late, ambiguous: true, job: job(runId, ref('a')), attempt: 2 },
      { kind: 'interrupted', ambiguous: false },
      { kind: 'child', runId: harness().newId() },
    ]
    for (const end of ends) expect(await says(end), end.kind).toBe(false)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 2, jobId: next.id, error: lost })
    expect((await fetchOf(runId)).map(({ id }) => id)).toEqual([next.id])
  })
}
