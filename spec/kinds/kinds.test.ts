import { describe, expect, it } from 'vitest'
import { agentSettings, kindOf, portsOf, timeoutSecondsOf, validateWorkflow, workflowOf, type Json, type Step } from '..'
import { KINDS } from '.'

/** `code path` of every problem of a document whose last step is this one; [] when it is valid. */
function problemsOf(body: Record<string, Json>, before: Json[] = []): string[] {
  const step = { id: 'x', after: before.length > 0 ? ['before'] : [], ...body }
  const input = { key: { type: 'string', secret: true }, list: { type: 'array' } }
  const result = validateWorkflow({ spec: 1, slug: 'ab', title: 't', input, steps: [...before, step] })
  if (result.ok) return []
  return result.problems.map(({ code, path }) => `${code} ${path.replace(`/steps/${before.length}/`, '')}`)
}
const inMap = (body: Json) => problemsOf({ uses: 'map', over: '${input.list}', do: body })

const BODIES: Record<string, Record<string, Json>> = {
  tool: { uses: 'tool:a.b' },
  job: { uses: 'job:train.model' },
  agent: { uses: 'agent', goal: 'Sort the mail' },
  workflow: { uses: 'workflow:child-flow' },
  approve: { uses: 'approve', role: 'manager' },
  choice: { uses: 'choice', branches: [{ name: 'all' }] },
  map: { uses: 'map', over: [], do: { uses: 'tool:a' } },
  wait: { uses: 'wait', seconds: 60 },
}

describe('every kind', () => {
  it.each(Object.entries(BODIES))('%s: what it cannot do without is enough', (kind, body) => {
    expect(problemsOf(body)).toEqual([])
    expect(kindOf({ id: 'x', after: [], ...body } as unknown as Step)).toBe(kind)
  })

  it('stands in the table above', () => expect(Object.keys(BODIES)).toEqual(Object.keys(KINDS)))

  it('has the ports of the page', () => {
    const ports = Object.fromEntries(Object.entries(BODIES).map(([kind, body]) => [kind, portsOf(body as unknown as Step)]))
    const call = ['succeeded', 'failed']
    const approve = ['approved', 'rejected', 'expired']
    expect(ports).toEqual({ tool: call, job: call, agent: call, workflow: call, approve, choice: ['all'], map: call, wait: ['succeeded'] })
  })

  it.each(['tool', 'job', 'agent', 'workflow'])('%s can be done by a map, and nothing else can', (kind) => {
    expect(inMap(BODIES[kind] ?? null)).toEqual([])
    expect(inMap({ ...BODIES[kind], after: [] })).toEqual(['unknown_field do/after'])
  })

  it.each(['approve', 'choice', 'map', 'wait'])('%s cannot be done by a map', (kind) => {
    expect(inMap(BODIES[kind] ?? null)).toEqual(['unknown_kind do/uses'])
  })
})

describe('names behind the colon', () => {
  const LONG = `${'a'.repeat(63)}.${'b'.repeat(63)}.`
  it.each([
    ['tool:a_b.c2', true],
    [`tool:${LONG}`, false],
    [`tool:${LONG.slice(0, 127)}`, true],
    [`job:${'a'.repeat(63)}.${'b'.repeat(63)}.c`, false],
    ['tool:', false],
    ['tool', false],
    ['tool:a@2', false],
    ['tool:a.', false],
    ['tool:A', false],
    ['job:a.b', true],
    ['job:a@1', false],
    ['job:a-b', false],
    ['workflow:a-b', true],
    ['workflow:a-b@12', true],
    ['workflow:a-b@0', false],
    ['workflow:a-b@01', false],
    ['workflow:a-b@', false],
    ['workflow:a_b', false],
    ['workflow:a', false],
    ['workflow:ab@1234567890', false],
  ])('%s: %s', (uses, valid) => {
    expect(problemsOf({ uses })).toEqual(valid ? [] : ['invalid_value uses'])
    expect(inMap({ uses })).toEqual(valid ? [] : ['invalid_value do/uses'])
  })

  it('a version is read as a number', () => {
    expect(workflowOf({ uses: 'workflow:a-b@12' })).toEqual({ slug: 'a-b', version: 12 })
    expect(workflowOf({ uses: 'workflow:a-b' })).toEqual({ slug: 'a-b', version: null })
  })
})

describe('time limits', () => {
  it.each([
    ['tool', 86_400],
    ['job', 7_776_000],
    ['agent', 86_400],
  ])('of a %s: more than 0, at most %i seconds', (kind, most) => {
    const body = BODIES[kind] ?? {}
    expect(problemsOf({ ...body, timeout_seconds: most })).toEqual([])
    for (const wrong of [most + 1, 0, -1]) {
      expect(problemsOf({ ...body, timeout_seconds: wrong })).toEqual(['invalid_value timeout_seconds'])
      expect(inMap({ ...body, timeout_seconds: wrong })).toEqual(['invalid_value do/timeout_seconds'])
    }
  })

  it('are 300 seconds, an hour for an agent, where none is given', () => {
    expect([{ uses: 'tool:a' }, { uses: 'job:a' }, { uses: 'agent' }, { uses: 'agent', timeout_seconds: 5 }].map(timeoutSecondsOf)).toEqual(
      [300, 300, 3600, 5],
    )
  })

  it('a workflow takes neither limit nor retry', () => {
    expect(problemsOf({ ...BODIES.workflow, retry: {}, timeout_seconds: 1 })).toEqual([
      'unknown_field retry',
      'unknown_field timeout_seconds',
    ])
  })
})

const agent = (more: Record<string, Json>) => problemsOf({ ...BODIES.agent, ...more })
const list = (field: Json) => ({ list: { type: 'array', items: { type: 'object', properties: { at: field } } } })

describe('an agent', () => {
  it('needs a goal, which may be any value', () => {
    expect(problemsOf({ uses: 'agent' })).toEqual(['missing_field goal'])
    expect(agent({ goal: { task: '${run.id}' } })).toEqual([])
  })

  it('names its tools bare, and each once', () => {
    expect(agent({ tools: ['a.b', 'c'] })).toEqual([])
    expect(agent({ tools: [] })).toEqual([])
    expect(agent({ tools: ['tool:a', 'a@1', ''] })).toEqual(['invalid_value tools/0', 'invalid_value tools/1', 'invalid_value tools/2'])
    expect(agent({ tools: ['a', 'b', 'a'] })).toEqual(['duplicate_entry tools/2'])
    expect(inMap({ ...BODIES.agent, tools: ['a', 'a'] })).toEqual(['duplicate_entry do/tools/1'])
  })

  it('takes 1 to 50 turns', () => {
    expect([1, 50, 0, 51, 1.5].map((max_turns) => agent({ max_turns }).length)).toEqual([0, 0, 1, 1, 1])
  })

  it('is asked for fields without default and secret, at any depth', () => {
    expect(agent({ output: list({ type: 'string' }) })).toEqual([])
    expect(agent({ output: { at: { type: 'string', secret: false } } })).toEqual([])
    expect(agent({ output: list({ type: 'string', default: 'x' }) })).toEqual(['field_not_allowed output/list/items/properties/at/default'])
    expect(agent({ output: list({ type: 'string', secret: true }) })).toEqual(['field_not_allowed output/list/items/properties/at/secret'])
    expect(inMap({ ...BODIES.agent, output: { at: { type: 'string', secret: true } } })).toEqual(['field_not_allowed do/output/at/secret'])
  })

  it('is read with its defaults', () => {
    expect(agentSettings({})).toEqual({ tools: [], unattended: false, maxTurns: 10, output: null })
    const output = { at: { type: 'string' as const } }
    expect(agentSettings({ tools: ['a'], unattended: true, max_turns: 3, output })).toEqual({
      tools: ['a'],
      unattended: true,
      maxTurns: 3,
      output,
    })
  })
})

const wait = (body: Record<string, Json>) => problemsOf({ uses: 'wait', ...body })

describe('a wait', () => {
  it('has exactly one of seconds and until', () => {
    expect(wait({})).toEqual(['missing_field seconds'])
    expect(wait({ seconds: 1, until: '2027-01-01T00:00:00Z' })).toEqual(['field_not_allowed until'])
  })

  it('takes a literal within its bounds, or one reference', () => {
    for (const seconds of [0, 0.5, 31_536_000, '${input.list.0}']) expect(wait({ seconds })).toEqual([])
    expect(wait({ seconds: 31_536_001 })).toEqual(['invalid_value seconds'])
    expect(wait({ seconds: -1 })).toEqual(['invalid_value seconds'])
    for (const seconds of ['60', null, true, [], {}]) expect(wait({ seconds })).toEqual(['wrong_type seconds'])
    for (const until of ['2027-01-01T00:00:00Z', '2027-01-01T00:00:00.5+02:00', '${input.list.0}']) expect(wait({ until })).toEqual([])
    for (const until of ['2027-01-01', '2027-01-01T00:00:00', 'soon', '2027-02-30T00:00:00Z'])
      expect(wait({ until })).toEqual(['invalid_value until'])
    for (const until of [1, null, []]) expect(wait({ until })).toEqual(['wrong_type until'])
    expect(wait({ seconds: 'in ${input.list.0}' })).toEqual(['invalid_reference seconds'])
  })

  it('cannot fail for somebody to follow', () => {
    const before = [{ id: 'before', after: [], ...BODIES.wait }]
    expect(problemsOf({ uses: 'tool:a', after: ['before.succeeded'] }, before)).toEqual([])
    expect(problemsOf({ uses: 'tool:a', after: ['before.failed'] }, before)).toEqual(['unknown_port after/0'])
  })
})

const refused = (path: string) => [`secret_not_allowed ${path}`]

describe('a secret input', () => {
  const SECRET = '${input.key}'
  const undo = { compensate: { uses: 'tool:undo', with: { key: SECRET } } }

  it("may be given to a tool: in a step, in a map's body, in a compensation", () => {
    expect(problemsOf({ uses: 'tool:a', with: { key: SECRET }, ...undo })).toEqual([])
    expect(inMap({ uses: 'tool:a', with: { key: SECRET }, ...undo })).toEqual([])
    for (const kind of ['job', 'agent', 'workflow']) {
      expect(problemsOf({ ...BODIES[kind], ...undo })).toEqual([])
      expect(inMap({ ...BODIES[kind], ...undo })).toEqual([])
    }
  })

  it('may be given to nobody else', () => {
    for (const kind of ['job', 'workflow']) {
      expect(problemsOf({ ...BODIES[kind], with: { key: SECRET } })).toEqual(refused('with/key'))
      expect(inMap({ ...BODIES[kind], with: { key: SECRET } })).toEqual(refused('do/with/key'))
    }
    for (const at of ['goal', 'context']) {
      expect(problemsOf({ ...BODIES.agent, [at]: SECRET })).toEqual(refused(at))
      expect(inMap({ ...BODIES.agent, [at]: SECRET })).toEqual(refused(`do/${at}`))
    }
    expect(problemsOf({ uses: 'wait', until: SECRET })).toEqual(refused('until'))
    expect(problemsOf({ uses: 'map', over: SECRET, do: { uses: 'tool:a' } })).toEqual(refused('over'))
    expect(problemsOf({ ...BODIES.approve, show: { key: SECRET } })).toEqual(refused('show/key'))
  })
})

describe('references inside a body', () => {
  it('item and index only within do, its own output only in compensate', () => {
    const body = {
      uses: 'agent',
      goal: '${item.x}',
      context: ['${index}'],
      compensate: { uses: 'tool:a', with: { a: '${steps.x.output}' } },
    }
    expect(inMap(body)).toEqual([])
    expect(inMap({ ...body, goal: '${steps.x.output}' })).toEqual(['not_an_ancestor do/goal'])
    expect(problemsOf({ ...body, goal: 'g' })).toEqual(['reference_not_allowed context/0'])
    expect(problemsOf({ ...BODIES.workflow, with: { a: '${steps.x.output}' } })).toEqual(['not_an_ancestor with/a'])
  })
})
