import { describe, expect, it } from 'vitest'
import { diff, diffText, type Step, validateWorkflow, type WorkflowSpec } from '..'
import { EXAMPLE } from '../testing/example'

function valid(spec: unknown): WorkflowSpec {
  const parsed = validateWorkflow(spec)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return spec as WorkflowSpec
}
const input = { amount: { type: 'number' }, kind: { type: 'string' } } as const
const flow = (...steps: Step[]) => valid({ spec: 1, slug: 'a-flow', title: 'A flow', input, steps })
const gate = (id: string, after: string[] = []): Step => ({ id, uses: 'approve', after, role: id })
const call = (id: string, after: string[], more: object = {}): Step =>
  ({ id, uses: 'tool:ledger.post', after, with: { amount: '${input.amount}' }, ...more }) as Step
const route = (limit: number, id = 'route'): Step => ({
  id,
  uses: 'choice',
  after: [],
  branches: [{ name: 'large', when: { left: '${input.amount}', op: 'gt', right: limit } }, { name: 'small' }],
})
const expenses = (limit: number, id = 'route') =>
  flow(route(limit, id), gate('ask', [`${id}.large`]), call('pay', [`${id}.small`, 'ask'], { join: 'any' }))
const either = (after: string[]) =>
  flow(route(1), gate('ask', ['route.large']), gate('clerk', ['route.small']), call('pay', after, { join: 'any' }))
const turn = (right: number) => ({ step: 'route', port: 'small', unless: [{ left: '${input.amount}', op: 'gt', right }] })
const long = (limit: number) => {
  const whens = [1, 2, 3, limit].map((right, i) => ({ name: `b${i}`, when: { left: '${input.amount}', op: 'eq', right } }))
  const choice = { id: 'route', uses: 'choice', after: [], branches: [...whens, { name: 'small' }] } as unknown as Step
  return flow(choice, gate('ask', ['route.b0']), call('pay', ['route.small', 'ask'], { join: 'any' }))
}
const many = (limit: number) => {
  const choices = Array.from({ length: 8 }, (_, i) => route(limit, `route${i}`))
  const small = choices.map(({ id }) => `${id}.small`)
  return flow(...choices, gate('ask', ['route0.large']), call('pay', [...small, 'ask'], { join: 'any' }))
}
const asked = (...after: string[]) => flow(route(1), gate('ask', ['route.large']), call('pay', ['route.small', ...after], { join: 'any' }))
const approvalsOf = (a: WorkflowSpec, b: WorkflowSpec) => diff(a, b).approvals
const firstLines = (a: WorkflowSpec, b: WorkflowSpec, locale?: string) =>
  diffText(diff(a, b), locale).split('\n\n')[0]?.split('\n').slice(1)

describe('an approval that another step goes around', () => {
  const before = flow(gate('ask'), call('pay', ['ask']))

  it('is named when a step that needed it got another id and dropped it', () => {
    const skipped = { step: 'ask', kind: 'weakened', why: [{ code: 'can_be_skipped', steps: ['settle'] }] }
    expect(approvalsOf(before, flow(gate('ask'), call('settle', [])))).toEqual([skipped])
    expect(approvalsOf(before, flow(gate('ask'), call('settle', ['ask'])))).toEqual([])
    // Another approval in its place is another one.
    const other = approvalsOf(
      flow(gate('ask'), gate('clerk'), call('pay', ['ask'])),
      flow(gate('ask'), gate('clerk'), call('settle', ['clerk'])),
    )
    expect(other).toEqual([skipped])
  })

  it('is named when a new call, of other values too, does unasked what was never done unasked', () => {
    const unasked = { step: 'more', kind: 'unasked', uses: ['tool:ledger.post'], from: [], to: [[]] }
    expect(approvalsOf(before, flow(gate('ask'), call('more', [], { with: {} })))).toEqual([unasked])
    expect(approvalsOf(before, flow(gate('ask'), call('pay', ['ask']), call('more', [], { with: {} })))).toEqual([unasked])
    const inMap: Step = { id: 'more', uses: 'map', after: [], over: [1], do: { uses: 'tool:ledger.post' } }
    expect(approvalsOf(before, flow(gate('ask'), call('pay', ['ask']), inMap))).toEqual([unasked])
    const agent: Step = { id: 'more', uses: 'agent', after: [], goal: 'x', tools: ['ledger.post'], unattended: true }
    expect(approvalsOf(before, flow(gate('ask'), call('pay', ['ask']), agent))).toEqual([unasked])
    expect(approvalsOf(before, flow(gate('ask'), call('pay', ['ask']), call('more', ['ask'], { with: {} })))).toEqual([])
  })

  it('is named when any of several approvals would have done', () => {
    expect(approvalsOf(either(['ask', 'clerk']), either(['ask', 'route.small']))).toEqual([
      {
        step: 'pay',
        kind: 'unasked',
        uses: ['tool:ledger.post'],
        from: [],
        to: [[{ step: 'route', port: 'small', unless: [{ left: '${input.amount}', op: 'gt', right: 1 }] }]],
      },
    ])
  })

  it('is no matter where the same was done unasked before, where it only reads, and where nothing is asked at all', () => {
    const free = flow(gate('ask'), call('pay', ['ask']), call('petty', []))
    expect(approvalsOf(free, flow(gate('ask'), call('pay', ['ask']), call('petty', []), call('more', [])))).toEqual([])
    const tools = new Map([['ledger.post', { title: 'Look', effect: 'read' as const, input: true, output: true }]])
    expect(diff(before, flow(gate('ask'), call('pay', ['ask']), call('more', [], { with: {} })), { tools }).approvals).toEqual([])
    expect(approvalsOf(flow(route(1), call('pay', ['route.small'])), flow(route(2), call('pay', ['route.small'])))).toEqual([])
  })
})

describe('a condition that decides whether an approval is needed', () => {
  it('is told from what to what when it changes', () => {
    expect(approvalsOf(expenses(500), expenses(5000))).toEqual([
      { step: 'pay', kind: 'unasked', uses: ['tool:ledger.post'], from: [[turn(500)]], to: [[turn(5000)]] },
    ])
    expect(firstLines(expenses(500), expenses(5000))).toEqual([
      '  “pay” runs “ledger.post” without any approval if amount is at most 5,000; before, only if amount is at most 500.',
    ])
    expect(firstLines(expenses(500), expenses(5000), 'es')).toEqual([
      '  «pay» ejecuta «ledger.post» sin aprobación de nadie si amount es 5000 o menos; antes, solo si amount es 500 o menos.',
    ])
    expect(approvalsOf(valid(JSON.parse(EXAMPLE)), valid(JSON.parse(EXAMPLE.replace('"right": 500', '"right": 501'))))).toHaveLength(1)
  })

  it('is no other for another name of the step that decides, and none where the cases become fewer', () => {
    expect(approvalsOf(expenses(500), expenses(500, 'decide'))).toEqual([])
    expect(approvalsOf(expenses(500), expenses(600, 'decide'))).toHaveLength(1)
    expect(approvalsOf(expenses(500), flow(route(500), gate('ask'), call('pay', ['ask'])))).toEqual([])
  })

  it('is told without its words where they would be the same, or too many', () => {
    expect(firstLines(long(4), long(5))).toEqual(['  “pay” runs “ledger.post” without any approval in other cases than before.'])
    expect(approvalsOf(many(1), many(2))).toEqual([{ step: 'pay', kind: 'unasked', uses: ['tool:ledger.post'], from: null, to: null }])
    expect(approvalsOf(many(1), many(1))).toEqual([])
    expect(firstLines(many(1), many(2), 'es')).toEqual(['  «pay» ejecuta «ledger.post» sin aprobación de nadie en otros casos que antes.'])
  })

  it('is told of a rejection or an expiry that no longer stops it', () => {
    expect(firstLines(asked('ask'), asked('ask', 'ask.expired'))).toEqual([
      '  “pay” runs “ledger.post” without any approval if amount is at most 1 or amount is more than 1 and nobody answers “ask” in time; before, only if amount is at most 1.',
    ])
  })
})
