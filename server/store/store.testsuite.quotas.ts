import { beforeEach, expect, it } from 'vitest'
import type { RunState, StepRef } from '@/server/engine/model'
import type { Claimed, Job, RunTx } from '@/server/engine/ports'
import type { StoreHarness } from './store.testsuite.harness'
import type { StoreRoom } from './store.testsuite.room'

const SPEC = JSON.stringify({ spec: 1, slug: 'suite', title: 'Suite', steps: [{ id: 'a', uses: 'tool:t', after: [] }] })
const state = (): RunState => ({ status: 'running', seq: 0, steps: new Map([['a', { at: 'active', epoch: 1 }]]) })
const ref = (item: number, call: StepRef['call'] = ''): StepRef => ({ stepId: 'a', item, call, epoch: 1 })

const started = (claims: (Claimed | null)[]) => claims.flatMap((claim) => (claim ? [claim.row.item] : []))

/** The contract's part about quotas: each test has a team of its own. */
export function quotaCases({ harness }: StoreRoom): void {
  let seeded: Awaited<ReturnType<StoreHarness['seed']>>
  let mine: Set<string>
  beforeEach(async () => {
    seeded = await harness().seed(SPEC)
    mine = new Set()
  })
  const limit = (stepsPerDay: number | null, concurrentSteps: number | null) =>
    harness().setQuota(seeded.principal.teamId, { stepsPerDay, concurrentSteps })
  const claimAll = (jobs: Job[]) => Promise.all(jobs.map((job) => harness().store.claim(job)))
  const rowsOf = async (runId: string) => (await harness().inspect(runId)).rows.sort((a, b) => a.item - b.item)
  const deferrals = async (runId: string) => (await rowsOf(runId)).map((row) => row.deferred?.reason ?? row.status)
  const readmit = () => harness().store.readmit(seeded.principal.teamId)

  async function within<T>(runId: string, work: (tx: RunTx) => Promise<T>): Promise<T> {
    const got = await harness().store.transact(runId, async (tx) => {
      const value = await work(tx)
      await tx.save(state())
      return { value }
    })
    if (!got) throw new Error('no such run')
    return got.value
  }
  async function fetch(): Promise<Job[]> {
    const jobs: Job[] = []
    for (;;) {
      const fetched = await harness().queue.fetch(100)
      if (fetched.length === 0) return jobs
      jobs.push(...fetched.filter((job) => mine.has(job.data.runId)))
    }
  }
  /** A run with so many queued rows, and their jobs as a worker fetched them. */
  async function fetched(rows: number, call: StepRef['call'] = ''): Promise<{ runId: string; jobs: Job[] }> {
    const { store, newId } = harness()
    const { definition, principal } = seeded
    const runId = newId()
    await store.insertRun({ id: runId, definition, principal, title: null, input: {} }, state(), 1)
    mine.add(runId)
    await within(runId, (tx) =>
      tx.enqueue(Array.from({ length: rows }, (_, i) => ({ id: newId(), data: { runId, ...ref(i, call) }, teamId: principal.teamId }))),
    )
    return { runId, jobs: (await fetch()).sort((a, b) => a.data.item - b.data.item) }
  }
  async function end(claim: Claimed | null | undefined): Promise<void> {
    if (!claim) throw new Error('it was not claimed')
    const { run, row } = claim
    const how = { kind: 'succeeded' as const, seq: 1, result: { output: null }, undoable: false }
    expect(await within(run.id, (tx) => tx.endAttempt(row, row.attempt, row.jobId ?? '', how))).toBe(true)
  }

  it('claims no more than the steps of a day; the others stay queued until the next UTC day, under their attempt', async () => {
    await limit(3, null)
    const { runId, jobs } = await fetched(5)
    const claims = await claimAll(jobs)
    expect(started(claims)).toHaveLength(3)
    const late = (await rowsOf(runId)).filter((row) => row.status === 'queued')
    expect(late).toHaveLength(2)
    for (const row of late) {
      expect(row).toMatchObject({ attempt: 1, startedAt: null, deferred: { reason: 'steps_per_day' } })
      expect(row.deferred!.until.getTime() % 86_400_000).toBe(0)
      expect(jobs.map(({ id }) => id)).not.toContain(row.jobId)
    }
    expect(await fetch()).toEqual([])
    expect(await within(runId, (tx) => tx.lostRows())).toEqual([])
    expect(await harness().store.stalledRuns(1_000, null)).not.toContain(runId)
  })

  it('drops the job that was fetched: redelivered, it finds a row that is not its own', async () => {
    await limit(0, null)
    const { runId, jobs } = await fetched(1)
    expect(await claimAll(jobs)).toEqual([null])
    expect(await claimAll(jobs.map(({ id, data }) => ({ id, data, redelivered: true })))).toEqual([null])
    expect(await deferrals(runId)).toEqual(['steps_per_day'])
  })

  it('lets nobody in beyond a number of steps at the same time, and calls who waits longest when one ends', async () => {
    await limit(null, 2)
    const { runId, jobs } = await fetched(4)
    const [first, second] = await claimAll(jobs.slice(0, 2))
    // One after the other: of two that ask at once nobody knows which was first.
    for (const job of jobs.slice(2)) expect(await claimAll([job])).toEqual([null])
    expect(await deferrals(runId)).toEqual(['running', 'running', 'concurrent_steps', 'concurrent_steps'])
    expect([first?.limited, second?.limited]).toEqual([true, true])
    await readmit()
    expect(await fetch()).toEqual([])
    await end(first)
    await readmit()
    await readmit() // one place is kept once
    expect(await deferrals(runId)).toEqual(['succeeded', 'running', 'queued', 'concurrent_steps'])
    const called = await fetch()
    expect(called.map(({ data }) => data.item)).toEqual([2])
    expect(started(await claimAll(called))).toEqual([2])
  })

  it('keeps a place that is free for who waits, though somebody else comes first', async () => {
    await limit(null, 1)
    const { runId, jobs } = await fetched(2)
    const [first] = await claimAll(jobs.slice(0, 1))
    await claimAll(jobs.slice(1))
    await end(first)
    const other = await fetched(1)
    expect(await claimAll(other.jobs)).toEqual([null])
    expect(await deferrals(other.runId)).toEqual(['concurrent_steps'])
    const called = await fetch()
    expect(called.map(({ data }) => data.runId)).toEqual([runId])
    expect(started(await claimAll(called))).toEqual([1])
  })

  it('counts exactly when many claim at the same time', async () => {
    await limit(20, 7)
    const runs = await Promise.all([fetched(10), fetched(10), fetched(10)])
    const jobs = runs.flatMap((run) => run.jobs)
    let done = 0
    for (let claims = await claimAll(jobs); started(claims).length > 0; claims = await claimAll(await fetch())) {
      expect(started(claims).length).toBeLessThanOrEqual(7)
      done += started(claims).length
      await Promise.all(claims.filter((claim) => claim !== null).map(end))
      await readmit()
    }
    expect(done).toBe(20)
    const left = (await Promise.all(runs.map(({ runId }) => deferrals(runId)))).flat()
    expect(left.filter((status) => status !== 'succeeded')).toHaveLength(jobs.length - 20)
  })

  it('calls what waits when the limits are raised or gone, and knows whose steps wait', async () => {
    const { store } = harness()
    await limit(1, null)
    const { runId, jobs } = await fetched(3)
    await claimAll(jobs)
    expect(await store.deferredTeams()).toContain(seeded.principal.teamId)
    await limit(2, null)
    await readmit()
    expect(started(await claimAll(await fetch()))).toHaveLength(1)
    await harness().setQuota(seeded.principal.teamId, null)
    await readmit()
    expect(started(await claimAll(await fetch()))).toHaveLength(1)
    expect(await deferrals(runId)).toEqual(['running', 'running', 'running'])
    expect(await store.deferredTeams()).not.toContain(seeded.principal.teamId)
  })

  it('calls what waits for a place before what was put off for the day and waits longer', async () => {
    await limit(1, 5)
    const late = await fetched(2)
    const [running] = await claimAll(late.jobs.slice(0, 1))
    await claimAll(late.jobs.slice(1))
    await limit(null, 1)
    const { runId, jobs } = await fetched(1)
    await claimAll(jobs)
    expect([await deferrals(late.runId), await deferrals(runId)]).toEqual([['running', 'steps_per_day'], ['concurrent_steps']])
    await end(running)
    await readmit()
    expect(started(await claimAll(await fetch()))).toEqual([0])
    expect([await deferrals(late.runId), await deferrals(runId)]).toEqual([['succeeded', 'steps_per_day'], ['running']])
  })

  it('counts among the steps at the same time those that were let in while there was such a limit', async () => {
    const { jobs } = await fetched(3)
    const [before] = await claimAll(jobs.slice(0, 1))
    await limit(null, 1)
    expect(started(await claimAll(jobs.slice(1, 2)))).toEqual([1])
    expect(started(await claimAll(jobs.slice(2)))).toEqual([])
    await end(before)
    await readmit()
    expect(await fetch()).toEqual([])
  })

  it('counts a step once, and does not put it off for the day when it is tried again', async () => {
    await limit(1, null)
    const { runId, jobs } = await fetched(1)
    const [claim] = await claimAll(jobs)
    const again = { id: harness().newId(), data: { runId, ...ref(0) }, teamId: seeded.principal.teamId }
    const how = { kind: 'retry' as const, error: { code: 'transient' as const, message: '' }, ambiguous: true, job: again, attempt: 2 }
    await within(runId, (tx) => tx.endAttempt(claim!.row, 1, jobs[0]!.id, how))
    expect(await claimAll(await fetch())).toMatchObject([{ row: { attempt: 2 } }])
  })

  it('calls a step that is tried again before those that wait longer, but for the next day', async () => {
    await limit(2, 1)
    const { runId, jobs } = await fetched(2)
    const [first] = await claimAll(jobs.slice(0, 1))
    await claimAll(jobs.slice(1))
    const again = { id: harness().newId(), data: { runId, ...ref(0) }, teamId: seeded.principal.teamId }
    const how = { kind: 'retry' as const, error: { code: 'transient' as const, message: '' }, ambiguous: true, job: again, attempt: 2 }
    await within(runId, (tx) => tx.endAttempt(first!.row, 1, jobs[0]!.id, how))
    const retry = await fetch()
    await readmit()
    const [second] = await claimAll(await fetch())
    const other = await fetched(1)
    await claimAll(other.jobs)
    expect(await claimAll(retry)).toEqual([null])
    expect([await deferrals(other.runId), await deferrals(runId)]).toEqual([['steps_per_day'], ['concurrent_steps', 'running']])
    await end(second)
    await readmit()
    expect(await claimAll(await fetch())).toMatchObject([{ row: { item: 0, attempt: 2 } }])
  })

  it('gives a job once that is asked for twice at the same time', async () => {
    await limit(5, 5)
    const { jobs } = await fetched(2)
    expect(started(await claimAll([jobs[0]!, ...Array.from({ length: 8 }, () => jobs[1]!)]))).toEqual([0, 1])
  })

  it('lets an undo through, whatever was used', async () => {
    await limit(0, 0)
    const { jobs } = await fetched(1, 'undo')
    expect(await claimAll(jobs)).toMatchObject([{ row: { status: 'running' }, limited: false }])
  })

  it('takes back what is put off, and it neither runs nor stands in the way of others', async () => {
    await limit(null, 1)
    const { runId, jobs } = await fetched(2)
    const [first] = await claimAll(jobs.slice(0, 1))
    await claimAll(jobs.slice(1))
    expect(await within(runId, (tx) => tx.recall())).toEqual([{ stepId: 'a', item: 1 }])
    expect((await rowsOf(runId))[1]).toMatchObject({ status: 'pending', jobId: null, deferred: null })
    await end(first)
    await readmit()
    expect(await fetch()).toEqual([])
    expect(started(await claimAll((await fetched(1)).jobs))).toEqual([0])
  })

  it('gives the place of a lost worker to whoever takes the step over, and to nobody else', async () => {
    await limit(null, 1)
    const { runId, jobs } = await fetched(2)
    await claimAll(jobs.slice(0, 1))
    await harness().loseWorker([jobs[0]!.id])
    const [again] = await claimAll((await fetch()).filter(({ redelivered }) => redelivered))
    expect(again).toMatchObject({ takenOver: true, limited: true, row: { attempt: 2 } })
    await claimAll(jobs.slice(1))
    expect(await deferrals(runId)).toEqual(['running', 'concurrent_steps'])
  })
}
