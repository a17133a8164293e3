import { expect } from 'vitest'
import type { Json } from '@/spec'
import type { EngineError, RunState, StepRef } from '@/server/engine/model'
import type { AttemptEnd, Job, NewGate, NewJob, RunTx } from '@/server/engine/ports'
import type { StoreHarness } from './store.testsuite.harness'

export const SPEC = JSON.stringify({ spec: 1, slug: 'suite', title: 'Suite', steps: [{ id: 'a', uses: 'tool:t', after: [] }] })
export const ref = (stepId: string, item = -1, call: StepRef['call'] = ''): StepRef => ({ stepId, item, call, epoch: 1 })
export const done = (seq: number | null, output: Json = null, undoable = false): AttemptEnd => ({
  kind: 'succeeded',
  seq,
  result: { output },
  undoable,
})
export const fresh = (): RunState => ({ status: 'queued', seq: 0, steps: new Map([['a', { at: 'pending' }]]) })
export const running = (): RunState => ({ status: 'running', seq: 0, steps: new Map([['a', { at: 'active', epoch: 1 }]]) })
export const boom: EngineError = { code: 'failed', message: 'it broke' }
const GATE: Omit<NewGate, 'id'> = {
  stepId: 'a',
  epoch: 1,
  role: 'manager',
  channels: ['web'],
  approvals: 1,
  selfApproval: false,
  requireSignIn: false,
  title: 'May it?',
  message: null,
  show: { z: 1, a: 2 },
  form: null,
  shownHash: 'h',
  expiresAt: new Date(4_000_000_000_000),
}

type Seeded = Awaited<ReturnType<StoreHarness['seed']>>

/** What the parts of the contract share: one store, one team in it, and the steps that most cases begin with. */
export type StoreRoom = ReturnType<typeof storeRoom>

/** The harness and what it has seeded are there once the suite's own set-up has run, and are asked for when they are needed. */
export function storeRoom(harness: () => StoreHarness, seeded: () => Seeded) {
  async function newRun(input: Record<string, Json> = {}): Promise<string> {
    const id = harness().newId()
    await harness().store.insertRun(
      { id, definition: seeded().definition, principal: seeded().principal, title: 'A run', input },
      fresh(),
      1,
    )
    return id
  }
  const job = (runId: string, r: StepRef, startAfter?: Date): NewJob => ({
    id: harness().newId(),
    data: { runId, ...r },
    teamId: seeded().definition.teamId,
    ...(startAfter ? { startAfter } : {}),
  })
  async function within<T>(runId: string, work: (tx: RunTx) => Promise<T>, state = running()): Promise<T> {
    const got = await harness().store.transact(runId, async (tx) => {
      const value = await work(tx)
      await tx.save(state)
      return { value }
    })
    if (!got) throw new Error('no such run')
    return got.value
  }
  async function enqueued(runId: string, r: StepRef, startAfter?: Date): Promise<NewJob> {
    const j = job(runId, r, startAfter)
    await within(runId, (tx) => tx.enqueue([j]))
    return j
  }
  /** The jobs of one run among all that can be fetched now; the others stay fetched, each test minds its own. */
  async function fetchOf(runId: string): Promise<Job[]> {
    const mine: Job[] = []
    for (;;) {
      const jobs = await harness().queue.fetch(50)
      if (jobs.length === 0) return mine
      mine.push(...jobs.filter((j) => j.data.runId === runId))
    }
  }
  async function claimed(runId: string, r: StepRef): Promise<{ job: Job; attempt: number }> {
    const j = await enqueued(runId, r)
    const fetched = (await fetchOf(runId)).find((f) => f.id === j.id)
    if (!fetched) throw new Error('the job was not delivered')
    const got = await harness().store.claim(fetched)
    if (!got) throw new Error('the row was not claimed')
    return { job: fetched, attempt: got.row.attempt }
  }
  async function succeed(runId: string, r: StepRef, seq: number | null, output: Json = null, undoable = false): Promise<void> {
    const c = await claimed(runId, r)
    expect(await within(runId, (tx) => tx.endAttempt(r, c.attempt, c.job.id, done(seq, output, undoable)))).toBe(true)
    await harness().queue.complete([c.job.id])
  }
  const gateOf = (over: Partial<NewGate> = {}): NewGate => ({ ...GATE, id: harness().newId(), ...over })
  const row = async (runId: string, r: StepRef) =>
    (await harness().inspect(runId)).rows.find((x) => x.stepId === r.stepId && x.item === r.item && x.call === r.call)
  return { harness, seeded, newRun, job, within, enqueued, fetchOf, claimed, succeed, gateOf, row }
}
