import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  type Catalogue,
  type Json,
  parseWorkflow,
  type Step,
  validateWorkflow,
  WARNING_CODES,
  type Warning,
  warningsOf,
  type WorkflowSpec,
} from '..'
import { arbitrarySpec } from '../testing/arbitrary-spec'
import { EXAMPLE } from '../testing/example'

const schema = (type: z.ZodType, io: 'input' | 'output'): Json => JSON.parse(JSON.stringify(z.toJSONSchema(type, { io }))) as Json
const facts = (input: z.ZodObject, output: z.ZodType) => ({
  title: 'T',
  input: schema(input.def.catchall ? input : input.strict(), 'input'),
  output: schema(output, 'output'),
})
const entry = z.object({ entry_id: z.uuid(), amount: z.number(), note: z.string().nullable() })
const CATALOGUE: Catalogue = {
  tools: new Map([
    [
      'ledger.post',
      {
        effect: 'write' as const,
        ...facts(z.object({ amount: z.number().max(1000), memo: z.string().min(1) }), z.object({ entry_id: z.uuid() })),
      },
    ],
    ['ledger.reverse', { effect: 'write' as const, ...facts(z.object({ entry: z.uuid() }), z.object({ entry_id: z.uuid() })) }],
    [
      'ledger.list',
      {
        effect: 'read' as const,
        ...facts(z.object({ limit: z.int().default(100) }), z.object({ entries: z.array(entry), total: z.number() })),
      },
    ],
    [
      'mail.send',
      {
        effect: 'once' as const,
        ...facts(
          z.object({
            to: z.union([z.string(), z.array(z.string())]),
            kind: z.enum(['plain', 'html']).optional(),
            extra: z.record(z.string(), z.number()).optional(),
          }),
          z.object({ id: z.string() }),
        ),
      },
    ],
    ['any', { effect: 'write' as const, ...facts(z.object({ value: z.json() }).loose(), z.json()) }],
  ]),
  jobs: new Map([['movie.cut', facts(z.object({ file: z.string() }), z.object({ seconds: z.number() }))]]),
  workflows: new Map([['pay-out', { title: 'Pay out', version: 2, input: { amount: { type: 'number' } }, output: ['receipt'] }]]),
  roles: new Set(['manager']),
}

const INPUT: WorkflowSpec['input'] = {
  amount: { type: 'number' },
  reason: { type: 'string' },
  small: { type: 'integer', required: false },
  person: { type: 'object', properties: { name: { type: 'string' } } },
  people: { type: 'array', items: { type: 'object', properties: { mail: { type: 'string' } } } },
  key: { type: 'string', secret: true },
}

function valid(steps: Step[], more: Partial<WorkflowSpec> = {}): WorkflowSpec {
  const spec: WorkflowSpec = { spec: 1, slug: 'a-flow', title: 'A flow', input: INPUT ?? {}, steps, ...more }
  const parsed = validateWorkflow(spec)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return spec
}
const warned = (steps: Step[], catalogue: Catalogue = CATALOGUE, more: Partial<WorkflowSpec> = {}) =>
  warningsOf(valid(steps, more), catalogue)
const brief = (warnings: Warning[]) => warnings.map(({ code, path }) => `${code} ${path}`)
const of = (code: string, warnings: Warning[]) => warnings.filter((warning) => warning.code === code).map(({ path }) => path)

const post = (id: string, after: string[], values: Record<string, Json> = { amount: 1, memo: 'm' }, more: object = {}): Step =>
  ({ id, uses: 'tool:ledger.post', after, with: values, ...more }) as Step
const gate = (id: string, after: string[], more: object = {}): Step => ({ id, uses: 'approve', after, role: 'manager', ...more })
const fitting = (values: Record<string, Json>) => brief(warned([post('pay', [], values)]))

const mail = (values: Record<string, Json>) => brief(warned([{ id: 'm', uses: 'tool:mail.send', after: [], with: values }]))
const followedBy = (after: string): Step[] => [
  post('pay', []),
  { id: 'tell', uses: 'tool:any', after: [after], with: { value: '${steps.pay.output.error.code}' } },
]
const shownBy = (more: object) =>
  of('effect_not_shown', warned([gate('ask', [], more), post('pay', ['ask'], { amount: '${input.amount}', memo: '${input.reason}' })]))
const partShown = (show: string, used: string) =>
  of('effect_not_shown', warned([gate('ask', [], { show: { a: show } }), post('pay', ['ask'], { amount: 1, memo: used })]))
const made = (show: object): Step[] => [
  gate('ask', [], { show }),
  { id: 'make', uses: 'tool:any', after: ['ask'], with: { value: '${input.reason}' } },
  post('pay', ['make'], { amount: 1, memo: '${steps.make.output.text}' }),
]
const skipping = (...steps: Step[]) => warned(steps).filter(({ code }) => code === 'gate_can_be_skipped')
const skipped = (...steps: Step[]) => of('gate_can_be_skipped', warned(steps))
const list = (id: string, after: string[] = []): Step => ({ id, uses: 'tool:ledger.list', after })
const secretsIn = (values: Record<string, Json>) => warned([{ id: 'a', uses: 'tool:any', after: [], with: { value: 1, ...values } }])

describe('names', () => {
  it('that nothing answers to are warned of, with the nearest that is known', () => {
    const steps: Step[] = [
      { id: 'a', uses: 'tool:ledger.pots', after: [], compensate: { uses: 'tool:gone' } },
      { id: 'b', uses: 'job:film.cut', after: ['a'] },
      { id: 'c', uses: 'workflow:payout', after: ['b'] },
      { id: 'd', uses: 'approve', after: ['c'], role: 'manger' },
      { id: 'e', uses: 'agent', after: ['d'], goal: 'x', tools: ['mail.send', 'mail.sent'] },
    ]
    const warnings = warned(steps)
    expect(brief(warnings)).toEqual([
      'unknown_tool /steps/0/uses',
      'unknown_tool /steps/0/compensate/uses',
      'unknown_job /steps/1/uses',
      'unknown_workflow /steps/2/uses',
      'unknown_role /steps/3/role',
      'result_unused /steps/4',
      'unknown_tool /steps/4/tools/1',
    ])
    expect(warnings[0]?.hint).toBe("did you mean 'ledger.post'?")
    expect(warningsOf(valid(steps), {}).map(({ code }) => code)).toEqual(['result_unused'])
  })

  it('of the workflow itself are known', () => {
    expect(brief(warned([{ id: 'a', uses: 'workflow:a-flow', after: [] }]))).toEqual([])
  })
})

describe('inputs of calls', () => {
  it('that are missing, unknown, or of another type or range are warned of', () => {
    expect(fitting({ amount: 1, memo: 'x' })).toEqual([])
    expect(fitting({ amount: 1 })).toEqual(['input_missing /steps/0/with/memo'])
    expect(fitting({ amount: 1, memos: 'x' })).toEqual(['input_unknown /steps/0/with/memos', 'input_missing /steps/0/with/memo'])
    expect(fitting({ amount: '1', memo: 'x' })).toEqual(['input_mismatch /steps/0/with/amount'])
    expect(fitting({ amount: 1001, memo: '' })).toEqual(['input_mismatch /steps/0/with/amount', 'input_mismatch /steps/0/with/memo'])
    expect(fitting({ amount: null, memo: 'x' })).toEqual(['input_mismatch /steps/0/with/amount'])
  })

  it('are looked at through inputs and outputs that are referred to', () => {
    expect(fitting({ amount: '${input.amount}', memo: '${input.reason}' })).toEqual([])
    expect(fitting({ amount: '${input.small}', memo: '${run.id}' })).toEqual([])
    expect(fitting({ amount: '${input.reason}', memo: '${input.person}' })).toEqual([
      'input_mismatch /steps/0/with/amount',
      'input_mismatch /steps/0/with/memo',
    ])
    const list: Step = { id: 'list', uses: 'tool:ledger.list', after: [] }
    const through = (values: Record<string, Json>) => brief(warned([list, post('pay', ['list'], values)]))
    expect(through({ amount: '${steps.list.output.total}', memo: '${steps.list.output.entries.0.note}' })).toEqual([])
    expect(through({ amount: '${steps.list.output.entries}', memo: '${steps.list.output.total}' })).toEqual([
      'input_mismatch /steps/1/with/amount',
      'input_mismatch /steps/1/with/memo',
    ])
  })

  it('may take one of several forms', () => {
    expect(mail({ to: 'a' })).toEqual([])
    expect(mail({ to: ['a', '${input.reason}'], kind: 'html', extra: { a: 1 } })).toEqual([])
    expect(mail({ to: ['a', 1] })).toEqual(['input_mismatch /steps/0/with/to/1'])
    expect(mail({ to: { a: 1 }, kind: 'rich', extra: { a: 'x' } })).toEqual([
      'input_mismatch /steps/0/with/to',
      'input_mismatch /steps/0/with/kind',
      'input_mismatch /steps/0/with/extra/a',
    ])
    expect(mail({ to: 'a', kind: null })).toEqual([])
  })

  it('of jobs, workflows, compensations and the bodies of maps count too', () => {
    expect(
      brief(
        warned([
          { id: 'a', uses: 'job:movie.cut', after: [], with: { file: 1 } },
          { id: 'b', uses: 'workflow:pay-out', after: ['a'], with: { amount: 'x', more: 1 } },
          { id: 'c', uses: 'workflow:pay-out@1', after: ['b'], with: { other: 1 } },
          post(
            'd',
            ['c'],
            { amount: 1, memo: 'm' },
            { compensate: { uses: 'tool:ledger.reverse', with: { entry: '${steps.d.output.entry_id}', of: 1 } } },
          ),
          {
            id: 'e',
            uses: 'map',
            after: ['d'],
            over: '${input.people}',
            do: { uses: 'tool:ledger.post', with: { amount: '${item.mail}', memo: '${index}' } },
          },
        ]),
      ),
    ).toEqual([
      'input_mismatch /steps/0/with/file',
      'input_mismatch /steps/1/with/amount',
      'input_unknown /steps/1/with/more',
      'input_unknown /steps/3/compensate/with/of',
      'input_mismatch /steps/4/do/with/amount',
      'input_mismatch /steps/4/do/with/memo',
    ])
  })

  it.each<[Json]>([
    [{ allOf: [{ type: 'object', required: ['x'] }] }],
    [
      {
        type: 'object',
        properties: { amount: { not: {} }, memo: { $ref: 'elsewhere' } },
        patternProperties: { m: {} },
        additionalProperties: false,
      },
    ],
    [{ $ref: '#/$defs/loop', $defs: { loop: { $ref: '#/$defs/loop' } } }],
    [{ type: 'object', properties: { amount: { anyOf: [{ type: 'string' }], type: 'string' }, memo: { type: 'strange' } } }],
    [true],
    [null],
  ])('are not complained of where the schema says what is not understood: %j', (input) => {
    const tools = new Map([['ledger.post', { title: 'T', effect: 'write' as const, input, output: true }]])
    expect(brief(warned([post('pay', [], { amount: 1, memo: 2 })], { tools }))).toEqual([])
  })

  it('are understood where a schema refers to its own parts, recursively too', () => {
    const Tree: z.ZodType = z.lazy(() => z.object({ name: z.string(), children: z.array(Tree) }))
    const tools = new Map([['ledger.post', { effect: 'write' as const, ...facts(z.object({ tree: Tree }), z.json()) }]])
    const tree = (inner: Json) => brief(warned([post('pay', [], { tree: { name: 'a', children: [inner] } })], { tools }))
    expect(tree({ name: 'b', children: [] })).toEqual([])
    expect(tree({ name: 1, children: [] })).toEqual(['input_mismatch /steps/0/with/tree/children/0/name'])
  })
})

describe('paths', () => {
  it('that an output, an input or an item never has are warned of, wherever they stand', () => {
    const steps: Step[] = [
      post('pay', []),
      {
        id: 'ask',
        uses: 'approve',
        after: ['pay'],
        role: 'manager',
        show: { a: '${steps.pay.output.entry}', b: '${input.person.name}' },
        form: { why: { type: 'string' } },
      },
      { id: 'c', uses: 'choice', after: ['ask'], branches: [{ name: 'x', when: { left: '${steps.ask.output.form.what}', op: 'exists' } }] },
      {
        id: 'm',
        uses: 'map',
        after: ['c.x'],
        over: '${input.people}',
        do: { uses: 'tool:any', with: { value: '${item.male}', b: '${item.mail.x}' } },
      },
      { id: 'w', uses: 'workflow:pay-out', after: ['m'], with: { amount: 1 } },
    ]
    const output = {
      a: '${steps.w.output.receit}',
      b: '${steps.m.output.results.0.anything}',
      c: '${steps.c.output.branch}',
      d: '${steps.w.output.receipt.x}',
    }
    expect(of('unknown_path', warned(steps, CATALOGUE, { output }))).toEqual([
      '/steps/1/show/a',
      '/steps/2/branches/0/when/left',
      '/steps/3/do/with/b',
      '/output/a',
    ])
  })

  it('of undeclared members of an input object are not: those are accepted', () => {
    expect(of('unknown_path', warned([post('p', [])], CATALOGUE, { output: { a: '${input.person.other}' } }))).toEqual([])
  })

  it('into the error of a failure that is followed lead somewhere', () => {
    expect(of('unknown_path', warned(followedBy('pay.failed')))).toEqual([])
    expect(of('unknown_path', warned(followedBy('pay')))).toEqual(['/steps/1/with/value'])
  })

  it('into an agent answer and what a map gives back are known', () => {
    const steps: Step[] = [
      { id: 'a', uses: 'agent', after: [], goal: 'x', output: { answer: { type: 'string' } } },
      { id: 'm', uses: 'map', after: ['a'], over: [1], do: { uses: 'tool:ledger.post', with: { amount: 1, memo: 'm' } } },
    ]
    const output = {
      a: '${steps.a.output.answer}',
      b: '${steps.a.output.text}',
      c: '${steps.m.output.results.0.entry_id}',
      d: '${steps.m.output.results.0.id}',
      e: '${steps.m.output.failed.0.error.code}',
      f: '${steps.m.output.results.first}',
    }
    expect(of('unknown_path', warned(steps, CATALOGUE, { output }))).toEqual(['/output/b', '/output/d', '/output/f'])
  })
})

describe('approvals', () => {
  const route: Step = {
    id: 'route',
    uses: 'choice',
    after: [],
    branches: [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: 500 } }, { name: 'small' }],
  }

  it('that do not show what is acted on are warned of', () => {
    expect(shownBy({ show: { a: '${input.amount}', b: '${input.reason}' } })).toEqual([])
    expect(shownBy({ show: { a: '${input.amount}' }, message: '${input.reason}' })).toEqual([])
    expect(shownBy({ show: { a: { nested: ['${input.amount}'] } } })).toEqual(['/steps/1/with/memo'])
    expect(shownBy({})).toEqual(['/steps/1/with/amount', '/steps/1/with/memo'])
  })

  it('show what is part of what they show, but not what it is part of', () => {
    expect(partShown('${input.person}', '${input.person.name}')).toEqual([])
    expect(partShown('${input.person.name}', '${input.person}')).toEqual(['/steps/1/with/memo'])
  })

  it('are not asked to show secrets, what reads only, or what they themselves bring', () => {
    const after: Step[] = [
      gate('ask', [], { form: { why: { type: 'string' } } }),
      { id: 'list', uses: 'tool:ledger.list', after: ['ask'], with: { limit: '${input.small}' } },
      post('pay', ['list'], { amount: 1, memo: '${steps.ask.output.form.why}', key: '${input.key}' }),
    ]
    expect(of('effect_not_shown', warned(after))).toEqual([])
  })

  it('are looked through: what a later step makes of a value is that value', () => {
    expect(of('effect_not_shown', warned(made({ r: '${input.reason}' })))).toEqual([])
    expect(of('effect_not_shown', warned(made({})))).toEqual(['/steps/1/with/value', '/steps/2/with/memo'])
  })

  it('that can be gone around are warned of where the ways meet, with the condition in words', () => {
    const example = parseWorkflow(EXAMPLE)
    if (!example.ok) throw new Error('the example is refused')
    expect(warningsOf(example.spec, CATALOGUE)).toEqual([
      {
        code: 'gate_can_be_skipped',
        path: '/steps/2/after/0',
        message: "'pay' can start without the approval 'sign_off': if amount is at most 500".replace('amount', 'Amount (EUR)'),
      },
    ])
    const words = (...steps: Step[]) => skipping(...steps).map(({ message }) => message.split(': ')[1])
    const pay = (...after: string[]) => post('pay', after, undefined, { join: 'any' })
    expect(words(gate('ask', []), pay('ask', 'ask.expired'))).toEqual(['if nobody answers “ask” in time'])
    // A join decides when everything before it is settled: beside another entry a gate is waited for, and its rejection ends the run …
    const wait: Step = { id: 'w', uses: 'wait', after: [], seconds: 1 }
    expect(words(gate('ask', []), wait, pay('ask', 'w'))).toEqual([])
    expect(words(gate('ask', []), wait, post('made', ['ask']), pay('made', 'w'))).toEqual([])
    // … unless somebody follows the rejection, or the gate is skipped.
    expect(words(gate('ask', []), wait, post('tell', ['ask.rejected']), pay('ask', 'w'))).toEqual(['if “ask” is rejected'])
    expect(words(route, gate('ask', ['route.large']), wait, pay('ask', 'w'))).toHaveLength(1)
    // Once is enough: what stands behind is reached the same way.
    expect(
      skipping(route, gate('ask', ['route.large']), post('a', ['route.small', 'ask'], undefined, { join: 'any' }), post('b', ['a'])),
    ).toHaveLength(1)
  })

  it('are not gone around by what only reads, by the answer to a rejection, or by another approval before', () => {
    expect(skipped(gate('ask', []), { id: 'l', uses: 'tool:ledger.list', after: ['ask', 'ask.rejected'], join: 'any' })).toEqual([])
    expect(skipped(gate('ask', []), post('tell', ['ask.rejected', 'ask.expired'], undefined, { join: 'any' }))).toEqual([])
    expect(skipped(gate('ask', []), gate('more', ['ask']), post('pay', ['ask', 'more'], undefined, { join: 'any' }))).toEqual([])
    expect(skipped(gate('ask', []), post('pay', ['ask']), post('more', ['pay', 'pay.failed'], undefined, { join: 'any' }))).toEqual([])
  })
})

describe('agents, unused results and secrets', () => {
  it('an agent that may act on its own is warned of, in a map too', () => {
    const agent = { uses: 'agent' as const, goal: 'x', tools: ['mail.send'], unattended: true }
    expect(
      brief(
        warned([
          { id: 'a', after: [], ...agent },
          { id: 'm', uses: 'map', after: ['a'], over: [1], do: agent },
        ]),
      ),
    ).toEqual(['unattended_agent /steps/0/unattended', 'unattended_agent /steps/1/do/unattended'])
  })

  it('what only reads and nobody uses is warned of; what acts, is followed or is referred to is not', () => {
    expect(
      of(
        'result_unused',
        warned([list('a'), post('b', []), list('c'), list('d'), post('e', ['d'])], CATALOGUE, { output: { x: '${steps.c.output.total}' } }),
      ),
    ).toEqual(['/steps/0'])
  })

  it('texts that look like credentials are warned of and never repeated', () => {
    const found = secretsIn({
      password: 'hunter2hunter2',
      apiKey: 'abcd-1234-efgh',
      headers: { authorization: `x ghp_${'a'.repeat(36)}`, 'client-secret': 's3cr3tvalue' },
      url: 'postgres://me:pa55word@host/db',
    })
    expect(brief(found)).toEqual([
      'secret_literal /steps/0/with/password',
      'secret_literal /steps/0/with/apiKey',
      'secret_literal /steps/0/with/headers/authorization',
      'secret_literal /steps/0/with/headers/client-secret',
      'secret_literal /steps/0/with/url',
    ])
    expect(JSON.stringify(found)).not.toMatch(/hunter2|ghp_|s3cr3t|pa55/)
    expect(
      secretsIn({
        password: '${input.key}',
        token: 'next',
        token_count: 'many-tokens',
        secret: '<your secret>',
        password_hint: 'thedogsname',
        note: 'https://example.org/a:b@c',
        api_key: 'change-me-please',
        passphrase: 'a sentence of words',
      }),
    ).toEqual([])
  })

  it('a default belongs to the name of its field', () => {
    const input = { password: { type: 'string' as const, default: 'hunter2hunter2' } }
    expect(of('secret_literal', warned([post('a', [])], CATALOGUE, { input }))).toEqual(['/input/password/default'])
  })
})

describe('the list', () => {
  it('follows the document as it is written, and fits any valid document', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(arbitrarySpec({ maxSteps: 25 }), (spec) => {
        const warnings = warningsOf(spec, CATALOGUE)
        const steps = warnings.map(({ path }) => path.split('/')).flatMap(([, top, at]) => (top === 'steps' ? [Number(at)] : []))
        expect(steps).toEqual(steps.toSorted((a, b) => a - b))
        for (const { code } of warnings) expect(WARNING_CODES).toContain(code)
        expect(warningsOf(JSON.parse(JSON.stringify(spec)) as WorkflowSpec, CATALOGUE)).toEqual(warnings)
      }),
      { numRuns: 40 },
    )
  })
})

it('lists as many warnings as anybody could read, and says how many are left', () => {
  const inputs = Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`k${i}`, 1]))
  const spec: WorkflowSpec = {
    spec: 1,
    slug: 'a-flow',
    title: 'A',
    steps: [{ id: 'a', uses: 'tool:ledger.post', after: [], with: inputs }],
  }
  const warnings = warningsOf(spec, CATALOGUE)
  expect(warnings).toHaveLength(1_001)
  expect(warnings.at(-1)).toMatchObject({ code: 'more_warnings', path: '' })
})
