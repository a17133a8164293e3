import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runChild } from '@/db/child'
import { EXAMPLE } from '@/spec/testing/example'
import { main } from './main'
import { terminal } from './terminal'

let folder = ''
beforeAll(() => void (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'clew-cli-'))))
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

/** Runs the program in this process, on files of its own. */
async function clew(args: string[], files: Record<string, string | Buffer> = {}) {
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(folder, name), text)
  const out: string[] = []
  const complaints: string[] = []
  const code = await main(args, {
    read: (file) => terminal.read(file === '-' ? file : path.join(folder, file)),
    print: (text) => void out.push(`${text}\n`),
    write: (text) => void out.push(text),
    complain: (text) => void complaints.push(text),
  })
  return { code, out: out.join(''), complaints: complaints.join('\n').replaceAll(`${folder}/`, '') }
}

test('a valid file is said to be valid, behind what may be a mistake in it', async () => {
  const { code, out, complaints } = await clew(['validate', 'good.json'], { 'good.json': EXAMPLE })
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
  expect(out.split('\n').slice(-2)).toEqual(['good.json: valid', ''])
  expect(out).not.toContain('error:')
})

test('every problem of every file is told with its place', async () => {
  const bad = EXAMPLE.replace('"role": "manager"', '"roel": "manager"').replace('"join": "any"', '"join": "some"')
  const { code, out } = await clew(['validate', 'good.json', 'bad.json'], { 'good.json': EXAMPLE, 'bad.json': bad })
  expect(code).toBe(1)
  expect(out).toContain('good.json: valid\n')
  const places = [...out.matchAll(/^bad\.json:(\d+):(\d+): error: .* \[(\w+)\] (\S+)$/gm)].map((match) => match.slice(1))
  const lines = bad.split('\n')
  const at = (text: string) => {
    const line = lines.findIndex((one) => one.includes(text))
    return [String(line + 1), String((lines[line]?.indexOf(text) ?? 0) + 1)]
  }
  expect(places).toContainEqual([...at('"roel"'), 'unknown_field', '/steps/1/roel'])
  expect(places).toContainEqual([...at('"join"'), 'invalid_value', '/steps/2/join'])
  expect(places.map(([, , code]) => code)).toContain('missing_field')
  expect(out).toContain("did you mean 'role'?")
})

test('what is wrong in the text itself is told where it stands', async () => {
  const { out } = await clew(['validate', 'c.json'], { 'c.json': '{\n  "spec": 1,\n  // why\n  "slug": "ab",\n}' })
  expect(out).toMatch(/^c\.json:3:3: error: .*\[comment\]/m)
  expect(out).toMatch(/^c\.json:4:15: error: .*\[trailing_comma\]/m)
})

test('a document can put nothing but text into the terminal', async () => {
  const odd = '\\u001b[31m\\u009b\\u202e'
  const { out } = await clew(['validate', 'odd.json'], {
    'odd.json': `{ "spec": 1, "${odd}": 1, "steps": [{ "uses": "${odd}" }] }`.replaceAll('\\\\', '\\'),
  })
  expect(out).toContain('\\u001b[31m\\u009b\\u202e')
  expect(out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u)
  const marks = '\u061C\u200E\u200F\u202E\u2066'
  const named = (title: string) => EXAMPLE.replace('"id": "pay"', `"id": "pay", "title": "Pay${marks}${title}"`)
  const files = { 'a.json': named('a'), 'b.json': named('b').replace('500', `"${marks}"`) }
  const told = [await clew(['describe', 'a.json'], files), await clew(['diff', 'a.json', 'b.json'], files)].map((one) => one.out)
  expect(told[0]).toMatch(/Pay a/)
  expect(told[1]).toMatch(/Pay b/)
  expect(told.join('')).not.toMatch(/\p{Bidi_Control}/u)
})

test('as JSON the same, with the places as numbers', async () => {
  const { code, out } = await clew(['validate', '--json', 'two.json'], { 'two.json': '{ "spec": 2,\n  "spec": 1 }' })
  expect(code).toBe(1)
  const [report] = JSON.parse(out) as [{ file: string; problems: { code: string; line: number; column: number }[] }]
  expect(report.file).toBe('two.json')
  expect(report.problems.map((problem) => problem.code)).toContain('duplicate_key')
  for (const { line, column } of report.problems) expect([line, column].every((n) => Number.isInteger(n) && n > 0)).toBe(true)
})

test('with plugins, what they do not have is a warning', async () => {
  const plugins = ['--plugins', path.resolve('plugins')]
  const wrong = EXAMPLE.replaceAll('ledger.post', 'ledger.pots')
  const { code, out, complaints } = await clew(['validate', 'wrong.json', ...plugins], { 'wrong.json': wrong })
  expect({ code, complaints }).toEqual({ code: 0, complaints: '' })
  expect(out).toMatch(/^wrong\.json:\d+:\d+: warning: .*ledger\.pots.* \[unknown_tool\]/m)
  expect((await clew(['validate', 'wrong.json'])).out).not.toContain('unknown_tool')
})

test.each<[string, string[], string | Buffer, RegExp]>([
  ['a file that is not there', ['validate', 'nowhere.json'], '', /nowhere\.json: there is no such file/],
  ['a folder', ['validate', '.'], '', /this is a folder/],
  ['bytes that are no text', ['canonical', 'x.json'], Buffer.from([0x7b, 0xff, 0x7d]), /x\.json: this is not UTF-8 text/],
  ['no command', [], '', /Say what to do[^]*clew validate/],
  ['an unknown command', ['constructor'], '', /There is no command 'constructor'/],
  ['the standard input twice', ['diff', '-', '-'], '{}', /standard input can be read once/],
  ['too few files', ['diff', 'x.json'], '{}', /takes two files, not 1/],
  ['an unknown option', ['validate', 'x.json', '--fast'], '{}', /--fast/],
  ['plugins that are not there', ['validate', 'x.json', '--plugins', '/nowhere/at/all'], '{}', /--plugins \/nowhere\/at\/all: /],
])('%s is told in a sentence and ends with 2', async (_name, args, text, sentence) => {
  const { code, out, complaints } = await clew(args, { 'x.json': text })
  expect(code).toBe(2)
  expect(complaints).toMatch(sentence)
  expect(complaints).not.toMatch(/\n\s+at /)
  expect(out.trim()).toBe('')
})

test('the canonical form is printed as it is hashed, and is its own canonical form', async () => {
  const { out } = await clew(['canonical', 'good.json'], { 'good.json': EXAMPLE })
  expect(JSON.parse(out)).toEqual(JSON.parse(EXAMPLE))
  expect(out).not.toMatch(/\n/)
  expect((await clew(['canonical', 'again.json'], { 'again.json': out })).out).toBe(out)
})

test('a file that cannot be read leaves nothing on the standard output', async () => {
  expect(await clew(['validate', 'none.json'])).toEqual({ code: 2, out: '', complaints: 'none.json: there is no such file' })
})

test('a file that is too long to be read is not read for its places either', async () => {
  const { code, out } = await clew(['validate', 'big.json'], { 'big.json': `\n\n[${'1,'.repeat(2_100_000)}1]` })
  expect(code).toBe(1)
  expect(out).toMatch(/^big\.json:1:1: error: the text is longer .* \[document_too_large\]/)
})

test('a description is in the language that was asked for', async () => {
  const files = { 'good.json': EXAMPLE }
  const english = (await clew(['describe', 'good.json'], files)).out
  const spanish = (await clew(['describe', 'good.json', '--locale', 'es'], files)).out
  expect(english).toContain('Expense approval')
  expect(english).toContain('without asking')
  expect(spanish).not.toBe(english)
})

test('a difference is told, and none is too', async () => {
  const files = { 'a.json': EXAMPLE, 'b.json': EXAMPLE.replace('"right": 500', '"right": 900') }
  const { code, out } = await clew(['diff', 'a.json', 'b.json'], files)
  expect(code).toBe(0)
  expect(out).toContain('500')
  expect(out).toContain('900')
  expect((await clew(['diff', 'a.json', 'a.json'], files)).out).not.toContain('900')
  expect((await clew(['diff', 'a.json', 'c.json'], { ...files, 'c.json': '{}' })).code).toBe(1)
})

test('the program runs from any folder, without a database', async () => {
  fs.writeFileSync(path.join(folder, 'good.json'), EXAMPLE)
  const { code, output } = await runChild(process.execPath, [path.resolve('bin/clew.mjs'), 'validate', 'good.json'], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
  expect({ code, last: output.trim().split('\n').at(-1) }).toEqual({ code: 0, last: 'good.json: valid' })
})

test.skipIf(process.platform === 'win32')('a reader that has seen enough is no error', async () => {
  const steps = Array.from({ length: 1000 }, (_, i) => ({ id: `s${i}`, uses: 'x', after: [] }))
  fs.writeFileSync(path.join(folder, 'many.json'), JSON.stringify({ spec: 1, slug: 'ab', title: 't', steps }))
  const command = `"${process.execPath}" "${path.resolve('bin/clew.mjs')}" validate --json many.json | head -c 1`
  const { output } = await runChild('sh', ['-c', command], { cwd: folder, env: { PATH: process.env.PATH } })
  expect(output).toBe('[')
})
