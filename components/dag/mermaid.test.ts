import { describe, expect, it } from 'vitest'
import type { Step, WorkflowSpec } from '@/spec'
import { toMermaid } from './mermaid'

const spec = (...steps: Step[]): WorkflowSpec => ({ spec: 1, slug: 'a-flow', title: 'A flow', steps })
const call = (id: string, after: string[] = [], more: Partial<Extract<Step, { uses: `tool:${string}` }>> = {}): Step => ({
  id,
  uses: 'tool:text.render',
  after,
  ...more,
})

const EXPENSE = spec(
  {
    id: 'route',
    uses: 'choice',
    after: [],
    branches: [{ name: 'large', when: { left: '${input.a}', op: 'gt', right: 500 } }, { name: 'small' }],
  },
  { id: 'sign_off', uses: 'approve', after: ['route.large'], role: 'manager', title: 'Sign off' },
  { id: 'pay', uses: 'tool:ledger.post', after: ['route.small', 'sign_off'], join: 'any' },
  { id: 'each', uses: 'map', after: ['pay'], over: '${input.rows}', do: { uses: 'tool:text.render' } },
  { id: 'tell', uses: 'tool:text.render', after: ['each.failed'] },
  { id: 'done', uses: 'tool:text.render', after: ['each', 'pay'] },
)

/** The labels as people see them: Mermaid writes `#60;` as `<`. */
const decoded = (text: string) => text.replaceAll(/#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
const node = (text: string, label: string) =>
  decoded(text)
    .split('\n')
    .find((line) => line.includes(`"${label}`))

describe('toMermaid', () => {
  const text = toMermaid(EXPENSE)

  it('gives each kind its own outline, with its title and what it is', () => {
    expect(node(text, 'route')).toBe('  n0{"route<br/>Decision"}')
    expect(node(text, 'Sign off')).toBe('  n1{{"Sign off<br/>Approval: manager"}}')
    expect(node(text, 'pay')).toBe('  n2["pay<br/>ledger.post<br/>after any one of these"]')
    expect(node(text, 'each')).toBe('  n3[["each<br/>For each: text.render"]]')
    expect(node(text, 'done')).toBe('  n5["done<br/>text.render<br/>after all of these"]')
  })

  it('calls a tool by its title where that is known', () => {
    const titled = toMermaid(EXPENSE, undefined, { 'ledger.post': 'Post to the ledger' })
    expect(node(titled, 'pay')).toBe('  n2["pay<br/>Post to the ledger<br/>after any one of these"]')
    expect(node(titled, 'each')).toBe('  n3[["each<br/>For each: text.render"]]')
  })

  it('names branches, answers and followed failures on the edges', () => {
    const edges = decoded(text)
      .split('\n')
      .filter((line) => line.includes('-->'))
    expect(edges).toEqual([
      '  n0 -->|"large"| n1',
      '  n0 -->|"small"| n2',
      '  n1 -->|"approved"| n2',
      '  n2 --> n3',
      '  n3 -->|"if it fails"| n4',
      '  n3 -->|"if it succeeds"| n5',
      '  n2 --> n5',
    ])
  })

  it('says a status with a word and an icon beside its class', () => {
    const run = toMermaid(EXPENSE, {
      route: { status: 'succeeded', port: 'large' },
      sign_off: { status: 'waiting', port: null },
      pay: { status: 'pending', port: null },
    })
    expect(node(run, 'route')).toContain('✓ Done')
    expect(node(run, 'Sign off')).toContain('Waiting for approval')
    expect(run).toContain('class n0 status-succeeded')
    expect(run).toContain('class n1 status-waiting')
  })

  it('tells the way that was taken from the one that was not', () => {
    const run = decoded(toMermaid(EXPENSE, { route: { status: 'succeeded', port: 'large' } }))
    expect(run).toContain('n0 ==>|"large"| n1')
    expect(run).toContain('n0 -.->|"small"| n2')
    expect(run).toContain('n1 -->|"approved"| n2')
  })

  it('shows an approval that was turned down as rejected, not as done', () => {
    const run = toMermaid(EXPENSE, { sign_off: { status: 'succeeded', port: 'rejected' } })
    expect(node(run, 'Sign off')).toContain('Rejected')
    expect(run).toContain('class n1 status-rejected')
  })

  it.each([
    '<img src=x onerror=alert(1)>',
    '"]; click n0 call alert()',
    'end',
    '`**md**`',
    '1. a list',
    '- a list',
    'a --> b',
    '%%{init: {}}%%',
    '#quot;#35;',
    '日本語 😀 עברית',
    ']]}})',
    'a\nb\r\n  n9 --> n0',
    '\u202Eevil\u0000',
    '\uD800 half',
  ])('keeps %j inert', (title) => {
    const lines = toMermaid(spec(call('a', [], { title }), call('b', ['a']))).split('\n')
    expect(lines).toHaveLength(6)
    expect(lines[1]).toMatch(/^ {2}n0\["([A-Za-z0-9 ]|#\d+;)+<br\/>text#46;render"\]$/)
  })

  it('is a legal id, even `constructor` and `end`', () => {
    const run = toMermaid(spec(call('constructor'), call('end', ['constructor'])), { end: { status: 'running', port: null } })
    expect(run).toContain('n0["constructor<br/>text#46;render"]')
    expect(run).toContain('class n0 kind-tool')
    expect(run).toContain('class n1 status-running')
  })

  it('says of a step that waits for a run what that run waits for, as the list of steps does', () => {
    const letter: WorkflowSpec['steps'][number] = { id: 'a', uses: 'workflow:letter', after: [] }
    const parked = toMermaid(spec(letter), { a: { status: 'waiting', port: null, child: { status: 'parked' } } })
    expect(parked).toContain('class n0 status-parked')
  })

  it('shortens a title of 100 KB, between characters', () => {
    const label = decoded(toMermaid(spec(call('a', [], { title: '😀'.repeat(25_000) })))).split('\n')[1] ?? ''
    expect(Array.from(label).length).toBeLessThan(100)
    expect(label).toContain('😀…')
  })

  it('falls back to the id where the title is blank', () => {
    expect(node(toMermaid(spec(call('a', [], { title: '' }))), 'a<br/>')).toBeDefined()
    expect(node(toMermaid(spec(call('a', [], { title: ' \u200B ' }))), '(no title)')).toBeDefined()
  })
})
