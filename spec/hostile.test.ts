import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { effort } from '@/db/testing/effort'
import { parseWorkflow, PROBLEM_CODES, problemPositions, validateWorkflow } from '.'
import { EXAMPLE } from './testing/example'
import { arbitraryMutation, arbitrarySpec } from './testing/arbitrary-spec'
import { arbitraryEdits, edited } from './testing/edit'

const codes = (text: string) => {
  const result = parseWorkflow(text)
  return result.ok ? [] : [...new Set(result.problems.map((problem) => problem.code))]
}
const steps = (body: string) => `{"spec":1,"slug":"ab","title":"t","steps":[${body}]}`
const withValue = (value: string) => steps(`{"id":"a","uses":"tool:x","after":[],"with":{"v":${value}}}`)

const agentAsked = (field: string, name = 'x') => steps(`{"id":"a","uses":"agent","after":[],"goal":"","output":{"${name}":${field}}}`)

/** Seconds of processor time, not of the clock: other work may share the machine. The point is that nothing is quadratic or endless. */
const SOON = 3
const secondsOf = (work: () => void) => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
const PATIENT = { timeout: effort(60_000) }

/** Whatever a text is, the answer is a fixed point or a list of problems that can be shown. */
function settles(text: string): void {
  const result = parseWorkflow(text)
  if (result.ok) {
    expect(parseWorkflow(result.canonical)).toEqual(result)
    return
  }
  expect(result.problems.length).toBeGreaterThan(0)
  for (const { code, path } of result.problems) {
    expect(PROBLEM_CODES).toContain(code)
    expect(path === '' || path.startsWith('/')).toBe(true)
  }
  const places = problemPositions(
    text,
    result.problems.map(({ path }) => path),
  )
  expect(places).toHaveLength(result.problems.length)
  for (const { line, column } of places) expect(Math.min(line, column)).toBeGreaterThan(0)
}

describe('hostile text is refused soon and without a crash', () => {
  const CASES: [string, string, string[]][] = [
    ['100,000 arrays in each other', withValue('['.repeat(100_000)), ['too_deep']],
    ['100,000 objects in each other', '{"a":'.repeat(100_000), ['too_deep']],
    ['a string of 10 MB', withValue(`"${'x'.repeat(10_000_000)}"`), ['document_too_large']],
    ['a string of 4 MB', withValue(`"${'x'.repeat(4_000_000)}"`), ['document_too_large']],
    ['a string of 2,000,000 escapes', withValue(`"${'\\n'.repeat(2_000_000)}"`), ['document_too_large']],
    ['a number of 4,000,000 zeros', withValue(`0.${'0'.repeat(4_000_000)}1`), ['number_not_exact']],
    ['100,000 steps', steps(Array.from({ length: 100_000 }, (_, i) => `{"id":"s${i}","uses":"x","after":[]}`).join(',')), []],
    ['1,000,000 wrong entries', steps(`{"id":"a","uses":"tool:x","after":[${'1,'.repeat(1_000_000)}1]}`), []],
    ['300,000 unknown fields', `{${Array.from({ length: 300_000 }, (_, i) => `"${i}":1`).join(',')}}`, []],
    ['1,000 problems below a key of 2 MB', withValue(`{"${'k'.repeat(2_000_000)}":[${'"${",'.repeat(1000)}1]}`), []],
    [
      '200,000 tools of an agent',
      steps(
        `{"id":"a","uses":"agent","after":[],"goal":"","tools":[${Array.from({ length: 200_000 }, (_, i) => `"t${i % 9}"`).join(',')}]}`,
      ),
      ['duplicate_entry', 'more_problems'],
    ],
    [
      'an answer of fields in fields',
      agentAsked(`${'{"type":"array","items":'.repeat(60)}{"type":"string","secret":true}${'}'.repeat(60)}`),
      [],
    ],
    ['an answer called __proto__', agentAsked('{"type":"string"}', '__proto__'), ['invalid_name']],
    ['a workflow of 1 MB', steps(`{"id":"a","uses":"workflow:${'a-'.repeat(500_000)}@1","after":[]}`), ['invalid_value']],
    ['a wait of 1e400 seconds', steps('{"id":"a","uses":"wait","after":[],"seconds":1e400}'), ['invalid_value', 'number_not_exact']],
    ['100,000 comments', `${'/**/'.repeat(100_000)}${EXAMPLE}`, ['comment', 'more_problems']],
    ['40,000 duplicate keys', withValue(`{${'"a":1,'.repeat(40_000)}"a":1}`), ['duplicate_key', 'more_problems']],
    [
      '150,000 unknown steps',
      steps(`{"id":"a","uses":"tool:x","after":[${Array.from({ length: 150_000 }, (_, i) => `"b${i}"`).join(',')}]}`),
      [],
    ],
  ]
  it.each(CASES)('%s', PATIENT, (_name, text, expected) => {
    let found: string[] = []
    expect(
      secondsOf(() => {
        found = codes(text)
      }),
    ).toBeLessThan(SOON)
    expect(found.length).toBeGreaterThan(0)
    if (expected.length > 0) expect(found).toEqual(expected)
  })

  it('a thousand problems and the places of all of them', PATIENT, () => {
    const withs = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, `\${steps.s${i}.output}`]))
    const text = JSON.stringify({ spec: 1, slug: 'ab', title: 't', steps: [{ id: 'a', uses: 'tool:x', after: [], with: withs }] }, null, 1)
    expect(secondsOf(() => settles(text))).toBeLessThan(SOON)
  })

  it('the densest graphs that fit', PATIENT, () => {
    const ids = Array.from({ length: 150 }, (_, i) => `s${i}`)
    const knot = ids.map((id) => ({ id, uses: 'tool:x', after: ids }))
    const ladder = Array.from({ length: 250 }, (_, i) => [
      {
        id: `c${i}`,
        uses: 'choice',
        after: i === 0 ? [] : [`t${i - 1}`],
        branches: [{ name: 'a', when: { left: '${run.id}', op: 'exists' } }, { name: 'b' }],
      },
      {
        id: `t${i}`,
        uses: 'tool:x',
        after: Array.from({ length: i + 1 }, (_, j) => [`c${j}.a`, `c${j}.b`])
          .flat()
          .slice(-60),
      },
    ]).flat()
    for (const list of [knot, ladder]) {
      const text = JSON.stringify({ spec: 1, slug: 'ab', title: 't', steps: list })
      expect(secondsOf(() => expect(parseWorkflow(text).ok).toBe(false))).toBeLessThan(SOON)
    }
  })

  it.each([
    ['at the top', (key: string) => ({ [key]: 1 }), 'unknown_field'],
    ['above several problems', (key: string) => ({ input: { a: { type: 'object', default: 1, [key]: 1 } } }), 'unknown_field'],
  ])('a key of 1,000,000 characters %s hides no other problem', PATIENT, (_, more, code) => {
    const key = 'k'.repeat(1_000_000)
    const result = validateWorkflow({ spec: 1, slug: 'AB', title: 't', steps: [{ id: 'a', uses: 'tool:x', after: ['b'] }], ...more(key) })
    const problems = result.ok ? [] : result.problems
    expect(problems.map((problem) => problem.code)).toEqual(['invalid_value', 'unknown_step', code])
    expect(problems[2]?.path.endsWith(`/${key}`)).toBe(true)
    expect(problems[2]?.message.length).toBeLessThan(200)
  })

  it('many problems below one long key are listed in part, and hide none that comes later', PATIENT, () => {
    const bad = Array.from({ length: 50 }, () => '${')
    const step = { id: 'a', uses: 'tool:x', after: [], with: { ['k'.repeat(200_000)]: bad } }
    const result = validateWorkflow({ spec: 1, slug: 'ab', title: 't', steps: [step, { id: 'b', uses: 'tool:x', after: ['c'] }] })
    const problems = result.ok ? [] : result.problems
    expect(problems.map(({ code }) => code)).toEqual([
      ...Array.from({ length: 5 }, () => 'invalid_reference'),
      'unknown_step',
      'more_problems',
    ])
    expect(problems.at(-1)?.message).toBe('and at least 45 more problems')
  })

  it('whatever a message quotes is clipped', PATIENT, () => {
    const long = 'n'.repeat(100_000)
    const branches = [{ name: long }, { name: long }]
    const steps = [
      { id: long, uses: 'choice', after: ['a.x', 'a.y'], branches },
      { id: 'a', uses: 'choice', after: [], branches },
      { id: 'b', uses: long, after: ['a'] },
    ]
    const result = validateWorkflow({ spec: 1, slug: long, title: 't', input: { [long]: { type: long } }, steps })
    for (const { message, hint } of result.ok ? [] : result.problems) expect(`${message}${hint}`.length).toBeLessThan(600)
    expect(result.ok).toBe(false)
  })

  it('never lists more than can be read, and says how many are left', () => {
    const result = validateWorkflow({
      spec: 1,
      slug: 'ab',
      title: 't',
      steps: [{ id: 'a', uses: 'tool:x', after: Array.from({ length: 5000 }, () => 1) }],
    })
    if (result.ok) throw new Error('accepted')
    expect(result.problems).toHaveLength(1001)
    expect(result.problems.at(-1)).toEqual({ code: 'more_problems', path: '', message: 'and at least 4000 more problems' })
  })
})

describe('values that are not JSON', () => {
  it('are refused, never changed', () => {
    const loop: Record<string, unknown> = {}
    loop.self = loop
    const values = [Number.NaN, Infinity, 1n, Symbol('x'), () => 1, new Date(0), new Map(), [undefined], loop]
    for (const value of values) expect(validateWorkflow({ ...JSON.parse(EXAMPLE), title: value })).toMatchObject({ ok: false })
    for (const value of [undefined, null, 1, 'x', [], true]) expect(validateWorkflow(value)).toMatchObject({ ok: false })
  })

  it('an undefined member is absent', () => {
    expect(validateWorkflow({ ...JSON.parse(EXAMPLE), description: undefined })).toEqual(parseWorkflow(EXAMPLE))
  })
})

describe('whatever is done to a valid document', () => {
  it('to its text, the answer is a fixed point or a list of problems', PATIENT, () => {
    const edit = fc.record({
      at: fc.nat(),
      cut: fc.nat({ max: 8 }),
      put: fc.oneof(fc.string({ maxLength: 4, unit: 'binary' }), fc.constantFrom(...'{}[]",:0-e\\')),
    })
    fc.assert(
      fc.property(arbitrarySpec(), fc.array(edit, { minLength: 1, maxLength: 4 }), (spec, edits) => {
        let text = JSON.stringify(spec, null, 1)
        for (const { at, cut, put } of edits) {
          const from = at % (text.length + 1)
          text = text.slice(0, from) + put + text.slice(from + cut)
        }
        settles(text)
      }),
      { numRuns: effort(100) },
    )
  })

  it('to its structure, the answer is a fixed point or a list of problems', PATIENT, () => {
    fc.assert(
      fc.property(arbitrarySpec(), arbitraryEdits(4), (spec, edits) => settles(JSON.stringify(edited(spec, edits)))),
      { numRuns: effort(100) },
    )
  })

  it('by a mutation that knows the format, the answer is a fixed point or a list of problems', PATIENT, () => {
    fc.assert(
      fc.property(arbitraryMutation(), ({ after }) => settles(JSON.stringify(after))),
      { numRuns: effort(60) },
    )
  })
})
