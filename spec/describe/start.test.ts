import * as fc from 'fast-check'
import { describe as suite, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { describe, describeText, parseWorkflow, type Step, validateWorkflow, type WorkflowSpec } from '..'
import { compileGraph, type Graph } from '../graph'
import { portsOf } from '../kinds'
import type { ChoiceStep } from '../kinds/choice'
import { arbitrarySpec } from '../testing/arbitrary-spec'
import { EXAMPLE } from '../testing/example'
import { Random } from '../testing/random'

const plainStep = (step: Step, i: number): Step => {
  const { id, after, join = 'all' } = step
  const body: Record<string, object> = {
    approve: { uses: 'approve', role: 'boss' },
    wait: { uses: 'wait', seconds: 1 },
    agent: { uses: 'agent', goal: 'Tidy up.', tools: ['x'], unattended: i % 2 === 0 },
    map: { uses: 'map', over: [1], do: { uses: 'tool:x' } },
    choice: {
      uses: 'choice',
      branches: portsOf(step).map((name, at) => ({ name, when: { left: '${input.n}', op: 'lt', right: i * 10 + at } })),
    },
  }
  return { id, after, ...(after.length > 0 ? { join } : {}), ...(body[step.uses] ?? { uses: step.uses }) } as Step
}

/** A document with nothing but its graph, so that any of its steps may be joined to any before it. */
const graphs = arbitrarySpec({ maxSteps: 6 }).map((spec): WorkflowSpec => ({
  spec: 1,
  slug: 'a-flow',
  title: 'A flow',
  input: { n: { type: 'number' } },
  steps: spec.steps.map(plainStep),
}))

/** The document with its last step joined otherwise, in many ways; valid ones only. */
function joined(spec: WorkflowSpec, seed: number): WorkflowSpec[] {
  const random = new Random(seed, 1_000)
  const last = spec.steps.at(-1) as Step
  const entries = spec.steps.slice(0, -1).flatMap((step) => portsOf(step).map((port) => `${step.id}.${port}`))
  return Array.from({ length: 40 }).flatMap(() => {
    const after = random.some(entries, 3)
    const step = { ...last, after, join: after.length > 0 && random.below(2) === 1 ? 'any' : undefined } as Step
    const parsed = validateWorkflow(JSON.parse(JSON.stringify({ ...spec, steps: [...spec.steps.slice(0, -1), step] })))
    return parsed.ok ? [parsed.spec] : []
  })
}

/** In which of all runs that come to an end a step starts: tried out, one after the other. */
function startsIn(graph: Graph, id: string): string {
  const order = graph.order.filter((one) => one !== id && graph.ancestors.get(id)?.has(one))
  const found: string[] = []
  const isLive = (taken: ReadonlyMap<string, string>, one: string) => {
    const entries = graph.entries.get(one) ?? []
    const live = entries.filter(({ step, port }) => taken.get(step) === port).length
    return entries.length === 0 || (graph.join.get(one) === 'any' ? live > 0 : live === entries.length)
  }
  const walk = (at: number, taken: ReadonlyMap<string, string>): void => {
    const one = order[at]
    if (one === undefined) return void (isLive(taken, id) && found.push([...taken].map((turn) => turn.join('.')).join(' ')))
    if (!isLive(taken, one)) return walk(at + 1, taken)
    const step = graph.steps.get(one) as Step
    const followed = graph.followedPorts.get(one)
    for (const port of portsOf(step)) {
      const isEnd = step.uses !== 'choice' && !['succeeded', 'approved'].includes(port) && !followed?.has(port)
      if (!isEnd) walk(at + 1, new Map([...taken, [one, port]]))
    }
  }
  walk(0, new Map())
  return found.join('; ')
}

const graphOf = ({ steps }: WorkflowSpec) => steps.map(({ id, uses, after, join }) => [id, uses, after, join])

function valid(spec: unknown): WorkflowSpec {
  const parsed = validateWorkflow(spec)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return parsed.spec
}
const flow = { spec: 1, slug: 'a-flow', title: 'A flow', input: { n: { type: 'number' } } } as const
const pay = (after: string[], join: 'all' | 'any' = 'all'): Step => ({ id: 'pay', uses: 'tool:x', after, join })
const branch = (name: string, op: 'lt' | 'eq', right: number | null) => ({ name, when: { left: '${input.n}', op, right } })
/** The first thing said of the last step. */
const start = (steps: Step[], locale?: string) => describe(valid({ ...flow, steps }), {}, locale).steps.at(-1)?.details[0]

suite('a description', () => {
  it.each(['en', 'es'])(
    'says exactly when a step starts: what starts otherwise reads otherwise (%s)',
    { timeout: effort(60_000) },
    (locale) => {
      fc.assert(
        fc.property(graphs, fc.nat(), (spec, seed) => {
          const id = spec.steps.at(-1)?.id ?? ''
          const read = new Map<string, { when: string; spec: WorkflowSpec }>()
          for (const one of joined(spec, seed)) {
            const when = startsIn(compileGraph(one), id)
            const text = describeText(describe(one, {}, locale))
            const other = read.get(text) ?? { when, spec: one }
            expect(other.when, `${text}${JSON.stringify([other.spec, one].map(graphOf))}`).toBe(when)
            read.set(text, other)
          }
        }),
        { numRuns: effort(25) },
      )
    },
  )

  it('says of a step on one turn that it waits for one on another', () => {
    const turn: Step = {
      id: 'turn',
      uses: 'choice',
      after: [],
      branches: [branch('b0', 'lt', 0), branch('b1', 'lt', 1), branch('b2', 'lt', 2)],
    }
    const either: Step = { id: 'either', uses: 'wait', seconds: 1, after: ['turn.b0', 'turn.b1'], join: 'any' }
    const said = (after: string[]) => describeText(describe(valid({ ...flow, steps: [turn, either, pay(after)] })))
    expect(said(['turn.b1', 'either'])).toContain('Comes after “turn” and “either”.')
    expect(said(['turn.b1'])).not.toContain('Comes after')
  })

  const check: Step = { id: 'check', uses: 'tool:x', after: [] }

  it('says which of several is enough where nobody was ever asked', () => {
    const turn: Step = { id: 'turn', uses: 'choice', after: [], branches: [branch('b0', 'lt', 0), branch('b1', 'lt', 1)] }
    expect(start([turn, check, pay(['turn.b0', 'check.failed'], 'any')])).toBe('Starts if n is less than 0 or “check” fails.')
  })

  const tell: Step = { id: 'tell', uses: 'tool:x', after: ['check.failed'] }

  it.each([
    [pay(['check']), 'Only if “check” succeeds.', 'Solo si «check» sale bien.'],
    [
      pay(['check', 'check.failed'], 'any'),
      'Starts after “check”, whether or not that succeeds.',
      'Empieza después de «check», tanto si sale bien como si no.',
    ],
    [pay(['check', 'tell'], 'any'), 'Starts if “check” succeeds or “tell” succeeds.', 'Empieza si «check» sale bien o «tell» sale bien.'],
  ])('says of what follows a step whose failure is followed when it happens: %j', (last, english, spanish) => {
    expect(start([check, tell, last])).toBe(english)
    expect(start([check, tell, last], 'es')).toBe(spanish)
  })

  it('says so of maps, jobs, workflows and agents, and of approvals whose rejection is followed', () => {
    const bodies: object[] = [
      { uses: 'map', over: [1], do: { uses: 'tool:x' } },
      { uses: 'job:x' },
      { uses: 'workflow:other' },
      { uses: 'agent', goal: 'x' },
    ]
    for (const body of bodies) expect(start([{ ...check, ...body } as Step, tell, pay(['check'])])).toBe('Only if “check” succeeds.')
    const ask: Step = { id: 'check', uses: 'approve', after: [], role: 'boss' }
    const told = { ...tell, after: ['check.rejected'] } as Step
    expect(start([ask, told, pay(['check'])])).toBe('Happens only after this approval: “check”.')
    const wait: Step = { id: 'pay', uses: 'wait', after: ['check'], seconds: 1 }
    expect(start([ask, told, wait])).toBe('Only if “check” is approved.')
  })

  it('says nothing of what simply follows', () => {
    expect(start([check, pay(['check'])])).toBe('Happens without asking anyone.')
  })

  it('says of a step that can go around an approval when it still needs it', () => {
    const parsed = parseWorkflow(EXAMPLE)
    if (!parsed.ok) throw new Error('the example is refused')
    const added: Step = { id: 'tell', uses: 'tool:note.add', after: ['sign_off.rejected', 'sign_off.expired'], join: 'any' }
    const spec = { ...parsed.spec, steps: [...parsed.spec.steps, added] }
    expect(
      describe(spec)
        .steps.find(({ step }) => step === 'pay')
        ?.details.slice(0, 2),
    ).toEqual(['If Amount (EUR) is at most 500, it happens without asking anyone.', 'Otherwise only after “sign off” is approved.'])
  })

  it('says once what several branches of a decision have in common', () => {
    const branches = [branch('a', 'lt', 1), branch('b', 'eq', null), { name: 'c' }]
    const route: ChoiceStep = { id: 'check', uses: 'choice', after: [], branches }
    const label = (after: string[], of = route) =>
      describe(valid({ ...flow, steps: [of, pay(after, 'any')] })).steps[0]?.children.find(({ steps }) => steps.length > 0)?.label
    expect(label(['check.a', 'check.c'])).toBe('If n is less than 1 or n is not nothing:')
    expect(label(['check.a', 'check.b'])).toBe('If n is less than 1 or n is nothing:')
    expect(label(['check.b', 'check.c'])).toBe('If n is at least 1:')
    const long = { ...route, branches: [branch('w', 'lt', 0), branch('x', 'lt', 9), ...branches] }
    expect(label(['check.x', 'check.c'], long)).toBe('If “check” goes the way “x” or “c”:')
    expect(describe(valid({ ...flow, steps: [long] })).steps[0]?.children[0]?.label).toBe(
      'If n is less than 0 (the way “w”), nothing more happens here.',
    )
  })
})
