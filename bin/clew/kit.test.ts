import { expect, test } from 'vitest'
import { casesOf } from '@/spec/conformance/cases'
import { main } from './main'

/*
 * `clew validate` over every document of the conformance kit, as files that somebody wrote: what it reports is what the kit lists.
 */

interface Case {
  name: string
  document?: unknown
  text?: string
  problems?: { code: string; path: string }[]
}

/** The problems that are reported of each file, and how the program ends. */
async function validate(cases: Case[]) {
  const texts = new Map(cases.map(({ name, document, text }) => [name, text ?? JSON.stringify(document, null, 2)]))
  const out: string[] = []
  const code = await main(['validate', '--json', ...texts.keys()], {
    read: (file) => texts.get(file) ?? '',
    print: (line) => void out.push(line),
    write: (line) => void out.push(line),
    complain: (line) => void out.push(line),
  })
  return { code, reports: JSON.parse(out.join('')) as { file: string; problems: { code: string; path: string }[] }[] }
}

test('over the valid documents it reports no problem', async () => {
  const cases = casesOf<Case>('valid')
  const { code, reports } = await validate(cases)
  expect(code).toBe(0)
  expect(reports.map(({ file, problems }) => ({ file, problems }))).toEqual(cases.map(({ name }) => ({ file: name, problems: [] })))
})

test.each(['invalid', 'text'] as const)('over the documents in %s it reports exactly the listed problems', async (kind) => {
  // Texts with no problem are about being read, and have nothing to report.
  const cases = casesOf<Case>(kind).filter(({ problems = [] }) => problems.length > 0)
  const { code, reports } = await validate(cases)
  expect(code).toBe(1)
  const brief = reports.map(({ file, problems }) => ({
    file,
    // Where a text stops being JSON is a reader's choice.
    problems: problems.map((one) => ({ code: one.code, path: one.code === 'syntax_error' ? '' : one.path })),
  }))
  expect(brief).toEqual(cases.map(({ name, problems }) => ({ file: name, problems })))
})
