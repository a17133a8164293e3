import process from 'node:process'
import { caseFiles } from './cases'
import { differences } from './compare'
import * as reference from './reference-runner'

/*
 * Runs the reference runner over the cases that it can pass (it validates no documents), and says for each file how many passed. Ends with 1
 * when one failed. The place to copy from when another implementation is to be run over the kit.
 */

type Named = { name: string }
type ByScope = Named & { scope: reference.Scope }
type Inputs = Named & { fields: reference.Fields; given: Value; value?: Value; problems?: unknown }
type Value = Parameters<typeof reference.resolve>[0]

const SCOPE = { input: {}, steps: {}, run: { id: 'RUN' }, principal: { team_id: 'team', user_id: 'starter', locale: 'en' } }

const same = (a: unknown, b: unknown) =>
  JSON.stringify(a) === JSON.stringify(b) ? [] : [`expected ${JSON.stringify(b)}, saw ${JSON.stringify(a)}`]
let failures = 0

/** `check` says what is wrong with a case, in words. */
function run<Case extends Named>(kind: Parameters<typeof caseFiles>[0], check: (one: Case) => string[]): void {
  for (const { file, cases } of caseFiles<Case>(kind)) {
    const failed = cases.map((one) => ({ name: one.name, wrong: attempt(() => check(one)) })).filter(({ wrong }) => wrong.length > 0)
    failures += failed.length
    process.stdout.write(`${file}: ${cases.length - failed.length} passed, ${failed.length} failed\n`)
    for (const { name, wrong } of failed) process.stdout.write(`  ${name}\n${wrong.map((line) => `    ${line.slice(0, 500)}\n`).join('')}`)
  }
}

function attempt(check: () => string[]): string[] {
  try {
    return check()
  } catch (error) {
    return [String(error)]
  }
}

run<ByScope & { value: Value; resolved: Value }>('references', ({ value, scope, resolved }) =>
  same(reference.resolve(value, { ...SCOPE, ...scope }), resolved),
)
run<ByScope & { predicate: reference.Predicate; holds: boolean | string }>('predicates', ({ predicate, scope, holds }) =>
  same(reference.holds(predicate, { ...SCOPE, ...scope }), holds),
)
run<Inputs>('inputs', ({ fields, given, value, problems }) =>
  same(sorted(reference.checkInput(fields, given)), sorted(problems === undefined ? { value } : { problems })),
)
run<reference.RunCase>('runs', (one) => differences(one, reference.observe(one)))
process.stdout.write(failures === 0 ? 'All passed.\n' : `${failures} failed.\n`)
process.exitCode = failures === 0 ? 0 : 1

/** The order of members is free. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
