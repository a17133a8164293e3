import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readPage } from '@/components/docs/page'
import { PROBLEM_CODES, RUN_CODES, validateWorkflow, WARNING_CODES } from '@/spec'
import { KINDS } from '@/spec/kinds'
import { REFERENCE, regenerate } from './reference'

const page = readFileSync(REFERENCE, 'utf8')

/** The page's blocks of code in JSON, parsed. */
const examples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text) as Record<string, unknown>)

describe('the reference page', () => {
  it('is what the schemas say: `npm run docs` after a change', () => {
    expect(regenerate(page)).toBe(page)
  })

  it('gets a stale table right, and keeps what is written by hand', () => {
    const stale = page.replace(/\| `slug` .*\n/, '| `slug` | identity within a team | number | |\n').replace(/^\| `syntax_error` .*\n/m, '')
    expect(stale).not.toBe(page)
    expect(regenerate(stale)).toBe(page)
  })

  it('cannot be made while a field has no meaning', () => {
    expect(() => regenerate(page.replace(/\| `slug` .*\n/, ''))).toThrow("say what 'slug' means")
  })

  it.each([
    ['fields:nothing', "no fields of 'nothing'"],
    ['codes:nothing', "no codes of 'nothing'"],
    ['nothing', "nothing is called 'generated:nothing'"],
    ['constructor', "nothing is called 'generated:constructor'"],
  ])('does not know %s', (name, message) => {
    expect(() => regenerate(`<!-- generated:${name} -->\n<!-- /generated -->\n`)).toThrow(message)
  })

  it.each([
    ...Object.keys(KINDS).map((kind) => `fields:${kind}`),
    'ports',
    'limits',
    'codes:problems',
    'codes:warnings',
    'codes:runs',
    'revisions',
  ])('has the part %s', (part) => expect(page).toContain(`<!-- generated:${part} -->`))

  it('names no code that is not in a list', () => {
    const words = new Set([...PROBLEM_CODES, ...WARNING_CODES, ...Object.keys(RUN_CODES)])
    const told = [...page.matchAll(/`(\w+)` at publish|(?:is|fails with|are|as) (?:an? )?`([a-z]+_[a-z_]+)`/g)].map(
      ([, a, b]) => a ?? b ?? '',
    )
    expect(told.length).toBeGreaterThan(10)
    expect(told.filter((word) => !words.has(word as never))).toEqual([])
  })

  it('has headings of different names, and links to those it has', () => {
    const anchors = readPage(page).headings.map(({ id }) => id)
    expect(new Set(anchors).size).toBe(anchors.length)
    const links = [...page.matchAll(/\]\(#([^)]*)\)/g)].map(([, to]) => to)
    expect(links.length).toBeGreaterThan(20)
    expect(links.filter((to) => !anchors.includes(to ?? ''))).toEqual([])
  })
})

describe('examples of the reference page', () => {
  const documents = examples.filter((example) => 'spec' in example)
  const steps = examples.filter((example) => 'uses' in example)

  it('are documents and steps, of every kind but a job', () => {
    expect([documents.length, examples.length]).toEqual([1, documents.length + steps.length])
    expect(new Set(steps.map(({ uses }) => String(uses).split(':')[0]))).toEqual(
      new Set(Object.keys(KINDS).filter((kind) => kind !== 'job')),
    )
  })

  it.each(documents)('the document $slug is valid', (document) => expect(validateWorkflow(document)).toMatchObject({ ok: true }))

  it.each(steps)('the step $id is right, but for what stands around it', (step) => {
    const result = validateWorkflow({ spec: 1, slug: 'ab', title: 't', steps: [step] })
    const around = new Set(['unknown_step', 'unknown_input'])
    expect(result.ok ? [] : result.problems.filter(({ code }) => !around.has(code))).toEqual([])
  })
})
