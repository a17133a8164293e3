import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Job, NewJob, RunTx } from '@/server/engine/ports'
import { boom, done, fresh, ref, running, SPEC } from '@/server/store/store.testsuite.room'
import { testEngine } from './testing/engine'
import { type Harness, openHarness } from './testing/harness'

const ROUNDS = 20

let h: Harness
beforeAll(async () => {
  h = await openHarness()
})
afterAll(() => h.close())

const a = ref('a')
const asFetched = ({ id, data }: NewJob): Job => ({ id, data, redelivered: false })

it('lets exactly one of a late success and the claim of the next attempt have the row', async () => {
  const { definition, principal } = await h.seed(SPEC)
  const won = { late: 0, next: 0 }
  for (let round = 0; round < ROUNDS; round++) {
    const runId = h.newId()
    const job = (): NewJob => ({ id: h.newId(), data: { runId, ...a }, teamId: principal.teamId })
    const [first, next] = [job(), job()]
    const end = <T>(work: (tx: RunTx) => Promise<T>) => h.store.transact(runId, work)
    await h.store.insertRun({ id: runId, definition, principal, title: null, input: {} }, fresh(), 1)
    await end((tx) => tx.enqueue([first]).then(() => tx.save(running())))
    expect(await h.store.claim(asFetched(first))).not.toBeNull()
    const lost = { kind: 'retry', error: { ...boom, code: 'worker_lost' }, ambiguous: true, job: next, attempt: 2 } as const
    expect(await end((tx) => tx.endAttempt(a, 1, first.id, lost))).toBe(true)
    const claim = () => h.store.claim(asFetched(next))
    const { taken, claimed } = await contend(round, end, claim, (tx) => tx.endAttempt(a, 1, first.id, done(1, 'late')))
    expect([taken, claimed !== null].filter(Boolean), `round ${round}`).toHaveLength(1)
    const { rows } = await h.pool.query('SELECT status, attempt, job_id FROM workflow_steps WHERE run_id = $1', [runId])
    const { rowCount: jobs } = await h.pool.query('SELECT 1 FROM pgboss.job WHERE id = $1', [next.id])
    const { rowCount: ends } = await h.pool.query('SELECT 1 FROM step_attempts WHERE run_id = $1', [runId])
    if (taken) {
      expect(rows).toEqual([{ status: 'succeeded', attempt: 1, job_id: first.id }])
      expect([jobs, ends], 'neither the job nor the end that was none is left').toEqual([0, 0])
      won.late++
    } else {
      expect(rows).toEqual([{ status: 'running', attempt: 2, job_id: next.id }])
      expect([jobs, ends]).toEqual([1, 1])
      won.next++
    }
  }
  expect(won.late, 'a claim that comes while the success is written waits, and finds nothing').toBeGreaterThanOrEqual(
    Math.floor(ROUNDS / 3),
  )
})

it('keeps of a lost call that is not made again one attempt, with its plugin and the time at which it started', async () => {
  const { definition, principal } = await h.seed(SPEC.replace('tool:t', 'tool:t.once'))
  const runId = h.newId()
  const job: NewJob = { id: h.newId(), data: { runId, ...a }, teamId: principal.teamId }
  await h.store.insertRun({ id: runId, definition, principal, title: null, input: {} }, fresh(), 1)
  await h.store.transact(runId, (tx) => tx.enqueue([job]).then(() => tx.save(running())))
  await h.store.claim(asFetched(job))
  await h.store.recordInput(runId, a, 1, {}, 'suite 1.0.0')
  const read = async (columns: string, table: string) =>
    (await h.pool.query<Record<string, unknown>>(`SELECT ${columns} FROM ${table} WHERE run_id = $1`, [runId])).rows
  const [started] = await read('attempt, plugin, attempt_started_at AS started_at', 'workflow_steps')
  await testEngine(h, () => Promise.reject(new Error('it is called again'))).perform({ ...asFetched(job), redelivered: true })
  expect(started).toMatchObject({ attempt: 1, plugin: 'suite 1.0.0' })
  expect(await read('attempt, plugin, attempt_started_at AS started_at', 'workflow_steps')).toEqual([started])
  expect(await read('attempt, plugin, started_at', 'step_attempts')).toEqual([started])
  expect(await read(`error ->> 'code' AS code`, 'step_attempts')).toEqual([{ code: 'outcome_unknown' }])
})

/** The claim begins at the same time as the success's transaction, just before that writes, or between its write and its commit. */
async function contend<C>(
  round: number,
  within: (work: (tx: RunTx) => Promise<boolean>) => Promise<boolean | null>,
  claim: () => Promise<C>,
  write: (tx: RunTx) => Promise<boolean>,
): Promise<{ taken: boolean | null; claimed: C }> {
  let claiming = round % 3 === 0 ? claim() : undefined
  const taken = await within(async (tx) => {
    if (round % 3 === 1) claiming = claim()
    const written = await write(tx)
    if (round % 3 === 2) claiming = claim()
    return written
  })
  if (!claiming) throw new Error('nobody claimed')
  return { taken, claimed: await claiming }
}
