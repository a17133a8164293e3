import { describe, expect, it } from 'vitest'
import { checkInput, parseWorkflow, PROBLEM_CODES, problemPositions, type ProblemCode, validateWorkflow } from '.'
import { EXAMPLE } from './testing/example'

type Doc = Record<string, unknown>
const call = { uses: 'tool:a.b' }
const tool = (id: string, after: string[] = [], more: Doc = {}) => ({ id, uses: 'tool:a.b', after, ...more })
const gate = (id: string, after: string[] = [], more: Doc = {}) => ({ id, uses: 'approve', after, role: 'manager', ...more })
const choice = (id: string, after: string[] = [], more: Doc = {}) => ({
  id,
  uses: 'choice',
  after,
  branches: [{ name: 'yes', when: { left: '${input.flag}', op: 'eq', right: true } }, { name: 'no' }],
  ...more,
})
const map = (id: string, after: string[] = [], more: Doc = {}) => ({ id, uses: 'map', after, over: '${input.list}', do: call, ...more })
const doc = (steps: unknown, more: Doc = {}): Doc => ({
  spec: 1,
  slug: 'test',
  title: 'Test',
  input: { flag: { type: 'boolean' }, list: { type: 'array' }, key: { type: 'string', secret: true } },
  steps,
  ...more,
})
const branches = (...list: unknown[]) => doc([choice('a', [], { branches: list })])
const field = (definition: Doc) => doc([tool('a')], { input: { x: definition } })
const withValue = (value: unknown) => doc([tool('a', [], { with: { x: value } })])
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])
const nestedField = (depth: number): Doc => (depth === 1 ? { type: 'string' } : { type: 'array', items: nestedField(depth - 1) })

const list = (source: unknown) => {
  const result = typeof source === 'string' ? parseWorkflow(source) : validateWorkflow(source)
  return result.ok ? [] : result.problems.map(({ code, path }) => `${code} ${path}`)
}

const hint = (source: unknown) => {
  const result = validateWorkflow(source)
  return result.ok ? null : result.problems[0]?.hint
}

/** A text that is valid but for what is put in: the value of a tool's input, or the document's last member. */
const textWith = (value: string) =>
  `{"spec":1,"slug":"ab","title":"t","steps":[{"id":"a","uses":"tool:x","after":[],"with":{"v":${value}}}]}`

const REFUSED: [ProblemCode, string, unknown][] = [
  ['syntax_error', '', '{"spec":1'],
  ['syntax_error', '', ''],
  ['syntax_error', '', '{"spec":1} x'],
  ['syntax_error', '/steps/0/with', textWith('01')],
  ['syntax_error', '/steps/0/with/v', textWith('1.')],
  ['syntax_error', '/steps/0/with/v', textWith('NaN')],
  ['syntax_error', '/steps/0/with/v', textWith("'x'")],
  ['syntax_error', '/steps/0/with/v', textWith('"a\nb"')],
  ['syntax_error', '/steps/0/with/v', textWith('"\\x"')],
  ['byte_order_mark', '', `\uFEFF${EXAMPLE}`],
  ['comment', '/steps/0/with/v', textWith('1 /* one */')],
  ['comment', '', `// first\n${EXAMPLE}`],
  ['trailing_comma', '/steps/0/with/v', textWith('[1,]')],
  ['duplicate_key', '/steps/0/with/v/a', textWith('{"a":1,"a":1}')],
  ['duplicate_key', '/steps/0/with/v/__proto__', textWith('{"__proto__":1,"__proto__":2}')],
  ['lone_surrogate', '/steps/0/with/v', textWith('"\\ud800"')],
  ['lone_surrogate', '/steps/0/with/v', textWith('"\uDC00"')],
  ['lone_surrogate', '/steps/0/with/v/\uD800', textWith('{"\\ud800":1}')],
  ['null_character', '/steps/0/with/v', textWith('"\\u0000"')],
  ['number_not_exact', '/steps/0/with/v', textWith('9007199254740993')],
  ['number_not_exact', '/steps/0/with/v', textWith('1e400')],
  ['number_not_exact', '/steps/0/with/v', textWith('1e-400')],
  ['number_not_exact', '/steps/0/with/v', textWith('0.1000000000000000055')],
  ['not_json', '/title', { ...doc([tool('a')]), title: Number.NaN }],
  ['not_json', '/title', { ...doc([tool('a')]), title: () => 1 }],
  ['document_too_large', '', doc([tool('a', [], { with: { x: 'é'.repeat(140_000) } })])],
  ['document_too_large', '', ' '.repeat(5 * 1024 * 1024)],
  ['too_deep', '/steps/0/with/x', withValue(nested(17))],
  ['too_deep', '/input/x/items'.padEnd('/input/x'.length + 16 * '/items'.length, '/items'), field(nestedField(17))],
  ['too_deep', '/input/x/default', field({ type: 'array', default: nested(17) })],
  ['too_many', '/steps', doc(Array.from({ length: 501 }, (_, i) => tool(`s${i}`)))],
  [
    'too_many',
    '/input',
    doc([tool('a')], { input: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`f${i}`, { type: 'string' }])) }),
  ],
  [
    'too_many',
    '/steps/0/branches',
    branches(...Array.from({ length: 51 }, (_, i) => ({ name: `b${i}`, when: { left: '${run.id}', op: 'exists' } }))),
  ],
  ['too_many', '/steps/0/over', doc([map('a', [], { over: Array.from({ length: 10_001 }, () => 1) })])],
  ['unsupported_spec', '/spec', { ...doc([tool('a')]), spec: 2 }],
  ['unsupported_spec', '/spec', { ...doc([tool('a')]), spec: '1' }],
  ['unknown_kind', '/steps/0/uses', doc([{ id: 'a', uses: 'event', after: [], of: 'x' }])],
  ['unknown_kind', '/steps/0/uses', doc([{ id: 'a', uses: 'constructor', after: [] }])],
  ['unknown_kind', '/steps/0/do/uses', doc([map('a', [], { do: { uses: 'event', of: 'x' } })])],
  ['unknown_kind', '/steps/0/do/uses', doc([map('a', [], { do: { uses: 'choice' } })])],
  ['unknown_field', '/tilte', doc([tool('a')], { tilte: 'x' })],
  ['unknown_field', '/steps/0/$schema', doc([tool('a', [], { $schema: 'x' })])],
  ['unknown_field', '/steps/0/do/retry/max', doc([map('a', [], { do: { ...call, retry: { max: 1 } } })])],
  [
    'unknown_field',
    '/steps/0/__proto__',
    '{"spec":1,"slug":"ab","title":"t","steps":[{"id":"a","uses":"tool:x","after":[],"__proto__":{"join":"any"}}]}',
  ],
  ['unknown_field', '/a~1b~0', doc([tool('a')], { 'a/b~': 1 })],
  ['missing_field', '/steps/0/after', doc([{ id: 'a', uses: 'tool:a.b' }])],
  ['missing_field', '/steps/0/uses', doc([{ id: 'a', after: [] }])],
  ['missing_field', '/steps/0/role', doc([{ id: 'a', uses: 'approve', after: [] }])],
  ['missing_field', '/steps/0/branches/0/when', branches({ name: 'x' }, { name: 'y' })],
  ['missing_field', '/steps/0/branches/0/when/right', branches({ name: 'x', when: { left: '${run.id}', op: 'eq' } })],
  ['missing_field', '/title', { spec: 1, slug: 'ab', steps: [tool('a')] }],
  ['wrong_type', '', []],
  ['wrong_type', '/steps', doc({})],
  ['wrong_type', '/steps/0', doc([null])],
  ['wrong_type', '/steps/0/with', doc([tool('a', [], { with: null })])],
  ['wrong_type', '/steps/0/over', doc([map('a', [], { over: 3 })])],
  ['wrong_type', '/steps/0/approvals', doc([gate('a', [], { approvals: 1.5 })])],
  ['invalid_value', '/slug', doc([tool('a')], { slug: 'A b' })],
  ['invalid_value', '/slug', doc([tool('a')], { slug: 'a' })],
  ['invalid_value', '/steps', doc([])],
  ['invalid_value', '/steps/0/id', doc([tool('A')])],
  ['invalid_value', '/steps/0/uses', doc([{ id: 'a', uses: 'tool:', after: [] }])],
  ['invalid_value', '/steps/0/uses', doc([{ id: 'a', uses: `tool:${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(10)}`, after: [] }])],
  ['invalid_value', '/steps/0/uses', doc([{ id: 'a', uses: 'tool:a@2', after: [] }])],
  ['invalid_value', '/steps/0/uses', doc([choice('a', [], { uses: 'choice:x' })])],
  ['invalid_value', '/steps/0/after/0', doc([tool('a', ['b.c.d'])])],
  ['invalid_value', '/steps/0/retry/max_attempts', doc([tool('a', [], { retry: { max_attempts: 21 } })])],
  ['invalid_value', '/steps/0/timeout_seconds', doc([tool('a', [], { timeout_seconds: 86_401 })])],
  ['invalid_value', '/steps/0/timeout_seconds', doc([tool('a', [], { timeout_seconds: 0 })])],
  ['invalid_value', '/steps/0/ttl_seconds', doc([gate('a', [], { ttl_seconds: 59 })])],
  ['invalid_value', '/steps/0/remind_after_seconds', doc([gate('a', [], { remind_after_seconds: 3599 })])],
  ['invalid_value', '/steps/0/channels', doc([gate('a', [], { channels: [] })])],
  ['invalid_value', '/steps/0/channels/0', doc([gate('a', [], { channels: ['sms'] })])],
  ['invalid_value', '/steps/0/concurrency', doc([map('a', [], { concurrency: 101 })])],
  ['invalid_value', '/steps/0/require_sign_in', doc([gate('a', [], { approvals: 2, require_sign_in: false })])],
  ['invalid_value', '/steps/0/compensate/uses', doc([tool('a', [], { compensate: { uses: 'agent' } })])],
  ['invalid_value', '/input/x/enum', field({ type: 'string', enum: [] })],
  ['invalid_value', '/compensate_on/0', doc([tool('a')], { compensate_on: ['failed'] })],
  ['invalid_name', '/input/Amount', doc([tool('a')], { input: { Amount: { type: 'number' } } })],
  ['invalid_name', '/output/1', doc([tool('a')], { output: { 1: null } })],
  ['field_not_allowed', '/steps/0/join', doc([tool('a', [], { join: 'any' })])],
  ['field_not_allowed', '/steps/0/branches/0/when/right', branches({ name: 'x', when: { left: '${run.id}', op: 'empty', right: null } })],
  ['field_not_allowed', '/steps/0/form', doc([gate('a', [], { approvals: 2, form: { x: { type: 'string' } } })])],
  ['field_not_allowed', '/input/x/minimum', field({ type: 'string', minimum: 1 })],
  ['field_not_allowed', '/input/x/properties', field({ type: 'array', properties: { a: { type: 'string' } } })],
  ['field_not_allowed', '/input/x/default', field({ type: 'string', secret: true, default: 'x' })],
  ['duplicate_id', '/steps/1/id', doc([tool('a'), tool('a')])],
  ['duplicate_id', '/steps/0/branches/1/name', branches({ name: 'x', when: { left: '${run.id}', op: 'exists' } }, { name: 'x' })],
  ['duplicate_entry', '/steps/1/after/1', doc([gate('a'), tool('b', ['a', 'a.approved'])])],
  ['duplicate_entry', '/steps/0/channels/1', doc([gate('a', [], { channels: ['web', 'web'] })])],
  ['duplicate_entry', '/compensate_on/1', doc([tool('a')], { compensate_on: ['parked', 'parked'] })],
  ['range_empty', '/input/x/minimum', field({ type: 'number', minimum: 2, maximum: 1 })],
  ['range_empty', '/input/x/min_length', field({ type: 'string', min_length: 2, max_length: 1 })],
  ['default_invalid', '/input/x/default', field({ type: 'string', default: null })],
  ['default_invalid', '/input/x/default', field({ type: 'string', enum: ['a'], default: 'b' })],
  ['default_invalid', '/input/x/properties/y/default', field({ type: 'object', properties: { y: { type: 'integer', default: 1.5 } } })],
  ['enum_invalid', '/input/x/enum/1', field({ type: 'string', enum: ['a', null] })],
  ['unknown_step', '/steps/0/after/0', doc([tool('a', ['constructor'])])],
  ['unknown_step', '/steps/0/with/x', withValue('${steps.b.output}')],
  ['unknown_port', '/steps/1/after/0', doc([tool('a'), tool('b', ['a.approved'])])],
  ['unknown_port', '/steps/1/after/0', doc([choice('a'), tool('b', ['a.maybe'])])],
  ['port_required', '/steps/1/after/0', doc([choice('a'), tool('b', ['a'])])],
  ['cycle', '/steps/0/after/0', doc([tool('a', ['a'])])],
  ['cycle', '/steps/0/after/0', doc([tool('a', ['c']), tool('b', ['a']), tool('c', ['b'])])],
  [
    'never_starts',
    '/steps/3/after',
    doc([choice('a'), tool('b', ['a.yes']), tool('c', ['a.no']), tool('d', ['b', 'c']), tool('e', ['d'])]),
  ],
  ['never_starts', '/steps/1/after', doc([gate('a'), tool('b', ['a.rejected', 'a.expired'])])],
  ['invalid_reference', '/steps/0/with/x', withValue('Hello ${input.flag}')],
  ['invalid_reference', '/steps/0/with/x', withValue('${secrets.key}')],
  ['invalid_reference', '/steps/0/with/x', withValue('${input.flag }')],
  ['invalid_reference', '/steps/0/with/x', withValue('${input.flag..x}')],
  ['invalid_reference', '/steps/0/with/x/0/y', withValue([{ y: '${' }])],
  ['reference_required', '/steps/0/branches/0/when/left', branches({ name: 'x', when: { left: 'flag', op: 'exists' } })],
  ['reference_required', '/steps/0/over', doc([map('a', [], { over: 'list' })])],
  ['reference_not_allowed', '/steps/0/with/x', withValue('${item.x}')],
  ['reference_not_allowed', '/steps/0/over/0', doc([map('a', [], { over: ['${index}'] })])],
  ['reference_not_allowed', '/run_title', doc([tool('a')], { run_title: '${run.id}' })],
  [
    'reference_not_allowed',
    '/steps/0/branches/0/when/right/0',
    branches({ name: 'x', when: { left: '${run.id}', op: 'eq', right: ['${run.id}'] } }),
  ],
  ['reference_in_key', '/steps/0/with/${run.id}', doc([tool('a', [], { with: { '${run.id}': 1 } })])],
  ['reference_in_key', '/steps/0/with/x/${', withValue({ '${': 1 })],
  ['unknown_input', '/steps/0/with/x', withValue('${input.falg}')],
  ['unknown_input', '/steps/0/with/x', withValue('${input.constructor}')],
  ['not_an_ancestor', '/steps/0/with/x', withValue('${steps.a.output}')],
  ['not_an_ancestor', '/steps/1/with/x', doc([tool('a'), tool('b', [], { with: { x: '${steps.a.output}' } })])],
  ['not_an_ancestor', '/steps/0/do/with/x', doc([map('a', [], { do: { ...call, with: { x: '${steps.a.output}' } } })])],
  ['secret_not_allowed', '/steps/0/show/k', doc([gate('a', [], { show: { k: '${input.key}' } })])],
  ['secret_not_allowed', '/output/k', doc([tool('a')], { output: { k: '${input.key.x}' } })],
]

describe('a document is refused', () => {
  it.each(REFUSED)('%s at %s', (code, path, source) => {
    expect(list(source)).toEqual([`${code} ${path}`])
  })

  it('with every code of the closed list, and with no other', () => {
    const atTheStart = checkInput({ a: { type: 'string' }, b: { type: 'string' } }, { b: 1, c: 1 })
    const many = validateWorkflow(
      doc([
        tool(
          'a',
          Array.from({ length: 1200 }, (_, i) => `b${i}`),
        ),
      ]),
    )
    const more = [atTheStart, many].flatMap((result) => (result.ok ? [] : result.problems.map((problem) => problem.code)))
    expect(new Set([...REFUSED.map(([code]) => code), ...more])).toEqual(new Set(PROBLEM_CODES))
  })

  it('with all problems at once, in document order', () => {
    const broken = EXAMPLE.replace('"spec": 1', '"spec": 2')
      .replace('"title": "Expense approval"', '"title": "x", "title": "Expense approval"')
      .replace('"op": "gt"', '"opp": "gt"')
      .replace('["route.large"]', '["route.large", "route.small", "pay"]')
      .replace('"memo": "${input.reason}"', '"memo": "${steps.tell.output}"')
    expect(list(broken)).toEqual([
      'unsupported_spec /spec',
      'duplicate_key /title',
      'missing_field /steps/0/branches/0/when/op',
      'unknown_field /steps/0/branches/0/when/opp',
      'cycle /steps/1/after/2',
      'unknown_step /steps/2/with/memo',
    ])
  })

  it('with hints that name what was probably meant', () => {
    expect(hint(doc([tool('a', [], { whit: {} })]))).toBe("did you mean 'with'?")
    expect(hint(withValue('${input.falg}'))).toBe("did you mean 'flag'?")
    expect(hint(doc([choice('a'), tool('b', ['a'])]))).toBe('a.yes, a.no')
    expect(hint(doc([gate('a'), tool('b', ['a.rejected', 'a.expired'])]))).toBe('"join": "any"')
    expect(hint(withValue('a ${input.flag}'))).toContain('tool')
    expect(hint(doc([tool('b', ['a']), { id: 'a', uses: 'choice', after: [], branches: [] }]))).toContain("each of its 'branches'")
  })

  it.each([
    ['timeout', tool('a', [], { timeout: 1 }), "did you mean 'timeout_seconds'?"],
    ['ttl', { ...gate('a'), ttl: 60 }, "did you mean 'ttl_seconds'?"],
    ['compensation', tool('a', [], { compensation: {} }), "did you mean 'compensate'?"],
    ['depends_on', tool('a', [], { depends_on: [] }), "did you mean 'after'?"],
    ['needs', tool('a', [], { needs: [] }), "did you mean 'after'?"],
    ['timeoutSeconds', tool('a', [], { timeoutSeconds: 1 }), "did you mean 'timeout_seconds'?"],
    [
      'colour',
      tool('a', [], { colour: 1 }),
      'the fields here are id, uses, after, join, title, description, with, retry, timeout_seconds, compensate',
    ],
  ])('with what %s is called here', (_, step, wanted) => {
    expect(hint(doc([step]))).toBe(wanted)
  })

  it.each([
    ['gte', "the operators are eq, ne, lt, gt, contains, exists, empty; 'at least' is what is left for the branches after one with 'lt'"],
    ['le', "the operators are eq, ne, lt, gt, contains, exists, empty; 'at most' is what is left for the branches after one with 'gt'"],
    ['==', "did you mean 'eq'?"],
    ['exist', "did you mean 'exists'?"],
    ['between', 'the operators are eq, ne, lt, gt, contains, exists, empty'],
  ])('with the operators that there are, for %s', (op, wanted) => {
    const branches = [{ name: 'yes', when: { left: '${input.flag}', op, right: 1 } }]
    expect(hint(doc([{ id: 'a', uses: 'choice', after: [], branches }]))).toBe(wanted)
  })

  it('with the cycle spelled out, one problem for each', () => {
    const result = validateWorkflow(
      doc([tool('a', ['c', 'a']), tool('b', ['a']), tool('c', ['b']), tool('d', ['e', 'c']), tool('e', ['d'])]),
    )
    expect(result.ok ? [] : result.problems.map((problem) => problem.message)).toEqual([
      'these steps wait for each other: a → b → c → a',
      "'a' waits for itself",
      'these steps wait for each other: d → e → d',
    ])
  })

  it('with hints that say what could be referenced there', () => {
    const chain = (uses: string, more: Doc = {}) => [
      tool('a'),
      tool('b', ['a']),
      tool('c', ['b'], { with: { v: uses }, ...more }),
      tool('d'),
    ]
    const known = "what can be referenced here: 'b', 'a'"
    expect(hint(doc(chain('${steps.c.output}')))).toBe(known)
    expect(hint(doc(chain('${steps.d.output}')))).toBe(`${known}; or add 'd' to 'after', of this step or of one before it`)
    expect(hint(doc(chain('${steps.somebody.output}')))).toBe(known)
    expect(hint(doc([tool('a', [], { with: { v: '${steps.somebody.output}' } })]))).toBe('no step comes before this one')
    const many = Array.from({ length: 12 }, (_, i) => tool(`s${i}`, i === 0 ? [] : [`s${i - 1}`]))
    const last = "'s10', 's9', 's8', 's7', 's6', 's5', 's4', 's3' and 3 more"
    expect(hint(doc(many.with(11, tool('s11', ['s10'], { with: { v: '${steps.s11.output}' } }))))).toContain(last)
    expect(hint(withValue('${input.something}'))).toBe("the inputs are 'flag', 'list', 'key'")
  })

  it('naming the kinds that are known', () => {
    const result = validateWorkflow(doc([{ id: 'a', uses: 'waits', after: [], seconds: 3 }]))
    const message = "unknown kind 'waits'; the known kinds are tool, job, agent, workflow, approve, choice, map, wait"
    expect(result).toMatchObject({ problems: [{ message, hint: "did you mean 'wait'?" }] })
  })
})

const messages = (source: unknown) => {
  const result = validateWorkflow(source)
  return result.ok ? [] : result.problems.map(({ message }) => message)
}

describe('what later revisions may know', () => {
  const reserved = 'which is reserved for a later revision of spec 1 (this is revision 2026-11-30)'

  it('is named so', () => {
    expect(messages(doc([{ id: 'a', uses: 'repeat', after: [] }]))).toEqual([
      `unknown kind 'repeat', ${reserved}; the known kinds are tool, job, agent, workflow, approve, choice, map, wait`,
    ])
    expect(messages({ ...doc([tool('a', [], { retry: { on: [] } })]), timeout_seconds: 1 })).toEqual([
      `unknown field 'on', ${reserved}`,
      `unknown field 'timeout_seconds', ${reserved}`,
    ])
  })

  it.each([
    ['first', tool('b', ['a'], { join: 'first' })],
    ['all', { ...map('b', ['a']), tolerate: 'all' }],
    ['tool:x@2', { ...tool('b', ['a']), uses: 'tool:x@2' }],
    ['x@2', { id: 'b', uses: 'agent', after: ['a'], goal: '', tools: ['x@2'] }],
    ['file', { ...gate('b'), form: { scan: { type: 'file' } } }],
  ])('is named so where it is a value: %s', (value, step) => {
    expect(hint(doc([tool('a'), step]))).toBe(`'${value}' is ${reserved.replace('which is ', '')}`)
  })

  it('is not taken for something near', () => {
    expect(hint(doc([{ id: 'a', uses: 'event', after: [] }]))).toBeUndefined()
  })

  it('is not what is known elsewhere', () => {
    expect(messages(doc([map('a', [], { do: { uses: 'choice' } })]))).toEqual([
      "'choice' cannot stand here; a map can do tool, job, agent, workflow",
    ])
  })
})

describe('a document is accepted', () => {
  const ACCEPTED: [string, unknown][] = [
    ['with $schema at the top', doc([tool('a')], { $schema: 'https://example.com/schemas/workflow-1.json' })],
    ['with values 16 levels deep', withValue(nested(16))],
    ['with fields 16 levels deep', field(nestedField(16))],
    ['with 500 steps', doc(Array.from({ length: 500 }, (_, i) => tool(`s${i}`, i === 0 ? [] : [`s${i - 1}`])))],
    ['with a choice between ends of one gate', doc([gate('a'), tool('b', ['a.rejected', 'a.expired'], { join: 'any' })])],
    ['with branches joined by any', doc([choice('a'), tool('b', ['a.yes']), tool('c', ['b', 'a.no'], { join: 'any' })])],
    [
      'with a step called constructor',
      doc([tool('constructor'), tool('b', ['constructor'], { with: { x: '${steps.constructor.output.x}' } })]),
    ],
    ['with its own output in its compensation', doc([tool('a', [], { compensate: { ...call, with: { x: '${steps.a.output}' } } })])],
    [
      "with item, index and the item's output in a map",
      doc([
        map('a', [], {
          do: {
            ...call,
            with: { x: '${item}', y: ['${index}', '${item.x.0}'] },
            compensate: { ...call, with: { x: '${steps.a.output.id}' } },
          },
        }),
      ]),
    ],
    ['with a secret as a tool input', withValue('${input.key}')],
    ['with null on the right', branches({ name: 'x', when: { left: '${run.id}', op: 'eq', right: null } })],
    ['with an ancestor by a long way', doc([gate('a'), tool('b', ['a']), tool('c', ['b'], { with: { x: '${steps.a.output.comment}' } })])],
    ['with ${ in a default', field({ type: 'string', default: 'costs ${x}' })],
    ['with any step in the output', doc([tool('a'), tool('b')], { output: { a: '${steps.a.output}', b: '${steps.b.output.x}' } })],
    ['with several approvers who must sign in', doc([gate('a', [], { approvals: 2, require_sign_in: true })])],
    ['with a member called __proto__', textWith('{"__proto__":{"a":1}}')],
  ]
  it.each(ACCEPTED)('%s', (_name, source) => {
    expect(list(source)).toEqual([])
  })
})

describe('problemPositions', () => {
  it('finds the line and column of a problem, at the key of a member', () => {
    const lines = EXAMPLE.split('\n')
    const role = lines.findIndex((line) => line.includes('"role"'))
    expect(problemPositions(EXAMPLE, ['/steps/1/role'])[0]).toEqual({ line: role + 1, column: (lines[role]?.indexOf('"role"') ?? 0) + 1 })
    expect(problemPositions(EXAMPLE, ['/steps/1/after/0'])[0]).toEqual({
      line: role + 1,
      column: (lines[role]?.indexOf('"route.large"') ?? 0) + 1,
    })
  })
  it('falls back to the nearest place that exists', () => {
    expect(problemPositions(EXAMPLE, ['/steps/1/constructor'])[0]).toEqual(problemPositions(EXAMPLE, ['/steps/1'])[0])
    expect(problemPositions(EXAMPLE, [''])[0]).toEqual({ line: 1, column: 1 })
  })
  it('points at a syntax error', () => {
    expect(problemPositions('{\r\n  "a": ?\r\n}', ['/a'])[0]).toEqual({ line: 2, column: 8 })
  })
  it('points at what has no place of its own: comments, commas, each of several equal keys', () => {
    const text = '{\n  // one\n  "a": 1, "a": 2,\n  "a": [3,], // two\n}'
    const result = parseWorkflow(text)
    const read = result.ok ? [] : result.problems.filter(({ code }) => /comment|comma|duplicate/.test(code))
    const places = problemPositions(text, read).map(({ line, column }, i) => `${read[i]?.code} ${line}:${column}`)
    expect(places).toEqual([
      'comment 2:3',
      'duplicate_key 3:11',
      'duplicate_key 4:3',
      'trailing_comma 4:10',
      'trailing_comma 4:12',
      'comment 4:14',
    ])
  })
})
