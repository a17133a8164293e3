import { describe, expect, it } from 'vitest'
import { evaluatePredicate, type Json, type Predicate, referencesIn, resolveValue, type Scope, takeBranch } from '.'

const outputs = new Map<string, Json>([
  ['ask', { reply: 'hi', list: [{ id: 7 }, 'b'], '0': 'zero', text: '${input.amount}' }],
  ['proto', JSON.parse('{"__proto__":{"own":1}}')],
])
const scope: Scope = {
  input: { amount: 900, none: null, name: 'Mia' },
  output: (id) => outputs.get(id),
  run: { id: 'run-1' },
  principal: { team_id: 't', user_id: 'u', locale: 'en' },
}

const MISMATCH = 'predicate_type_mismatch'
const result = (left: Json, op: Predicate['op'], right?: Json) => {
  const answer = evaluatePredicate({ left: '${item}', op, ...(right === undefined ? {} : { right }) }, { ...scope, item: left })
  return answer.ok ? answer.value : answer.code
}
const when = (op: Predicate['op'], right: Json) => ({ left: '${input.amount}', op, right })
const choice = (...branches: { name: string; when?: Predicate }[]) => ({ id: 'route', uses: 'choice' as const, after: [], branches })

describe('resolveValue', () => {
  it.each<[Json, Json]>([
    ['${input.amount}', 900],
    ['${input.missing}', null],
    ['${input.constructor}', null],
    ['${input.name.length}', null],
    ['${input.name.0}', null],
    ['${steps.ask.output}', outputs.get('ask') ?? null],
    ['${steps.ask.output.list.0.id}', 7],
    ['${steps.ask.output.list.00}', null],
    ['${steps.ask.output.list.2}', null],
    ['${steps.ask.output.list.-1}', null],
    ['${steps.ask.output.list.length}', null],
    ['${steps.ask.output.0}', 'zero'],
    ['${steps.ask.output.constructor.name}', null],
    ['${steps.ask.output.__proto__}', null],
    ['${steps.proto.output.__proto__.own}', 1],
    ['${steps.skipped.output.x}', null],
    ['${steps.constructor.output}', null],
    ['${run.id}', 'run-1'],
    ['${principal.team_id}', 't'],
    ['${principal.user_id}', 'u'],
    ['${principal.locale}', 'en'],
    ['${item}', null],
    ['${index}', null],
    ['plain', 'plain'],
    [
      [1, ['${input.amount}'], { a: '${run.id}' }],
      [1, [900], { a: 'run-1' }],
    ],
  ])('%j is %j', (value, expected) => {
    expect(resolveValue(value, scope)).toEqual(expected)
  })

  it('never scans what came in', () => {
    expect(resolveValue({ x: '${steps.ask.output.text}', y: ['${item}'] }, { ...scope, item: '${run.id}' })).toEqual({
      x: '${input.amount}',
      y: ['${run.id}'],
    })
  })

  it('takes inputs from a Map, and items and their index', () => {
    const inMap = { ...scope, input: new Map<string, Json>([['constructor', 1]]), item: { a: [1] }, index: 3 }
    expect(resolveValue(['${input.constructor}', '${item.a.0}', '${index}', '${input.amount}'], inMap)).toEqual([1, 1, 3, null])
  })

  it('keeps a literal member called __proto__', () => {
    const value = JSON.parse('{"__proto__":{"x":"${run.id}"}}')
    expect(JSON.stringify(resolveValue(value, scope))).toBe('{"__proto__":{"x":"run-1"}}')
  })
})

describe('referencesIn', () => {
  it('finds every reference in reading order', () => {
    expect(
      referencesIn({
        a: ['${input.x.y.0}', 'x'],
        b: '${steps.s.output}',
        c: { d: '${item}', e: '${index}' },
        f: '${run.id}',
        g: '${principal.locale}',
      }),
    ).toEqual([
      { root: 'input', name: 'x', path: ['y', '0'] },
      { root: 'steps', step: 's', path: [] },
      { root: 'item', path: [] },
      { root: 'index' },
      { root: 'run', field: 'id' },
      { root: 'principal', field: 'locale' },
    ])
  })

  it.each([
    '${}',
    '${input}',
    '${steps.a}',
    '${steps.a.input}',
    '${run}',
    '${run.id.x}',
    '${principal.email}',
    '${index.x}',
    '${item.}',
    ' ${run.id}',
    '${run.id} ',
    '$${run.id}',
    '${a${b}}',
    '${input.a b}',
    '${input.a\u00a0}',
  ])('%j is none', (text) => {
    expect(referencesIn(text)).toEqual([])
  })
})

describe('evaluatePredicate', () => {
  it.each<[Json, Predicate['op'], Json | undefined, boolean | string]>([
    [{ a: [1], b: 2 }, 'eq', { b: 2, a: [1] }, true],
    [1, 'eq', '1', false],
    [null, 'eq', null, true],
    [[1, 2], 'eq', [2, 1], false],
    [{ a: null }, 'eq', {}, false],
    [{}, 'ne', [], true],
    [0, 'eq', false, false],
    [1, 'lt', 2, true],
    [2, 'gt', 2, false],
    ['b', 'gt', 'a', true],
    ['\uFFEE', 'gt', '🦊', true],
    ['1', 'lt', 2, MISMATCH],
    [null, 'lt', 2, MISMATCH],
    [true, 'gt', false, MISMATCH],
    ['haystack', 'contains', 'st', true],
    ['haystack', 'contains', 1, MISMATCH],
    [[{ a: 1 }, 2], 'contains', { a: 1 }, true],
    [[1], 'contains', '1', false],
    [{ a: 1 }, 'contains', 'a', MISMATCH],
    [null, 'contains', 'a', MISMATCH],
    [null, 'exists', undefined, false],
    ['', 'exists', undefined, true],
    [null, 'empty', undefined, true],
    ['', 'empty', undefined, true],
    [[], 'empty', undefined, true],
    [{}, 'empty', undefined, true],
    [0, 'empty', undefined, false],
    [false, 'empty', undefined, false],
    [[null], 'empty', undefined, false],
  ])('%j %s %j is %s', (left, op, right, expected) => {
    expect(result(left, op, right)).toBe(expected)
  })

  it('tells types, and none of the data, in its message', () => {
    const answer = evaluatePredicate({ left: '${input.name}', op: 'gt', right: 5 }, scope)
    expect(answer).toEqual({ ok: false, code: MISMATCH, message: "'gt' cannot compare a string with a number" })
  })
})

describe('takeBranch', () => {
  it('takes the first branch that holds and does not look at later ones', () => {
    const step = choice(
      { name: 'a', when: when('lt', 5) },
      { name: 'b', when: when('gt', 500) },
      { name: 'c', when: when('gt', 'x') },
      { name: 'd' },
    )
    expect(takeBranch(step, scope)).toEqual({ ok: true, branch: 'b' })
  })
  it('takes the last branch otherwise', () => {
    expect(takeBranch(choice({ name: 'a', when: when('lt', 5) }, { name: 'd' }), scope)).toEqual({ ok: true, branch: 'd' })
  })
  it('fails where none holds, and at the first that cannot be decided', () => {
    expect(takeBranch(choice({ name: 'a', when: when('lt', 5) }), scope)).toMatchObject({ ok: false, code: 'no_branch' })
    expect(takeBranch(choice({ name: 'a', when: when('lt', 'x') }, { name: 'b' }), scope)).toMatchObject({ ok: false, code: MISMATCH })
  })
})
