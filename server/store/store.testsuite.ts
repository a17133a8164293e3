import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Json } from '@/spec'
import type { AttemptEnd, Job, NewGate, NewJob, RunTx } from '@/server/engine/ports'
import type { StoreHarness } from './store.testsuite.harness'
import { childCases } from './store.testsuite.children'
import { conversationCases } from './store.testsuite.conversations'
import { queueCases } from './store.testsuite.queues'
import { quotaCases } from './store.testsuite.quotas'
import { redriveRooms } from './store.testsuite.redrive'
import { timerCases } from './store.testsuite.timers'
import { traceCases } from './store.testsuite.traces'
import type { EngineError, RunState, StepRef } from '@/server/engine/model'

const SPEC = JSON.stringify({ spec: 1, slug: 'suite', title: 'Suite', steps: [{ id: 'a', uses: 'tool:t', after: [] }] })
const ref = (stepId: string, item = -1, call: StepRef['call'] = ''): StepRef => ({ stepId, item, call, epoch: 1 })
const done = (seq: number | null, output: Json = null, undoable = false): AttemptEnd => ({
  kind: 'succeeded',
  seq,
  result: { output },
  undoable,
})
const fresh = (): RunState => ({ status: 'queued', seq: 0, steps: new Map([['a', { at: 'pending' }]]) })
const running = (): RunState => ({ status: 'running', seq: 0, steps: new Map([['a', { at: 'active', epoch: 1 }]]) })
const vote = (userId: string, ms: number) => ({
  userId,
  decision: 'approve' as const,
  comment: 'ok',
  form: null,
  channel: 'web' as const,
  at: new Date(ms),
})
const boom: EngineError = { code: 'failed', message: 'it broke' }

/** The contract of a store: every adapter passes it. */
export function storeSuite(name: string, setup: () => Promise<StoreHarness>): void {
  describe(`the store contract: ${name}`, () => {
    let h: StoreHarness
    let seeded: Awaited<ReturnType<StoreHarness['seed']>>
    beforeAll(async () => {
      h = await setup()
      seeded = await h.seed(SPEC)
    })
    afterAll(() => h.close())

    async function newRun(input: Record<string, Json> = {}): Promise<string> {
      const id = h.newId()
      await h.store.insertRun({ id, definition: seeded.definition, principal: seeded.principal, title: 'A run', input }, fresh(), 1)
      return id
    }
    const job = (runId: string, r: StepRef, startAfter?: Date): NewJob => ({
      id: h.newId(),
      data: { runId, ...r },
      teamId: seeded.definition.teamId,
      ...(startAfter ? { startAfter } : {}),
    })
    async function within<T>(runId: string, work: (tx: RunTx) => Promise<T>, state = running()): Promise<T> {
      const got = await h.store.transact(runId, async (tx) => {
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
        const jobs = await h.queue.fetch(50)
        if (jobs.length === 0) return mine
        mine.push(...jobs.filter((j) => j.data.runId === runId))
      }
    }
    async function claimed(runId: string, r: StepRef): Promise<{ job: Job; attempt: number }> {
      const j = await enqueued(runId, r)
      const fetched = (await fetchOf(runId)).find((f) => f.id === j.id)
      if (!fetched) throw new Error('the job was not delivered')
      const got = await h.store.claim(fetched)
      if (!got) throw new Error('the row was not claimed')
      return { job: fetched, attempt: got.row.attempt }
    }
    async function succeed(runId: string, r: StepRef, seq: number | null, output: Json = null, undoable = false): Promise<void> {
      const c = await claimed(runId, r)
      expect(await within(runId, (tx) => tx.endAttempt(r, c.attempt, c.job.id, done(seq, output, undoable)))).toBe(true)
      await h.queue.complete([c.job.id])
    }
    const gateOf = (over: Partial<NewGate> = {}): NewGate => ({
      id: h.newId(),
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
      ...over,
    })
    const row = async (runId: string, r: StepRef) =>
      (await h.inspect(runId)).rows.find((x) => x.stepId === r.stepId && x.item === r.item && x.call === r.call)

    it('gives back a run as it was stored, key order and awkward strings included', async () => {
      const input = { z: 1, a: '\u0000 \u2028', '2': [0.1, { b: null }] }
      const runId = await newRun(input)
      const read = await within(runId, async (tx) => tx.run, fresh())
      expect(JSON.stringify(read.input)).toBe(JSON.stringify(input))
      expect(read).toMatchObject({ id: runId, principal: seeded.principal, definition: { id: seeded.definition.id, spec: SPEC } })
      expect(read.state).toEqual(fresh())
      expect(await h.store.definition(seeded.definition.id)).toEqual(seeded.definition)
    })

    it('answers null for a run, a definition and a gate that do not exist', async () => {
      expect(await h.store.transact(h.newId(), async () => 1)).toBeNull()
      expect(await h.store.definition(h.newId())).toBeNull()
      expect(await h.store.gate(h.newId())).toBeNull()
    })

    it('keeps nothing of a transaction whose work throws: no state, no row, no job', async () => {
      const runId = await newRun()
      const failing = h.store.transact(runId, async (tx) => {
        await tx.enqueue([job(runId, ref('a'))])
        await tx.save(running())
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await h.inspect(runId)).toMatchObject({ status: 'queued', rows: [] })
      expect(await fetchOf(runId)).toEqual([])
    })

    it('lets one transaction at a time into a run, and each sees what the one before it wrote', async () => {
      const runId = await newRun()
      const raise = () =>
        h.store.transact(runId, async (tx) => {
          await Promise.resolve()
          await tx.save({ ...tx.run.state, seq: tx.run.state.seq + 1 })
        })
      await Promise.all(Array.from({ length: 8 }, raise))
      expect(await within(runId, async (tx) => tx.run.state.seq)).toBe(8)
    })

    it('raises the version of a run with each transition', async () => {
      const runId = await newRun()
      const before = (await h.inspect(runId)).version
      await within(runId, async () => undefined)
      expect((await h.inspect(runId)).version).toBe(before + 1)
    })

    it('delivers the job of an enqueued row once the transaction is committed, and its claim makes the row run', async () => {
      const runId = await newRun()
      const j = await enqueued(runId, ref('a'))
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: j.id })
      const [fetched] = await fetchOf(runId)
      expect(fetched).toEqual({ id: j.id, data: j.data, redelivered: false })
      const got = await h.store.claim(fetched!)
      expect(got).toMatchObject({ takenOver: false, undoes: null, row: { status: 'running', attempt: 1 }, run: { id: runId } })
      expect(got!.row.startedAt).toBeInstanceOf(Date)
    })

    it('refuses a claim by a job that the row does not name, and a second claim by the one it does', async () => {
      const runId = await newRun()
      const j = await enqueued(runId, ref('a'))
      const [fetched] = await fetchOf(runId)
      for (const redelivered of [false, true]) expect(await h.store.claim({ ...fetched!, id: h.newId(), redelivered })).toBeNull()
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: j.id })
      expect(await h.store.claim(fetched!)).not.toBeNull()
      expect(await h.store.claim(fetched!)).toBeNull()
      expect(await h.store.claim({ ...fetched!, id: h.newId(), redelivered: true })).toBeNull()
    })

    it('records an end only for the attempt and the job that own the row', async () => {
      const runId = await newRun()
      const c = await claimed(runId, ref('a'))
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt + 1, c.job.id, done(1)))).toBe(false)
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, h.newId(), done(1)))).toBe(false)
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, done(1, { n: 1 }, true)))).toBe(true)
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, done(2, { n: 2 })))).toBe(false)
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'succeeded', seq: 1, output: { n: 1 } })
    })

    it('lets a redelivered job take over the row it names, which fences the former owner', async () => {
      const runId = await newRun()
      const c = await claimed(runId, ref('a'))
      await h.loseWorker([c.job.id])
      const [again] = await fetchOf(runId)
      expect(again).toMatchObject({ id: c.job.id, redelivered: true })
      const taken = await h.store.claim(again!)
      expect(taken).toMatchObject({ takenOver: true, row: { status: 'running', attempt: 2 } })
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), 1, c.job.id, done(1)))).toBe(false)
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), 2, c.job.id, done(1)))).toBe(true)
    })

    it('takes a redelivered job whose row is still queued as an ordinary claim', async () => {
      const runId = await newRun()
      await enqueued(runId, ref('a'))
      const [first] = await fetchOf(runId)
      await h.loseWorker([first!.id])
      const [again] = await fetchOf(runId)
      expect(await h.store.claim(again!)).toMatchObject({ takenOver: false, row: { attempt: 1 } })
    })

    it('drops a redelivered job whose result is recorded already', async () => {
      const runId = await newRun()
      const c = await claimed(runId, ref('a'))
      await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, done(1)))
      await h.loseWorker([c.job.id])
      const [again] = await fetchOf(runId)
      expect(await h.store.claim(again!)).toBeNull()
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
      const again = await h.store.claim(fetched!)
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
      expect(await within(runId, (tx) => tx.endAttempt(ref('a'), c.attempt, c.job.id, { kind: 'interrupted', ambiguous: false }))).toBe(
        true,
      )
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'pending' })
    })

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
      expect(await h.store.outputs(runId, ids)).toEqual(expected)
      expect(await within(runId, (tx) => tx.outputs(ids))).toEqual(expected)
    })

    it('keeps the order of keys in an output, and the difference between null and nothing', async () => {
      const runId = await newRun()
      await succeed(runId, ref('a'), 1, { z: 1, a: '\u0000' })
      await succeed(runId, ref('b'), 2, null)
      const outputs = await h.store.outputs(runId, ['a', 'b', 'c'])
      expect(JSON.stringify(outputs.get('a'))).toBe('{"z":1,"a":"\\u0000"}')
      expect([outputs.get('b'), outputs.has('c')]).toEqual([null, false])
    })

    it('opens a map over its array and gives each item its own value, also null', async () => {
      const runId = await newRun()
      await within(runId, (tx) => tx.openMap(ref('m'), ['x', null, { n: 3 }]))
      const items = (await h.inspect(runId)).rows.filter((r) => r.item >= 0).sort((p, q) => p.item - q.item)
      expect(items.map((r) => [r.status, r.itemValue])).toEqual([
        ['pending', 'x'],
        ['pending', null],
        ['pending', { n: 3 }],
      ])
      expect(await row(runId, ref('m'))).toMatchObject({ status: 'waiting' })
      const j = await enqueued(runId, ref('m', 2))
      const [fetched] = await fetchOf(runId)
      expect(fetched!.id).toBe(j.id)
      expect((await h.store.claim(fetched!))!.row.itemValue).toEqual({ n: 3 })
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
      expect((await h.store.outputs(runId, ['m'])).get('m')).toEqual({ ...output, error: { code: 'map_failed', message: 'too many' } })
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

    it('recalls what is queued and withdraws what is open, and leaves what is on a worker and what undoes', async () => {
      const runId = await newRun()
      const onWorker = await claimed(runId, ref('w'))
      await enqueued(runId, ref('q'))
      await enqueued(runId, ref('later'), new Date(4_000_000_000_000))
      await enqueued(runId, ref('w', -1, 'undo'), new Date(4_000_000_000_000))
      const gate = gateOf({ stepId: 'g' })
      const recalled = await within(runId, async (tx) => {
        await tx.openGate(gate)
        return tx.recall()
      })
      expect(recalled.map((r) => r.stepId).sort()).toEqual(['later', 'q'])
      expect(await row(runId, ref('q'))).toMatchObject({ status: 'pending' })
      expect(await row(runId, ref('w', -1, 'undo'))).toMatchObject({ status: 'queued' })
      expect(await h.store.gate(gate.id)).toMatchObject({ status: 'withdrawn' })
      expect(await fetchOf(runId)).toEqual([])
      expect(await within(runId, (tx) => tx.endAttempt(ref('w'), onWorker.attempt, onWorker.job.id, done(1)))).toBe(true)
    })

    it('drops a recalled job that a worker had fetched already', async () => {
      const runId = await newRun()
      await enqueued(runId, ref('a'))
      const [fetched] = await fetchOf(runId)
      expect(await within(runId, (tx) => tx.recall())).toEqual([{ stepId: 'a', item: -1 }])
      expect(await h.store.claim(fetched!)).toBeNull()
    })

    it('recalls the items of one map without touching its neighbours or a gate', async () => {
      const runId = await newRun()
      const gate = gateOf({ stepId: 'g' })
      await within(runId, async (tx) => {
        await tx.openMap(ref('m'), [1, 2])
        await tx.openGate(gate)
        await tx.enqueue([job(runId, ref('m', 1)), job(runId, ref('other'))])
      })
      expect(await within(runId, (tx) => tx.recall('m'))).toEqual([{ stepId: 'm', item: 1 }])
      expect(await row(runId, ref('other'))).toMatchObject({ status: 'queued' })
      expect(await h.store.gate(gate.id)).toMatchObject({ status: 'open' })
    })

    it('opens a gate, with what an approver sees in the order of its author', async () => {
      const runId = await newRun()
      const gate = gateOf({ message: { text: 'hm' } })
      await within(runId, (tx) => tx.openGate(gate))
      const read = await h.store.gate(gate.id)
      expect(read).toMatchObject({ ...gate, runId, status: 'open' })
      expect(Object.keys(read!.show)).toEqual(['z', 'a'])
      expect(await within(runId, (tx) => tx.gate(gate.id))).toEqual(read)
      await within(runId, (tx) => tx.settleGate(gate.id, 'approved'))
      expect(await h.store.gate(gate.id)).toMatchObject({ status: 'approved' })
    })

    it('takes one decision of a person, and lists them in the order of time', async () => {
      const runId = await newRun()
      const gate = gateOf()
      await within(runId, async (tx) => {
        await tx.openGate(gate)
        expect(await tx.insertDecision(gate.id, vote(seeded.managerId, 2_000))).toBe(true)
        expect(await tx.insertDecision(gate.id, vote(seeded.managerId, 3_000))).toBe(false)
        expect(await tx.insertDecision(gate.id, vote(seeded.principal.userId, 1_000))).toBe(true)
      })
      const decisions = await within(runId, (tx) => tx.decisions(gate.id))
      expect(decisions.map((d) => [d.userId, d.at.getTime()])).toEqual([
        [seeded.principal.userId, 1_000],
        [seeded.managerId, 2_000],
      ])
    })

    it('knows who holds a role in the team of the run', async () => {
      const runId = await newRun()
      const other = await h.seed(SPEC)
      const held = await within(runId, async (tx) => [
        await tx.holdsRole(seeded.managerId, 'manager'),
        await tx.holdsRole(seeded.managerId, 'attorney'),
        await tx.holdsRole(seeded.principal.userId, 'manager'),
        await tx.holdsRole(other.managerId, 'manager'),
      ])
      expect(held).toEqual([true, false, false, false])
    })

    it('lists the open gates that are due, and when the next one is', async () => {
      const runId = await newRun()
      const due = gateOf({ stepId: 'x', expiresAt: new Date(1_000) })
      const settled = gateOf({ stepId: 'y', expiresAt: new Date(1_000) })
      await within(runId, async (tx) => {
        for (const gate of [due, settled, gateOf({ stepId: 'z', expiresAt: new Date(3_900_000_000_000) })]) await tx.openGate(gate)
        await tx.settleGate(settled.id, 'rejected')
      })
      const listed = await h.store.dueGates(100)
      expect(listed.due.filter((g) => g.runId === runId)).toEqual([{ gateId: due.id, runId }])
      expect(listed.next!.getTime()).toBeLessThanOrEqual(3_900_000_000_000)
      await within(runId, (tx) => tx.settleGate(due.id, 'expired'))
      expect((await h.store.dueGates(100)).due.filter((g) => g.runId === runId)).toEqual([])
    })

    it('chooses what to undo from the latest success backwards, once each, and never what failed or cannot be undone', async () => {
      const runId = await newRun()
      await succeed(runId, ref('first'), 1, null, true)
      await succeed(runId, ref('plain'), 2, null, false)
      await within(runId, (tx) => tx.openMap(ref('m'), ['x']))
      await succeed(runId, ref('m', 0), 3, 'made', true)
      const next = () => within(runId, (tx) => tx.nextUndo())
      expect(await next()).toEqual({ stepId: 'm', item: 0, epoch: 1 })
      expect(await next()).toEqual({ stepId: 'm', item: 0, epoch: 1 })
      await enqueued(runId, ref('m', 0, 'undo'))
      const [fetched] = await fetchOf(runId)
      const undo = await h.store.claim(fetched!)
      expect(undo!.undoes).toMatchObject({ stepId: 'm', item: 0, call: '', output: 'made', itemValue: 'x' })
      await within(runId, async (tx) => {
        expect(await tx.endAttempt(ref('m', 0, 'undo'), 1, fetched!.id, done(null))).toBe(true)
        await tx.settleStep(ref('m', 0), 'compensated', {})
      })
      expect(await row(runId, ref('m', 0))).toMatchObject({ status: 'compensated', output: 'made', seq: 3 })
      expect(await next()).toEqual({ stepId: 'first', item: -1, epoch: 1 })
      await enqueued(runId, ref('first', -1, 'undo'))
      expect(await next()).toBeNull()
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

    it('finds rows whose job is gone, and their runs, and none that merely wait their turn', async () => {
      const healthy = await newRun()
      await enqueued(healthy, ref('a'), new Date(4_000_000_000_000))
      const lost = await newRun()
      const c = await claimed(lost, ref('a'))
      const queued = await enqueued(lost, ref('b'))
      const starting = await newRun()
      expect(await h.store.stalledRuns(1_000, null)).toEqual(expect.arrayContaining([starting]))
      await h.dropJobs([c.job.id, queued.id])
      const stalled = await h.store.stalledRuns(1_000, null)
      expect(stalled).toEqual([...stalled].sort())
      expect(stalled).toEqual(expect.arrayContaining([lost, starting]))
      expect(stalled).not.toContain(healthy)
      expect(await h.store.stalledRuns(1_000, stalled.at(-1)!)).toEqual([])
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
      await h.dropJobs([first.id])
      const second = await enqueued(runId, ref('a'))
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'queued', attempt: 1, jobId: second.id })
    })

    childCases({ harness: () => h, seeded: () => seeded, newRun, within, claimed, fetchOf })

    timerCases({ harness: () => h, newRun, within })
    traceCases({ harness: () => h, seeded: () => seeded })
    queueCases({ harness: () => h, newRun, within })
    conversationCases({ harness: () => h, newRun, within })
    quotaCases(() => h)

    it('stores how a run finished', async () => {
      const runId = await newRun()
      await h.store.transact(runId, (tx) => tx.save({ ...running(), status: 'succeeded' }, { output: { z: 1, a: 2 }, error: null }))
      expect(await h.inspect(runId)).toMatchObject({ status: 'succeeded', output: { z: 1, a: 2 }, error: null })
      const parked = await newRun()
      await h.store.transact(parked, (tx) => tx.save({ ...running(), status: 'parked' }, { output: null, error: { ...boom, stepId: 'a' } }))
      expect(await h.inspect(parked)).toMatchObject({ status: 'parked', output: null, error: { ...boom, stepId: 'a' } })
    })

    it('stores what a step was given', async () => {
      const runId = await newRun()
      const c = await claimed(runId, ref('a'))
      await h.store.recordInput(runId, ref('a'), c.attempt, { z: 1, a: [2] }, 'suite 1.0.0')
      expect(await row(runId, ref('a'))).toMatchObject({ status: 'running' })
    })

    redriveRooms({ harness: () => h, newRun, within, claimed, succeed, fetchOf, job })
  })
}
