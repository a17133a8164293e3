import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Json, type Step, warningsOf } from '..'
import { brief, CATALOGUE, facts, of, post, valid, warned } from '../testing/warned'

const fitting = (values: Record<string, Json>) => brief(warned([post('pay', [], values)]))
const mail = (values: Record<string, Json>) => brief(warned([{ id: 'm', uses: 'tool:mail.send', after: [], with: values }]))
const opened = (input: object, more: object = {}): string[] =>
  of('secret_not_accepted', warned([{ id: 'open', uses: 'tool:vault.open', after: [], with: input, ...more } as Step]))
const followedBy = (after: string): Step[] => [
  post('pay', []),
  { id: 'tell', uses: 'tool:any', after: [after], with: { value: '${steps.pay.output.error.code}' } },
]

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

  it('may be secret only where the tool declares a secret', () => {
    expect(opened({ token: '${input.key}', name: 'n' })).toEqual([])
    expect(opened({ token: 't', name: '${input.key}' })).toEqual(['/steps/0/with/name'])
    const undo = { uses: 'tool:any', with: { value: ['${input.reason}', '${input.key}'] } }
    expect(opened({ token: '${input.key}' }, { compensate: undo })).toEqual(['/steps/0/compensate/with/value/1'])
    expect(of('secret_not_accepted', warned([{ id: 'a', uses: 'tool:nobody.knows', after: [], with: { v: '${input.key}' } }]))).toEqual([])
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
