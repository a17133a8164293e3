import { describe, expect, it } from 'vitest'
import type { WorkflowSpec } from '@/spec'
import { runSentence } from './sentence'
import type { GateData, RunView, RunViewData, StepData } from './types'

const STEP: StepData = {
  id: 'pay',
  title: 'Pay',
  kind: 'tool',
  status: 'pending',
  attempt: 1,
  maxAttempts: 5,
  startedAt: null,
  finishedAt: null,
  notBefore: null,
  deferred: null,
  errorCode: null,
  port: null,
  undo: null,
  child: null,
  stopped: null,
  items: null,
  turns: null,
  input: null,
  inputOmitted: null,
  output: null,
  outputOmitted: null,
  errorMessage: null,
  hint: null,
  flag: null,
  attempts: [],
}
const wait = (id: string, notBefore: string) => ({ ...STEP, id, kind: 'wait', status: 'waiting' as const, notBefore })
const sub = (status: 'parked' | 'awaiting_approval') => ({
  ...STEP,
  kind: 'workflow',
  status: 'waiting' as const,
  child: { id: 'c', status },
  stopped: status === 'parked' ? 'c' : null,
})
const GATE: GateData = {
  id: 'g',
  stepId: 'sign_off',
  title: 'Sign off',
  role: 'manager',
  status: 'open',
  openedAt: '',
  expiresAt: 'Friday 14:00',
  settledAt: null,
  approvals: 1,
  decided: 0,
  waitingFor: ['Mia', 'Tom'],
  nobodyLeft: null,
  mayDecide: false,
  decisions: [],
}
const RUN: RunViewData = {
  view: 'data',
  id: 'r',
  team: 'finance',
  workflow: { slug: 'a', title: 'A', version: 1 },
  status: 'running',
  stopping: false,
  startedBy: { id: 'u', name: 'Tom' },
  parent: null,
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: '2026-01-01T00:00:00Z',
  finishedAt: null,
  stepsSettled: 0,
  stepsTotal: 1,
  errorCode: null,
  errorStep: null,
  title: null,
  errorMessage: null,
  steps: [STEP],
  gates: [],
  spec: '{}',
  revision: 1,
  mayRedrive: false,
  mayRecordOutcome: false,
  unknown: [],
  mayCancel: false,
  input: {},
  output: null,
}
const SPEC: WorkflowSpec = { spec: 1, slug: 'a', title: 'A', steps: [{ id: 'sign_off', uses: 'approve', after: [], role: 'manager' }] }
const say = (run: RunView, spec: WorkflowSpec | null = SPEC) => {
  const { first, more } = runSentence(run, spec, { time: (at) => at, when: (at) => `at ${at}` })
  return [first, ...more]
}

const waiting = (gate: Partial<GateData>): RunView => ({ ...RUN, status: 'awaiting_approval', gates: [{ ...GATE, ...gate }] })
const rejected = (gate: Partial<GateData>): RunView => ({ ...RUN, status: 'rejected', gates: [{ ...GATE, ...gate }] })

describe('a run that waits for approval', () => {
  it('names who may decide, and until when', () => {
    expect(say(waiting({}))).toEqual(['Waiting for Mia or Tom to approve “Sign off”.', 'Rejects itself at Friday 14:00.'])
  })
  it('does not claim a rejection where the workflow goes on without an answer', () => {
    const spec: WorkflowSpec = { ...SPEC, steps: [...SPEC.steps, { id: 'tell', uses: 'tool:note.add', after: ['sign_off.expired'] }] }
    expect(say(waiting({}), spec)).toContain('Goes on without an answer at Friday 14:00.')
  })
  it('says when nobody can decide', () => {
    expect(say(waiting({ waitingFor: [], nobodyLeft: 'Only Tom has the role.' }))).toEqual([
      'Waiting for somebody with the role “manager” to approve “Sign off”.',
      'Only Tom has the role.',
      'Rejects itself at Friday 14:00.',
    ])
  })
  it('counts the approvals where several are needed', () => {
    expect(say(waiting({ approvals: 3, decided: 1 }))).toContain('1 of 3 have approved.')
  })
  it('names no people to whoever sees the shape only', () => {
    const { waitingFor: _, nobodyLeft: _n, mayDecide: __, decisions: ___, ...gate } = GATE
    const { input: _i, output: _o, title: _t, errorMessage: _e, ...shape } = RUN
    const run: RunView = { ...shape, view: 'shape', status: 'awaiting_approval', steps: [], gates: [gate] }
    expect(say(run)[0]).toBe('Waiting for somebody with the role “manager” to approve “Sign off”.')
  })
})

it('says what is running, with a map’s progress', () => {
  const items = { total: 1000, succeeded: 400, failed: 12, active: 10 }
  expect(say({ ...RUN, steps: [{ ...STEP, status: 'waiting', kind: 'map', items }] })).toEqual([
    'Running “Pay” (400 of 1000 items done, 12 failed).',
  ])
})

it('does not call running what waits for a worker', () => {
  expect(say({ ...RUN, steps: [{ ...STEP, status: 'queued' }] })).toEqual(['“Pay” is next.', 'It starts as soon as a worker is free.'])
})

it('says that the run which a step started is what it waits for', () => {
  expect(say({ ...RUN, steps: [sub('parked')] })[0]).toBe('“Pay” waits: the run it started stopped and needs attention.')
  expect(say({ ...RUN, status: 'awaiting_approval', gates: [], steps: [sub('awaiting_approval')] })).toEqual([
    'Waiting for approval in the run that “Pay” started.',
  ])
})

it('says so of every run above the one that stopped, and of a map of such runs, unless something is at work', () => {
  const middle = { ...sub('parked'), child: { id: 'c', status: 'running' as const }, stopped: 'far' }
  expect(say({ ...RUN, steps: [middle] })).toEqual([
    '“Pay” waits: a run further down stopped and needs attention.',
    'It goes on when that run does.',
  ])
  const items = { total: 3, succeeded: 1, failed: 0, active: 0 }
  const map = { ...STEP, kind: 'map', status: 'waiting' as const, items, stopped: 'far' }
  expect(say({ ...RUN, steps: [map] })).toEqual([
    '“Pay” waits: a run that it started stopped and needs attention.',
    '1 of 3 items done.',
    'It goes on when that run does.',
  ])
  expect(say({ ...RUN, steps: [{ ...map, items: { ...items, active: 1 } }] })[0]).toBe('Running “Pay” (1 of 3 items done).')
  expect(say({ ...RUN, steps: [middle, { ...STEP, id: 'b', title: 'Mail', status: 'running' }] })[0]).toBe('Running “Mail”.')
})

it('says until when a run waits, and that it goes on by itself', () => {
  const steps = [wait('long', '2026-03-01T00:00:00Z'), wait('short', '2026-02-01T00:00:00Z')]
  expect(say({ ...RUN, steps })).toEqual(['Waiting until 2026-02-01T00:00:00Z.', 'It goes on by itself.'])
})

it('does not ask for what was recorded already', () => {
  const parked: RunView = { ...RUN, status: 'parked', errorCode: 'outcome_unknown', errorStep: 'pay', errorMessage: 'Nobody can know.' }
  const asked = say({ ...parked, unknown: [{ stepId: 'pay', item: -1, keys: ['r:pay'] }] }).join(' ')
  expect(asked).toContain('an editor of the team can record what happened')
  const [first, ...more] = say({ ...parked, steps: [{ ...STEP, id: 'pay', status: 'failed' }] })
  expect(first).toBe('Stopped at “Pay”. What became of it was recorded: it did not happen.')
  expect(more.join(' ')).not.toContain('record')
  expect(say({ ...parked, steps: [{ ...STEP, id: 'pay', status: 'succeeded' }] })[0]).toContain('it happened')
})

it('says when a failed step is tried again', () => {
  expect(say({ ...RUN, steps: [{ ...STEP, status: 'queued', attempt: 2, notBefore: '14:05' }] })).toEqual([
    '“Pay” failed and is tried again at 14:05.',
    'Next is try 2 of 5.',
  ])
})

describe('a run whose team has used up its quota', () => {
  const queued = { ...STEP, status: 'queued' as const }
  const today = { ...queued, deferred: { until: 'midnight', reason: 'steps_per_day' as const } }
  const place = { ...queued, id: 'mail', title: 'Mail', deferred: { until: 'soon', reason: 'concurrent_steps' as const } }

  it('says until when it waits, why, and that it goes on by itself', () => {
    expect(say({ ...RUN, steps: [today] })).toEqual([
      'Waiting until midnight: the team has used up its steps for today.',
      'It goes on by itself. Whoever operates this installation can allow the team more.',
    ])
  })
  it('says that it waits for its turn while the team runs as many steps as it may', () => {
    expect(say({ ...RUN, steps: [place] })).toEqual([
      'Waiting for its turn: the team runs as many steps as it may at the same time.',
      'It goes on by itself when one of them ends.',
    ])
  })
  it('says what is at work while other steps wait for the quota', () => {
    expect(say({ ...RUN, steps: [{ ...STEP, status: 'running' }, place] })[0]).toBe('Running “Pay”.')
    expect(say({ ...RUN, steps: [today, place] })[0]).toBe('Waiting until midnight: the team has used up its steps for today.')
  })
  it('is being stopped, or failed and waits to be tried again, before all that', () => {
    expect(say({ ...RUN, stopping: true, steps: [today] })[0]).toBe('Being stopped.')
  })
})

describe('a stopped run', () => {
  const parked: RunView = { ...RUN, status: 'parked', errorStep: 'pay', errorCode: 'denied', errorMessage: 'The tool is switched off' }
  it('says where, why, and who can do something about it', () => {
    expect(say(parked)).toEqual([
      'Stopped at “Pay”: The tool is switched off.',
      'An org admin can switch the tool on again. After that, continue from here.',
    ])
  })
  it('says what was undone, and what could not be', () => {
    const steps = [
      { ...STEP, undo: 'succeeded' as const },
      { ...STEP, id: 'mail', title: null, undo: 'failed' as const },
    ]
    expect(say({ ...parked, steps })).toEqual(expect.arrayContaining(['Undone: “Pay”.', 'Could not be undone: “mail”.']))
  })
  it('has advice for a code that nobody foresaw', () => {
    expect(say({ ...parked, errorCode: 'constructor' }).at(-1)).toContain('Once the cause is gone, continue from here.')
  })
})

it('names who turned it down, or that nobody answered', () => {
  const by = { id: 'm', name: 'Mia' }
  const decisions = [{ by, decision: 'reject' as const, channel: 'web', comment: null, at: '' }]
  expect(say(rejected({ status: 'rejected', decisions }))[0]).toBe('Rejected: Mia turned down “Sign off”.')
  expect(say(rejected({ status: 'expired' }))[0]).toBe('Rejected: nobody answered “Sign off” in time.')
})

it('says how long it took and who approved', () => {
  const decisions = [{ by: { id: 'm', name: 'Mia' }, decision: 'approve' as const, channel: 'web', comment: null, at: '' }]
  const run: RunView = {
    ...RUN,
    status: 'succeeded',
    finishedAt: '2026-01-01T00:03:05Z',
    gates: [{ ...GATE, status: 'approved', decisions }],
  }
  expect(say(run)).toEqual(['Done in 3 min 5 s.', 'Mia approved “Sign off”.'])
})

it('does not pretend to be over while it is being stopped', () => {
  expect(say({ ...RUN, stopping: true })[0]).toBe('Being stopped.')
})
