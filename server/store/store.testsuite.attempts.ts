import { expect, it } from 'vitest'
import type { AttemptEnd } from '@/server/engine/ports'
import { boom, done, ref, type StoreRoom } from './store.testsuite.room'

/** The contract's part about claims and how attempts end. */
export function attemptCases({ harness, newRun, job, within, enqueued, fetchOf, claimed, row }: StoreRoom): void {
  it('delivers the job of an enqueued row once the transaction is committed, and its claim makes the row run', async () => {
    const runId = await newRun()
    const j = await enqueued(runId, ref('a'))
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: j.id })
    const [fetched] = await fetchOf(runId)
    expect(fetched).toEqual({ id: j.id, data: j.data, redelivered: false })
    const got = await harness().store.claim(fetched!)
    expect(got).toMatchObject({ takenOver: false, undoes: null, row: { status: 'running', attempt: 1 }, run: { id: runId } })
    expect(got!.row.startedAt).toBeInstanceOf(Date)
  })

  it('refuses a claim by a job that the row does not name, and a second claim by the one it does', async () => {
    const runId = await newRun()
    const j = await enqueued(runId, ref('a'))
    const [fetched] = await fetchOf(runId)
    for (const redelivered of [false, true])
      expect(await harness().store.claim({ ...fetched!, id: harness().newId(), redelivered })).toBeNull()
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: j.id })
    expect(await harness().store.claim(fetched!)).not.toBeNull()
    expect(await harness().store.claim(fetched!)).toBeNull()
    expect(await harness().store.claim({ ...fetched!, id: harness().newId(), redelivered: true })).toBeNull()
  })

  it('records an end only for the attempt and the job that own the row', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt + 1, c.job.id, done(1)))).toBe(false)
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, harness().newId(), done(1)))).toBe(false)
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, done(1, { n: 1 }, true)))).toBe(true)
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, done(2, { n: 2 })))).toBe(false)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'succeeded', seq: 1, output: { n: 1 } })
  })

  it('lets a redelivered job take over the row it names, which fences the former owner', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    await harness().loseWorker([c.job.id])
    const [again] = await fetchOf(runId)
    expect(again).toMatchObject({ id: c.job.id, redelivered: true })
    const taken = await harness().store.claim(again!)
    expect(taken).toMatchObject({ takenOver: true, row: { status: 'running', attempt: 2 } })
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), 1, c.job.id, done(1)))).toBe(false)
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), 2, c.job.id, done(1)))).toBe(true)
  })

  it('gives a row that was taken over and not started again back to the attempt that was lost, whose owner stays fenced', async () => {
    const ends: AttemptEnd[] = [
      { kind: 'failed', error: boom, ambiguous: true },
      { kind: 'interrupted', ambiguous: true },
    ]
    for (const end of ends) {
      const runId = await newRun()
      const c = await claimed(runId, ref('a'))
      await harness().loseWorker([c.job.id])
      await harness().store.claim((await fetchOf(runId))[0]!)
      expect(await within(runId, (tx) => tx.backToLost(ref('a'), 1, c.job.id))).toBe(false)
      expect(await within(runId, (tx) => tx.backToLost(ref('a'), 2, harness().newId()))).toBe(false)
      const ended = within(runId, async (tx) => [
        await tx.backToLost(ref('a'), 2, c.job.id),
        await tx.endAttempt(ref('a'), 2, c.job.id, end),
        await tx.endAttempt(ref('a'), 1, c.job.id, end),
      ])
      expect(await ended).toEqual([true, false, true])
      expect(await row(runId, ref('a'))).toMatchObject({ status: end.kind === 'failed' ? 'failed' : 'pending', attempt: 1 })
      for (const attempt of [1, 2]) expect(await within(runId, (tx) => tx.endAttempt(ref('a'), attempt, c.job.id, done(1)))).toBe(false)
    }
  })

  it('takes a redelivered job whose row is still queued as an ordinary claim', async () => {
    const runId = await newRun()
    await enqueued(runId, ref('a'))
    const [first] = await fetchOf(runId)
    await harness().loseWorker([first!.id])
    const [again] = await fetchOf(runId)
    expect(await harness().store.claim(again!)).toMatchObject({ takenOver: false, row: { attempt: 1 } })
  })

  it('drops a redelivered job whose result is recorded already', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, done(1)))
    await harness().loseWorker([c.job.id])
    const [again] = await fetchOf(runId)
    expect(await harness().store.claim(again!)).toBeNull()
  })

  it('makes a retried row queued under its next attempt and job, and keeps when it first started', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    const startedAt = (await row(runId, ref('a')))!.startedAt
    const next = job(runId, ref('a'))
    const end: AttemptEnd = { kind: 'retry', error: boom, ambiguous: true, job: next, attempt: 2 }
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, end))).toBe(true)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 2, jobId: next.id, error: boom })
    const [fetched] = await fetchOf(runId)
    const again = await harness().store.claim(fetched!)
    expect(again!.row.startedAt).toEqual(startedAt)
    const limited: AttemptEnd = { kind: 'retry', error: boom, ambiguous: true, job: job(runId, ref('a')), attempt: 2 }
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), 2, next.id, limited))).toBe(true)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 2 })
  })

  it('holds a job back until its time', async () => {
    const runId = await newRun()
    await enqueued(runId, ref('a'), new Date(4_000_000_000_000))
    await enqueued(runId, ref('b'), new Date(0))
    expect((await fetchOf(runId)).map((j) => j.data.stepId)).toEqual(['b'])
  })

  it('puts an interrupted row back to pending', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, { kind: 'interrupted', ambiguous: false }))).toBe(true)
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'pending' })
  })

  it('keeps what a handler said about its result', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    const result = {
      output: null,
      hint: 'call them',
      compensation: { uses: 'tool:undo', with: { id: 1 } },
      flag: 'output_truncated' as const,
    }
    await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, { kind: 'succeeded', seq: 1, result, undoable: true }))
    expect(await row(runId, ref('a'))).toMatchObject({ compensation: result.compensation, flag: 'output_truncated' })
  })

  it('stores what a step was given', async () => {
    const runId = await newRun()
    const c = await claimed(runId, ref('a'))
    await harness().store.recordInput(runId, ref('a'), c.attempt, { z: 1, a: [2] }, 'suite 1.0.0')
    expect(await row(runId, ref('a'))).toMatchObject({ status: 'running' })
  })
}
