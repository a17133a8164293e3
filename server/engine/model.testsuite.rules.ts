import { expect } from 'vitest'
import { keyOf, type MemoryRow, type MemoryRun } from '@/server/store/memory-run'
import { idempotencyKey } from './call'
import type { Advanced, Effect, EngineEvent, Plan, RunState, StepCursor } from './model'
import { initialState } from './plan'
import type { ModelRequest, ToolCall } from './ports'
import { parseState, serializeState } from './serialize'

type Advance = (plan: Plan, state: RunState, event: EngineEvent) => Advanced

/** What one run of the family went through. */
type Course = { plan: Plan; first: string; last: string; events: EngineEvent[]; seqAtChoice: number; undone: Set<string> }

const ENDED = ['succeeded', 'rejected', 'cancelled']

/** What may follow only once everything before it has settled, and never in a run that is stopping. */
const STARTS = new Set<Effect['type']>(['take_branch', 'open_gate', 'set_timer', 'open_map', 'reopen_map', 'choose_items'])

const ROWS: Record<StepCursor['at'], (string | undefined)[]> = {
  pending: [undefined, 'pending', 'cancelled'],
  active: ['queued', 'running'],
  deciding: [],
  waiting: ['waiting', 'cancelled'],
  settled: ['succeeded', 'failed'],
  skipped: ['skipped'],
  failed: ['failed'],
  compensated: ['compensated'],
}

/** The rules of a run, for every run of a family: what must hold whenever something starts, between any two actions, and in the end. */
export class Rules {
  /** How often a step was seen that the quota puts off. */
  putOff = 0
  readonly courses = new Map<string, Course>()
  readonly #pins = new Map<string, string>()

  /** `real` is the reducer itself: it repeats what was seen. */
  constructor(
    private readonly real: Advance,
    private readonly runs: () => MemoryRun[],
  ) {}

  /** One call of the reducer, of which nothing is stored yet. */
  advanced(runId: string, plan: Plan, state: RunState, event: EngineEvent): Advanced {
    const before = serializeState(state)
    const after = this.real(plan, state, event)
    must(serializeState(state) === before, () => 'the reducer changed what it was given')
    const course = this.courses.get(runId) ?? { plan, first: before, last: before, events: [], seqAtChoice: 0, undone: new Set<string>() }
    this.courses.set(runId, course)
    must(before === course.last, () => 'a run goes on from where it was')
    course.events.push(event)
    course.last = serializeState(after.state)
    if (event.type === 'undo_chosen') course.seqAtChoice = after.state.seq
    if (event.type === 'undo_chosen' && event.undo) {
      const undo = JSON.stringify(event.undo)
      must(!course.undone.has(undo), () => `${undo} is undone once, whether that succeeds or not`)
      course.undone.add(undo)
    }
    for (const effect of after.effects) this.#mayFollow(plan, after.state, effect)
    return after
  }

  #mayFollow(plan: Plan, state: RunState, effect: Effect): void {
    const undoes = effect.type === 'enqueue' && effect.ref.call === 'undo'
    if (undoes) must(!state.unknown?.length, () => 'nothing is undone around what nobody knows')
    if (undoes || (effect.type !== 'enqueue' && !STARTS.has(effect.type))) return
    const { stepId } = effect.type === 'enqueue' ? effect.ref : (effect as { stepId: string })
    must(!state.stopping, () => `${stepId} is started by a run that is stopping`)
    this.#isLive(plan, state, stepId)
  }

  #isLive({ graph }: Plan, state: RunState, stepId: string): void {
    const entries = graph.entries.get(stepId) ?? []
    const live = entries.filter((entry) => {
      const cursor = state.steps.get(entry.step)
      must(cursor?.at === 'settled' || cursor?.at === 'skipped', () => `${stepId} starts before ${entry.step} is settled`)
      return cursor?.at === 'settled' && cursor.port === entry.port
    })
    const needed = graph.join.get(stepId) === 'any' ? Math.min(1, entries.length) : entries.length
    must(live.length >= needed, () => `${stepId} starts without a live entry`)
  }

  /** A handler starts. */
  called(call: ToolCall): void {
    const run = this.#run(call.runId)
    const state = parseState(run.state)
    const key = call.idempotencyKey
    must(!successesOf(run).includes(key), () => `${key} has succeeded already`)
    if (/\/undo(#\d+)?$/.test(key)) return this.#undone(run, state, call)
    must(!state.stopping, () => `${key}: nothing starts once the run is stopping`)
    must(run.status === 'running', () => `${key}: a run that is ${run.status} starts nothing`)
    this.#isLive(this.#course(run).plan, state, call.stepId)
    // Whom a re-drive has given up is told so a moment later.
    for (let [below, above] = [run, this.#parent(run)]; above && !gaveUp(above, below); [below, above] = [above, this.#parent(above)])
      must(!ENDED.includes(above.status), () => `${key}: an ancestor has ended`)
  }

  #undone(run: MemoryRun, { compensating, unknown }: RunState, call: ToolCall): void {
    expect(compensating).toMatchObject({ stepId: call.stepId, item: call.item })
    expect(unknown ?? [], 'nothing is undone around what nobody knows').toEqual([])
    expect(['parked', 'rejected', 'cancelled']).toContain(run.status)
    const row = compensating && run.rows.get(keyOf({ ...compensating, call: '' }))
    expect(row?.status, 'only a standing success is undone').toBe('succeeded')
    const { seqAtChoice } = this.#course(run)
    const later = [...run.rows.values()].filter(
      (one) => stands(one) && seqOf(one) > seqOf(row) && seqOf(one) <= seqAtChoice && !run.rows.has(keyOf({ ...one, call: 'undo' })),
    )
    expect(later.map(keyOf), `undone before ${call.stepId}, which succeeded earlier`).toEqual([])
  }

  /** A model is asked. */
  asked({ about: { runId, stepId, item, turn } }: ModelRequest): void {
    const rows = this.#run(runId).rows
    const agent = latest([...rows.values()], stepId, item)
    const recorded = agent && rows.get(keyOf({ stepId, item, call: `t${turn}`, epoch: agent.keyEpoch }))
    expect(recorded, `the reply ${turn} of ${stepId} was recorded and is asked for again`).toBeUndefined()
  }

  /** What holds between any two actions. */
  between(): void {
    for (const run of this.runs()) {
      const own = new Map<string, MemoryRow>()
      for (const row of run.rows.values()) this.#isPutOff(run, row)
      for (const row of run.rows.values())
        if (row.item < 0 && row.call === '' && row.epoch >= (own.get(row.stepId)?.epoch ?? 0)) own.set(row.stepId, row)
      const open = new Set([...run.gates.values()].flatMap(({ stepId, status }) => (status === 'open' ? [stepId] : [])))
      const set = new Set([...run.timers.values()].flatMap(({ stepId, status }) => (status === 'set' ? [stepId] : [])))
      for (const [stepId, cursor] of parseState(run.state).steps) {
        const row = own.get(stepId)?.status
        must(ROWS[cursor.at].includes(row), () => `the row of ${stepId}, which is ${cursor.at}, is ${row}`)
        const on = cursor.at === 'waiting' ? cursor.on : undefined
        must(open.has(stepId) === (on === 'gate'), () => `${stepId}, which is ${cursor.at}, asks somebody, or does not`)
        must(set.has(stepId) === (on === 'timer'), () => `${stepId}, which is ${cursor.at}, has a timer, or has none`)
      }
      this.#pinned(run)
    }
  }

  #isPutOff(run: MemoryRun, row: MemoryRow): void {
    if (!row.deferred) return
    this.putOff++
    must(row.status === 'queued', () => `only what is queued is put off, and ${keyOf(row)} is ${row.status}`)
    must(row.call === '', () => 'an undo is never put off')
    must(!parseState(run.state).stopping, () => 'nothing is put off once the run is stopping')
    must(row.startedAt !== null || row.attempt === 1, () => 'a deferral uses no attempt')
  }

  /** One open reference means one version, whatever is published meanwhile. */
  #pinned({ run: { kin, definition } }: MemoryRun): void {
    const parent = kin.parent && this.#run(kin.parent.runId)
    if (!kin.parent || !parent) return
    const step = this.#course(parent).plan.graph.steps.get(kin.parent.stepId)
    const uses = step && 'do' in step ? step.do.uses : (step?.uses ?? '')
    const named = /@(\d+)$/.exec(uses)
    if (named) return must(definition.version === Number(named[1]), () => `${uses} is of version ${definition.version}`)
    must((this.#pins.get(uses) ?? definition.id) === definition.id, () => `${uses} is of the version it had when the first run started`)
    this.#pins.set(uses, definition.id)
  }

  /** What holds when nothing is to come. */
  atEnd(): void {
    for (const run of this.runs()) {
      const { status, rows, state } = run
      expect(['succeeded', 'rejected', 'parked', 'cancelled']).toContain(status)
      for (const row of rows.values())
        must(row.status !== 'queued' && row.status !== 'running', () => `${keyOf(row)} of a run that is ${status} is ${row.status}`)
      if (status === 'succeeded')
        for (const { at } of parseState(state).steps.values())
          must(at === 'settled' || at === 'skipped', () => `a step is ${at} in a success`)
      const order = [...rows.values()].flatMap(({ seq }) => (seq === null ? [] : [seq]))
      must(new Set(order).size === order.length, () => `two successes of ${run.run.id} have the same place in their order`)
      const successes = successesOf(run)
      expect(successes, 'one success is recorded for one key').toHaveLength(new Set(successes).size)
      for (const undo of rows.values()) {
        if (undo.call !== 'undo') continue
        expect(rows.get(keyOf({ ...undo, call: '' }))?.status).toBe(undo.status === 'succeeded' ? 'compensated' : 'succeeded')
      }
      const parent = this.#parent(run)
      if (parent && ENDED.includes(parent.status)) expect(ENDED).toContain(status)
      this.#replays(run)
    }
  }

  #replays(run: MemoryRun): void {
    const { plan, first, events } = this.#course(run)
    const replayed = events.reduce((state, event) => this.real(plan, state, event).state, parseState(first))
    expect(serializeState(replayed), 'the same events give the same state').toBe(run.state)
    const { initiators, ...start } = parseState(first)
    expect(serializeState(start)).toBe(serializeState(initialState(plan)))
    if (initiators) expect(run.run.kin.parent, 'only a child begins with those who went on with its parent').not.toBeNull()
  }

  #run(runId: string): MemoryRun {
    const run = this.runs().find((one) => one.run.id === runId)
    if (!run) throw new Error(`there is no run ${runId}`)
    return run
  }

  #parent({ run: { kin } }: MemoryRun): MemoryRun | undefined {
    return kin.parent ? this.#run(kin.parent.runId) : undefined
  }

  #course({ run }: MemoryRun): Course {
    const course = this.courses.get(run.id)
    if (!course) throw new Error(`run ${run.id} has never moved`)
    return course
  }
}

/** As `expect`, where it is asked a million times. */
function must(holds: boolean, otherwise: () => string): void {
  if (!holds) throw new Error(otherwise())
}

/** Whether a run waits no more for this child of its, as after a re-drive that runs the child's step again. */
const gaveUp = ({ rows }: MemoryRun, { run: { kin } }: MemoryRun) =>
  kin.parent !== null && rows.get(keyOf({ ...kin.parent, call: '' }))?.status === 'cancelled'

const seqOf = (row: MemoryRow | undefined) => row?.seq ?? 0
const stands = ({ status, undoable, call }: MemoryRow) => status === 'succeeded' && undoable && call === ''

/** The latest row of a step or item. */
function latest(rows: MemoryRow[], stepId: string, item: number): MemoryRow | undefined {
  let found: MemoryRow | undefined
  for (const row of rows) if (row.stepId === stepId && row.item === item && row.call === '' && row.epoch >= (found?.epoch ?? 0)) found = row
  return found
}

/** The keys under which calls have succeeded; what only arranges (a gate, a map, a reply of a model) has none. */
function successesOf({ run, rows }: MemoryRun): string[] {
  return [...rows.values()].flatMap((row) => {
    const called = row.seq !== null || row.call === 'undo' || /^t\d+\.\d+$/.test(row.call)
    if (!called || !['succeeded', 'compensated'].includes(row.status)) return []
    const keyEpoch = row.call === 'undo' ? (rows.get(keyOf({ ...row, call: '' })) ?? row).keyEpoch : row.keyEpoch
    return [idempotencyKey(run.id, { ...row, keyEpoch })]
  })
}
