import { expect, test } from 'vitest'
import { describe, describeText, diff, diffText, type Step, validateWorkflow, type WorkflowSpec } from '..'

function flow(steps: object[], title = 'A'): WorkflowSpec {
  const parsed = validateWorkflow({ spec: 1, slug: 'a-flow', title, input: { a: { type: 'object' } }, steps })
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems[0]))
  return parsed.spec
}
const many = (count: number, step: (i: number) => object) => Array.from({ length: count }, (_, i) => step(i))
const choice = (id: string, after: string[], left: string, more: object = {}) => ({
  id,
  uses: 'choice',
  after,
  branches: [{ name: 'b', when: { left, op: 'gt', right: 1 } }, { name: 'c' }],
  ...more,
})
const ids = (port: string) => Array.from({ length: 100 }, (_, i) => `s${i}${port}`)
const title = 'W'.repeat(300)
const deepPath = `\${input.a.${'p'.repeat(40_000)}}`

/** Within the limits of a document, and yet one whose words would be megabytes if each step repeated all that it depends on. */
const HOSTILE: Record<string, () => object[]> = {
  'a chain of decisions, each nested in the one before': () =>
    many(250, (i) => choice(`s${i}`, i === 0 ? [] : [`s${i - 1}.b`], '${input.a.n}', { title })),
  'steps that depend on hundreds of decisions': () => [
    ...many(100, (i) => choice(`s${i}`, [], '${input.a.n}', { title })),
    ...many(100, (i) => ({ id: `t${i}`, uses: 'tool:x', after: ids('.b') })),
  ],
  'steps that need hundreds of approvals': () => [
    ...many(100, (i) => ({ id: `s${i}`, uses: 'approve', after: [], role: 'boss', title })),
    ...many(100, (i) => ({ id: `t${i}`, uses: 'tool:x', after: ids('') })),
  ],
  'a reference with an enormous path, on which everything depends': () => [
    choice('s', [], deepPath, { title: 'W'.repeat(90_000) }),
    ...many(400, (i) => choice(`t${i}`, ['s.b'], '${input.a.n}')),
  ],
}

test.each(Object.entries(HOSTILE))('%s is told in few words, and so is a change of it', (_name, steps) => {
  const spec = flow(steps(), 'T'.repeat(5_000))
  const description = describe(spec)
  expect(JSON.stringify(description).length).toBeLessThan(250_000)
  expect(describeText(description).length).toBeLessThan(250_000)
  const changed = flow(steps().map((step) => ('branches' in step ? choice((step as Step).id, (step as Step).after, '${input.a.m}') : step)))
  expect(diffText(diff(spec, changed)).length).toBeLessThan(250_000)
})

test('what is nested very deep is numbered by its last levels and no longer indented', () => {
  const text = describeText(describe(flow(many(14, (i) => choice(`s${i}`, i === 0 ? [] : [`s${i - 1}.b`], '${input.a.n}')))))
  const lines = text.split('\n').filter((line) => line.includes('looks at'))
  expect(lines[10]).toMatch(/^ {60}1(\.1){10}\. /)
  expect(lines[11]).toMatch(/^ {60}…1(\.1){10}\. /)
  expect(lines[13]).toMatch(/^ {60}…1(\.1){10}\. /)
})

const sentence = (text: string) => describe(flow([{ id: 'a', uses: 'wait', after: [], seconds: 1, title: text }])).steps[0]?.sentence

test('a title that is cut keeps its characters whole', () => {
  expect(sentence(`${'x'.repeat(59)}😀`)).toBe(`X${'x'.repeat(58)}… Waits 1 second.`)
  expect(sentence(`${'x'.repeat(58)}😀`)).toBe(`X${'x'.repeat(57)}😀: waits 1 second.`)
})
