import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  checkInput,
  evaluatePredicate,
  type Json,
  parseWorkflow,
  type Predicate,
  PROBLEM_CODES,
  resolveValue,
  RUN_CODES,
  type Scope,
  validateWorkflow,
} from '@/spec'
import { casesOf, KINDS } from './cases'
import { differences } from './compare'
import * as reference from './reference-runner'

type Named = { name: string; covers: string[] }
type Problems = { problems: { code: string; path: string }[] }
type ByScope = Named & { scope: reference.Scope }

const valid = casesOf<Named & ({ document: Json } | { text: string }) & { canonical: string; sha256: string }>('valid')
const invalid = casesOf<Named & { document: Json } & Problems>('invalid')
const text = casesOf<Named & { text: string } & Problems>('text')
const references = casesOf<ByScope & { value: Json; resolved: Json }>('references')
const predicates = casesOf<ByScope & { predicate: reference.Predicate; holds: boolean | string }>('predicates')
const inputs = casesOf<Named & { fields: reference.Fields; given: Json } & ({ value: Json } | Problems)>('inputs')
const runs = casesOf<reference.RunCase>('runs')

/** With names whole: vitest cuts `$name`. */
const byName = <Case extends Named>(cases: Case[]) => cases.map((one) => [one.name, one] as const)

/** Where a text stops being JSON is a reader's choice, so the place of a syntax error is free. */
const problemsOf = (result: { ok: true } | { ok: false; problems: { code: string; path: string }[] }) =>
  result.ok ? [] : result.problems.map(({ code, path }) => ({ code, path: code === 'syntax_error' ? '' : path }))

describe('a valid document has no problem and exactly this canonical text', () => {
  test.each(byName(valid))('%s', (_, one) => {
    const result = 'text' in one ? parseWorkflow(one.text) : validateWorkflow(one.document)
    expect(result).toMatchObject({ ok: true, canonical: one.canonical, hash: one.sha256 })
    expect(createHash('sha256').update(one.canonical, 'utf8').digest('hex')).toBe(one.sha256)
    expect(parseWorkflow(one.canonical)).toEqual(result)
  })
})

describe('an invalid document has exactly these problems', () => {
  test.each(byName(invalid))('%s', (_, { document, problems }) => {
    expect(problemsOf(validateWorkflow(document))).toEqual(problems)
  })
  test.each(byName(text))('%s', (_, { text, problems }) => {
    expect(problemsOf(parseWorkflow(text))).toEqual(problems)
  })
})

const SCOPE = { input: {}, steps: {}, run: { id: 'RUN' }, principal: { team_id: 'team', user_id: 'starter', locale: 'en' } }

/** The scope of a case, as our own resolver takes it. */
function ourScope(scope: reference.Scope): Scope {
  const { steps, ...rest } = { ...SCOPE, ...scope }
  const outputs = new Map<string, Json>(Object.entries(steps))
  return { ...rest, output: (id) => outputs.get(id) }
}

describe('a value resolves to exactly this', () => {
  test.each(byName(references))('%s', (_, { scope, value, resolved }) => {
    expect(JSON.stringify(resolveValue(value, ourScope(scope)))).toBe(JSON.stringify(resolved))
    expect(JSON.stringify(reference.resolve(value, { ...SCOPE, ...scope }))).toBe(JSON.stringify(resolved))
  })
})

describe('a predicate holds, or not, or says nothing about these types', () => {
  test.each(byName(predicates))('%s', (_, { scope, predicate, holds }) => {
    const ours = evaluatePredicate(predicate as Predicate, ourScope(scope))
    expect(ours.ok ? ours.value : ours.code).toBe(holds)
    expect(reference.holds(predicate, { ...SCOPE, ...scope })).toBe(holds)
  })
})

describe('what a run is started with becomes this, or is refused like this', () => {
  test.each(byName(inputs))('%s', (_, one) => {
    const ours = checkInput(one.fields as Parameters<typeof checkInput>[0], one.given)
    const wanted = 'value' in one ? { value: one.value } : { problems: one.problems }
    expect(ours.ok ? { value: ours.value } : { problems: problemsOf(ours) }).toEqual(wanted)
    expect(reference.checkInput(one.fields, one.given)).toEqual(wanted)
  })
})

describe('the reference runner, written from the page alone, runs', () => {
  test.each(byName(runs))('%s', (_, one) => {
    const documents = [
      one.spec,
      ...Object.values(one.workflows ?? {}),
      ...one.script.flatMap(({ publish }) => Object.values(publish ?? {})),
    ]
    for (const document of documents) expect(problemsOf(validateWorkflow(document))).toEqual([])
    expect(differences(one, reference.observe(one))).toEqual([])
  })
  test('and a state, a call, an output or a status that is not the expected one is seen', () => {
    const [one] = runs
    if (one === undefined) throw new Error('there are no run cases')
    const { expect: wanted } = one
    const first = { ...wanted.trace[0] }
    const wrong: Partial<typeof wanted>[] = [
      { trace: [{ ...first, steps: { a: 'queued' } }, ...wanted.trace.slice(1)] },
      { trace: [{ ...first, run: 'queued' }, ...wanted.trace.slice(1)] },
      { trace: [{ ...first, calls: [{ key: 'RUN:b' }] }, ...wanted.trace.slice(1)] },
      { trace: [...wanted.trace, {}] },
      { status: 'parked' },
      { error: { code: 'failed' } },
      { output: { other: 1 } },
      { outputs: { a: 1 } },
      { undone: ['a'] },
    ]
    for (const change of wrong) {
      expect(differences({ ...one, expect: { ...wanted, ...change } }, reference.observe(one)), JSON.stringify(change)).not.toEqual([])
    }
  })
})

describe('the kit', () => {
  const all = [valid, invalid, text, references, predicates, inputs, runs].flat()

  test('has at least 700 cases, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(700)
    const names = all.map(({ name }) => name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
  })

  /** What no case can see (README.md, "Codes of failures"); a value that is not JSON cannot stand in a case. */
  const UNSEEN = new Set(['not_json', 'interrupted', 'aborted', 'platform_error', 'secret_unreadable', 'agent_not_configured'])

  test('has a case for each code of a problem and of what goes wrong in a run, and knows no other', () => {
    const problems = [...invalid, ...text, ...inputs].flatMap((one) => ('problems' in one ? one.problems.map(({ code }) => code) : []))
    expect(new Set(problems)).toEqual(new Set(PROBLEM_CODES.filter((code) => !UNSEEN.has(code))))
    const expected = JSON.stringify(runs.map((one) => one.expect))
    const texts = new Set([...expected.matchAll(/"([a-z_]+)"/g)].map(([, word]) => word))
    const codes = Object.keys(RUN_CODES).filter((code) => !UNSEEN.has(code))
    expect(codes.filter((code) => !texts.has(code))).toEqual([])
    const failures = [...expected.matchAll(/"code":"(\w+)"/g)].map(([, code]) => code ?? '')
    expect(failures.filter((code) => !codes.includes(code))).toEqual([])
  })

  test('is read whole: nothing lies in its folders but these kinds of cases', () => {
    expect(readdirSync(join(import.meta.dirname, 'cases')).sort()).toEqual([...KINDS].sort())
  })

  test('covers every sentence of the page: coverage.json names only cases that exist, and each at least once', () => {
    const file = readFileSync(join(import.meta.dirname, 'coverage.json'), 'utf8')
    const coverage = JSON.parse(file) as { section: string; sentence: string; cases: string[]; elsewhere?: string }[]
    const named = new Set(coverage.flatMap(({ cases }) => cases))
    const names = new Set(all.map(({ name }) => name))
    expect([...named].filter((name) => !names.has(name))).toEqual([])
    expect([...names].filter((name) => !named.has(name))).toEqual([])
    expect(
      coverage.filter(({ cases, elsewhere }) => cases.length === 0 && elsewhere === undefined).map(({ sentence }) => sentence),
    ).toEqual([])
  })
})
