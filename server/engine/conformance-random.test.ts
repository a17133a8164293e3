import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { effort } from '@/db/testing/effort'
import { validateWorkflow } from '@/spec'
import { differences } from '@/spec/conformance/compare'
import { observe, type Entry, type RunCase } from '@/spec/conformance/reference-runner'
import { inMemory } from './conformance.testsuite'
import { playCase } from './conformance.testsuite.player'

/*
 * The engine against the reference runner of the conformance kit, which was written from the page alone and shares no code with it: random
 * workflows, random happenings, and at every point the same states, calls and keys.
 */

const IDS = ['a', 'b', 'c', 'd', 'e', 'f']
const PORTS = {
  tool: ['succeeded', 'failed'],
  map: ['succeeded', 'failed'],
  approve: ['approved', 'rejected', 'expired'],
  choice: ['x', 'y'],
  wait: ['succeeded'],
}
type Kind = keyof typeof PORTS

const retry = fc.option(fc.record({ max_attempts: fc.integer({ min: 1, max: 3 }), base_seconds: fc.constant(10) }), { nil: undefined })
const shape = fc.record({
  kind: fc.constantFrom<Kind>('tool', 'tool', 'tool', 'tool', 'map', 'approve', 'choice', 'wait'),
  /** What it waits for, as numbers that choose among the steps before it and their ports. */
  after: fc.array(fc.tuple(fc.nat(), fc.nat(3)), { maxLength: 2 }),
  any: fc.boolean(),
  tool: fc.constantFrom('write', 'write', 'once', 'none'),
  undone: fc.boolean(),
  retry,
  number: fc.nat(3),
})
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never

const document = fc
  .tuple(fc.array(shape, { minLength: 1, maxLength: 6 }), fc.subarray(['parked', 'rejected', 'cancelled']))
  .map(([shapes, on]) => ({
    spec: 1,
    slug: 'flow',
    title: 'Flow',
    steps: shapes.map((one, i) => stepOf(one, i, shapes)),
    output: { first: '${steps.a.output}' },
    compensate_on: on,
  }))

function stepOf({ kind, after, any, tool, undone, retry, number }: Shape, i: number, shapes: Shape[]): object {
  const id = IDS[i] ?? ''
  const entries = after.flatMap(([which, port]) => {
    const source = shapes[which % Math.max(i, 1)]
    const ports = source ? PORTS[source.kind] : []
    return i === 0 ? [] : [`${IDS[which % i]}.${ports[port < 2 ? 0 : port % ports.length]}`]
  })
  const waits = [...new Set(entries)]
  const common = { id, after: waits, ...(any && waits.length > 0 ? { join: 'any' } : {}) }
  const call = {
    uses: `tool:${tool}`,
    ...(retry ? { retry } : {}),
    ...(undone ? { compensate: { uses: 'tool:undo', with: { out: `\${steps.${id}.output}` } } } : {}),
  }
  switch (kind) {
    case 'tool':
      return { ...common, ...call }
    case 'map':
      return {
        ...common,
        uses: 'map',
        over: [1, 2, 3].slice(0, number),
        do: call,
        concurrency: 1 + (number % 2),
        tolerate: number % 3 === 0 ? 1 : 0,
      }
    case 'approve':
      return { ...common, uses: 'approve', role: 'manager', approvals: 1 + (number % 2) }
    case 'choice':
      return {
        ...common,
        uses: 'choice',
        branches: [{ name: 'x', when: { left: '${run.id}', op: number > 1 ? 'exists' : 'empty' } }, { name: 'y' }],
      }
    case 'wait':
      return { ...common, uses: 'wait', seconds: number * 25 }
  }
}

/** What could happen next, as the reference runner sees the run. */
function happenings(one: RunCase): Entry[] {
  const { trace } = observe(one)
  const { '': run, ...states } = trace.at(-1)?.states ?? {}
  const running = Object.keys(states).filter((label) => states[label] === 'running')
  const open = one.spec.steps.filter(({ id, uses }) => uses === 'approve' && states[id] === 'waiting')
  const cancelled = one.script.some(({ cancel }) => cancel === true)
  const unknown = Object.keys(states).filter((label) => states[label] === 'failed' && !label.includes('/'))
  const undo = trace
    .flatMap(({ calls }) => calls)
    .findLast(({ key }) => key.endsWith('/undo'))
    ?.key.slice('RUN:'.length)
  const ends = [...running, ...(undo === undefined ? [] : [undo])].flatMap((call): Entry[] => [
    { call, output: { x: call } },
    // A handler that was told to stop may throw anything, which says nothing of its effect.
    cancelled ? { call, output: null } : { call, error: 'fatal' },
    { call, error: 'transient' },
    { call, error: 'lost' },
    { call, error: 'rate_limited', retry_after: 5 },
  ])
  const decisions = open.flatMap(({ id }): Entry[] => [
    { decide: id, by: 'ana', decision: 'approve' },
    { decide: id, by: 'ben', decision: 'approve' },
    { decide: id, by: 'carl', decision: 'reject' },
  ])
  const resumed: Entry[] =
    run === 'parked'
      ? [
          { redrive: {} },
          ...unknown.flatMap((record): Entry[] => [
            { record, outcome: 'succeeded', output: { x: record } },
            { record, outcome: 'failed' },
          ]),
        ]
      : []
  return [...ends, ...decisions, ...resumed, ...resumed, { advance: 20 }, ...(run === 'succeeded' ? [] : [{ cancel: true }])]
}

/** Lets a number choose each happening; one that cannot happen (an undo that is over) is left out. */
function scripted(spec: unknown, picks: readonly number[]): RunCase {
  const tools = {
    write: { effect: 'write' },
    once: { effect: 'once' },

    undo: { effect: 'write' },
  } as const
  let one: RunCase = {
    name: 'random',
    covers: [],
    spec: spec as RunCase['spec'],
    tools,
    random: 0,
    script: [],
    expect: { trace: [], status: '' },
  }
  for (const pick of picks) {
    const options = happenings(one)
    const entry = options[pick % options.length]
    let next = { ...one, script: [...one.script, entry ?? {}] }
    try {
      let refused = observe(next).trace.at(-1)?.refused ?? false
      if (Array.isArray(refused) && pick % 2 === 0) {
        const answers = refused.map((label, i) => [label, (pick >> (i + 1)) % 2 === 0 ? 'repeat' : 'keep'] as const)
        next = { ...one, script: [...one.script, { redrive: Object.fromEntries(answers) }] }
        refused = observe(next).trace.at(-1)?.refused ?? false
      }
      one = refused === false ? next : { ...one, script: [...one.script, { ...entry, refused }] }
    } catch {
      continue
    }
  }
  return one
}

/** What the reference runner saw, as what a case expects: the steps that changed, and every item. */
function expected(one: RunCase): RunCase {
  const { trace: entries, status, error, output, undone } = observe(one)
  const trace = entries.map(({ run, steps, states, calls }) => {
    const items = Object.entries(states).filter(([label]) => label.includes(':'))
    return { run, steps: { ...steps, ...Object.fromEntries(items) }, calls }
  })
  // Which of several calls that fail at the same moment is the first, is free.
  const cause = error && { code: error.code }
  return {
    ...one,
    expect: { trace: JSON.parse(JSON.stringify(trace)) as RunCase['expect']['trace'], status, error: cause, output, undone },
  }
}

test('the engine and the reference runner see the same in every random run', { timeout: effort(60_000) }, async () => {
  await fc.assert(
    fc.asyncProperty(document, fc.array(fc.nat(), { maxLength: 12 }), async (source, picks) => {
      const valid = validateWorkflow(source)
      fc.pre(valid.ok)
      const one = expected(scripted(valid.ok ? valid.spec : null, picks))
      expect(differences(one, await playCase(inMemory, one))).toEqual([])
    }),
    { numRuns: effort(150) },
  )
})
